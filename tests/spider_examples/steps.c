/* The steps that the spiders are made of, each alone. */
#include "../../examples/spider/steps.h"
#include "site.h"

static struct site s;
static struct weft_http_client client;
static char before[PATH];

static struct weft_url url_of(const char *text)
{
    struct weft_url url = {0};
    assert_int_equal(weft_url_parse(&url, weft_text_of(text), NULL), 0);
    return url;
}

static void expect_name(const char *text, const char *name)
{
    struct weft_url url = url_of(text);
    char file[FILE_SIZE];
    assert_int_equal(url_to_file(&url, file), 0);
    assert_string_equal(file, name);
    weft_url_free(&url);
}

TEST(a_URL_becomes_a_name_that_can_be_read)
{
    expect_name("http://www.example.com", "www.example.com/index.html");
    expect_name("http://Example.com:8080/a/b.html", "example.com:8080/a/b.html");
    expect_name("http://[::1]/a", "[::1]/a.html");
    expect_name("http://e/a", "e/a.html");
    expect_name("http://e/a/", "e/a/index.html");
    expect_name("http://e/a/b", "e/a/b.html"); /* beside a.html, in a folder */
    expect_name("http://e/a.d/b", "e/a.d/b.html");
    expect_name("http://e/a?b=c&d", "e/a@b=c&d.html");
    expect_name("http://e/a.css?v=1.2", "e/a.css@v=1.2");
    expect_name("http://e/?q", "e/index@q.html");
    expect_name("http://e/a@b", "e/a%40b.html"); /* not the query b of a */
    expect_name("http://e/a b;c'd$e", "e/a%20b%3Bc%27d%24e.html");
}

TEST(no_name_leads_out_of_the_folder)
{
    expect_name("http://e/../../etc/passwd", "e/etc/passwd.html");
    expect_name("http://e/%2e%2e/%2E./x", "e/x.html");
    expect_name("http://e/a?/../../../x", "e/a@%2F..%2F..%2F..%2Fx.html");
    expect_name("http://e/a\\..\\..\\b", "e/b.html");
}

TEST(a_name_that_is_too_long_is_an_error)
{
    char text[2 * FILE_SIZE] = "http://e/", file[FILE_SIZE];
    for (size_t size = FILE_SIZE - 30; size < FILE_SIZE + 30; size++) {
        memset(text + 9, 'a', size);
        text[9 + size] = '\0';
        struct weft_url url = url_of(text);
        bool fits = 2 + size + 5 < FILE_SIZE;
        assert_int_equal(url_to_file(&url, file), fits ? 0 : UV_ENAMETOOLONG);
        assert_true(strlen(file) < FILE_SIZE);
        weft_url_free(&url);
    }
}

static void expect_links(const char *content, const char *expected)
{
    struct weft_url url = url_of("http://e/dir/page");
    struct links links;
    char text[1024] = "";
    size_t size = 0;
    get_links(&links, &url, content, strlen(content));
    for (size_t i = 0; i < links.count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i > 0 ? " " : "",
                                 links.urls[i].href.data);
    }
    assert_string_equal(text, expected);
    links_free(&links);
    weft_url_free(&url);
}

TEST(links_are_those_to_the_same_host)
{
    expect_links("", "");
    expect_links("<a href=a>", "http://e/dir/a");
    expect_links("<a href=/a><a href=../b?c><a href=//e/d>", "http://e/a http://e/b?c http://e/d");
    expect_links("<a href=https://e/a>", "https://e/a");
    expect_links("<a href=http://f/a><a href=http://e:81/a><a href=ftp://e/a>", "");
    expect_links("<a href=http://[><a href=a>", "http://e/dir/a");
    expect_links("<a href=a#one><a href=a#two>", "http://e/dir/a http://e/dir/a");
    expect_links("<img src=a><link href=b>", "");
    expect_links("<base href=/x/><a href=a>", "http://e/x/a");
    expect_links("<base href=http://f/><a href=a><a href=http://e/b>", "http://e/b");
}

/* ---- those that are operations -------------------------------------------------------------- */

static void files_begin(void)
{
    site_begin(&s);
    world_up(&s.w);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(s.folder), 0);
}

static void files_end(void)
{
    assert_int_equal(chdir(before), 0);
    site_end(&s);
}

TEST(save_file_makes_the_folders_too)
{
    static struct save_file save;
    files_begin();
    save_file(weft_root(&s.w.loop), &save, "a/b/c.html", "text", 4, noted);
    world_down(&s.w);
    assert_int_equal(seen.status, 0);
    scratch_equals("a/b/c.html", "text");
    files_end();
}

TEST(save_file_says_why_it_cannot)
{
    static struct save_file save;
    files_begin();
    close(open("a", O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
    save_file(weft_root(&s.w.loop), &save, "a/b/c.html", "text", 4, noted);
    world_down(&s.w);
    assert_int_equal(seen.status, UV_ENOTDIR);
    files_end();
}

static void web_begin(void)
{
    files_begin();
    site_serve(&s);
    memset(&client, 0, sizeof client);
    weft_http_client_open(weft_root(&s.w.loop), &client, NULL);
}

/* What web_begin has opened runs until somebody closes it. */
static void noted_last(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    weft_http_client_close(&client);
    weft_cancel(&s.server.op, UV_ECANCELED);
}

static const char *site_url(const char *path)
{
    static char text[PATH];
    snprintf(text, sizeof text, "http://%s%s", s.host, path);
    return text;
}

TEST(download_fetches_and_saves)
{
    static struct download d;
    web_begin();
    site_add(&s, "/a", "a page");
    download(weft_root(&s.w.loop), &d, &client, site_url("/a"), "x/a.html", noted_last);
    world_down(&s.w);
    assert_int_equal(seen.status, 0);
    scratch_equals("x/a.html", "a page");
    assert_string_equal(d.fetch.body, "a page");
    download_free(&d);
    files_end();
}

TEST(download_saves_nothing_but_the_page)
{
    static struct download d;
    char why[WHY_SIZE], expected[WHY_SIZE];
    web_begin();
    download(weft_root(&s.w.loop), &d, &client, site_url("/a"), "x/a.html", noted_last);
    world_down(&s.w);
    assert_int_equal(seen.status, WEFT_ESTATUS);
    assert_false(scratch_exists("x"));
    snprintf(expected, sizeof expected, "http://%s/a: 404 Not Found from %s", s.host, s.host);
    assert_string_equal(download_explain(&d, why), expected);
    download_free(&d);
    files_end();
}

TEST(download_says_which_file_cannot_be_saved)
{
    static struct download d;
    char why[WHY_SIZE];
    web_begin();
    site_add(&s, "/a", "a page");
    close(open("x", O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
    download(weft_root(&s.w.loop), &d, &client, site_url("/a"), "x/a.html", noted_last);
    world_down(&s.w);
    assert_int_equal(seen.status, UV_EEXIST);
    assert_string_equal(download_explain(&d, why), "x/a.html: file already exists");
    download_free(&d);
    files_end();
}

static struct load first, second;

static void first_loaded(struct weft_op *root, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    load(root, &second, &client, first.url, noted_last);
}

TEST(load_downloads_what_is_not_there_and_reads_what_is)
{
    web_begin();
    site_add(&s, "/a", "a page");
    struct weft_url url = url_of(site_url("/a"));
    load(weft_root(&s.w.loop), &first, &client, &url, first_loaded);
    world_down(&s.w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(times(&s, "/a"), 1);
    assert_true(first.downloaded);
    assert_string_equal(first.content, "a page");
    assert_false(second.downloaded);
    assert_string_equal(second.content, "a page");
    load_free(&first);
    load_free(&second);
    weft_url_free(&url);
    files_end();
}

TEST(load_calls_back_later_also_when_it_fails_at_once)
{
    char text[2 * FILE_SIZE] = "http://e/";
    memset(text + 9, 'a', FILE_SIZE);
    struct weft_url url = url_of(text);
    memset(&first, 0, sizeof first);
    files_begin();
    load(weft_root(&s.w.loop), &first, NULL, &url, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&s.w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENAMETOOLONG);
    assert_non_null(strstr(first.why, "name too long"));
    load_free(&first);
    weft_url_free(&url);
    files_end();
}
