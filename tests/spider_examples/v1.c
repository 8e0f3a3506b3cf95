/* The first spider, in both of its shapes: one page into one file, and three outcomes. */
#include "site.h"

static const char *const both[] = {"v1_nested", "v1"};
#define EACH_SHAPE(name) for (const char *const *name = both; name < both + 2; name++)

static struct site s;

TEST(it_downloads_a_page_and_then_finds_it_there)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        site_add(&s, "/a/b?c=d/e", "a page");
        spider(&s, *name, "/a/b?c=d/e", NULL, NULL);
        assert_string_equal(s.out, "downloaded http://HOST/a/b?c=d/e as HOST/a/b@c=d%2Fe.html\n");
        assert_string_equal(s.err, "");
        assert_int_equal(s.exit_code, 0);
        scratch_equals(file_of(&s, "/a/b@c=d%2Fe.html"), "a page");

        spider(&s, *name, "/a/b?c=d/e", NULL, NULL);
        assert_string_equal(s.out, "already there: HOST/a/b@c=d%2Fe.html\n");
        assert_int_equal(s.exit_code, 0);
        assert_string_equal(asked(&s), "");
        site_end(&s);
    }
}

TEST(an_empty_page_is_a_page)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        site_add(&s, "/", "");
        spider(&s, *name, "/", NULL, NULL);
        assert_string_equal(s.out, "downloaded http://HOST/ as HOST/index.html\n");
        assert_int_equal(s.exit_code, 0);
        scratch_equals(file_of(&s, "/index.html"), "");
        site_end(&s);
    }
}

TEST(an_answer_that_is_not_the_page_is_an_error)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        spider(&s, *name, "/missing", NULL, NULL);
        assert_string_equal(s.out, "");
        assert_string_equal(s.err, "http://HOST/missing: 404 Not Found from HOST\n");
        assert_int_equal(s.exit_code, 1);
        assert_false(has_file(&s, "/missing.html"));
        site_end(&s);
    }
}

TEST(nobody_at_the_other_end_is_an_error)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        spider(&s, *name, "http://127.0.0.1:1/", NULL, NULL);
        assert_string_equal(s.out, "");
        assert_non_null(strstr(s.err, "http://127.0.0.1:1/: "));
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

/* The documents take every error of the look for "already there". */
TEST(only_a_file_that_does_not_exist_is_not_there_yet)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        site_add(&s, "/a", "a page");
        spider(&s, *name, "/none", NULL, NULL); /* now the host is known */

        assert_int_equal(mkdir(file_of(&s, ""), 0777), 0);
        assert_int_equal(mkdir(file_of(&s, "/a.html"), 0777), 0);
        spider(&s, *name, "/a", NULL, NULL);
        assert_string_equal(s.err, "HOST/a.html: illegal operation on a directory\n");
        assert_string_equal(s.out, "");
        assert_int_equal(s.exit_code, 1);
        assert_string_equal(asked(&s), "");

        assert_int_equal(rmdir(file_of(&s, "/a.html")), 0);
        assert_int_equal(symlink("a.html", file_of(&s, "/a.html")), 0);
        spider(&s, *name, "/a", NULL, NULL);
        assert_string_equal(s.err, "HOST/a.html: too many symbolic links encountered\n");
        assert_int_equal(s.exit_code, 1);
        assert_string_equal(asked(&s), "");
        site_end(&s);
    }
}

TEST(a_folder_that_may_not_be_looked_into_is_an_error)
{
    if (geteuid() == 0 && access(SETPRIV, X_OK) != 0) {
        fprintf(stderr, "there is no " SETPRIV " to become nobody with\n");
        skip();
    }
    EACH_SHAPE(name)
    {
        site_begin(&s);
        site_add(&s, "/a", "a page");
        spider(&s, *name, "/none", NULL, NULL);
        assert_int_equal(mkdir(file_of(&s, ""), 0), 0);
        assert_int_equal(chmod(scratch_dir(), 0777), 0);
        s.as_nobody = geteuid() == 0;
        spider(&s, *name, "/a", NULL, NULL);
        assert_int_equal(chmod(file_of(&s, ""), 0777), 0);
        if (s.as_nobody && s.exit_code >= 126) {
            fprintf(stderr, "nobody may not run %s\n", program_of(*name));
            site_end(&s);
            skip();
        }
        assert_string_equal(s.err, "HOST/a.html: permission denied\n");
        assert_string_equal(s.out, "");
        assert_int_equal(s.exit_code, 1);
        assert_string_equal(asked(&s), "");
        site_end(&s);
    }
}

TEST(what_is_no_URL_of_the_web_is_an_error)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        spider(&s, *name, "file:///etc/passwd", NULL, NULL);
        assert_string_equal(s.err, "file:///etc/passwd: not a URL of the web\n");
        assert_int_equal(s.exit_code, 1);
        spider(&s, *name, "nonsense", NULL, NULL);
        assert_string_equal(s.err, "nonsense: not a URL of the web\n");
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

TEST(it_takes_one_argument)
{
    EACH_SHAPE(name)
    {
        site_begin(&s);
        spider(&s, *name, "/", "1", NULL);
        assert_non_null(strstr(s.err, "usage: "));
        assert_int_equal(s.exit_code, 2);
        assert_string_equal(asked(&s), "");
        site_end(&s);
    }
}
