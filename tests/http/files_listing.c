/* The listing of a folder: complete, in order, and harmless whatever the names are.
 * ctest: labels=valgrind-long timeout=120 */
#include "files_site.h"

static void fresh(void)
{
    scratch_empty();
    make_folder("list");
}

static struct reply list(struct site *site, const char *target)
{
    struct reply reply = ask(site, target);
    assert_int_equal(reply.status, 200);
    assert_true(reply.whole);
    assert_string_equal(field(&reply, "Content-Type"), "text/html; charset=utf-8");
    return reply;
}

/* Require that the texts are on the page, one behind the other. */
static void in_order(const char *page, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        const char *at = strstr(page, *texts);
        if (at == NULL)
            fail_msg("'%s' is missing, or not behind the one before", *texts);
        page = at + 1;
    }
}

TEST(folders_come_first_and_numbers_count)
{
    static const char *const expected[] = {
        "<a href=\"../\">",
        "<a href=\"./Alpha/\"><bdi>Alpha</bdi>/</a></td><td></td>",
        "<a href=\"./zeta/\">",
        "<a href=\"./a1\"><bdi>a1</bdi></a></td><td>1 B</td><td>1994-11-06 08:49</td>",
        "\"./a02\"",
        "\"./a2b\"",
        "\"./A10\"",
        "\"./a99999999999999999999998\"",
        "\"./a99999999999999999999999\"",
        "\"./b\"",
        "\"./%C3%A4\"><bdi>\xc3\xa4</bdi>",
        NULL};
    static const char *const names[] = {"b",
                                        "A10",
                                        "a2b",
                                        "a1",
                                        "\xc3\xa4",
                                        "a02",
                                        "a99999999999999999999999",
                                        "a99999999999999999999998"};
    fresh();
    make_folder("list/zeta");
    make_folder("list/Alpha");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "list/%s", names[i]);
        make_file(path, "x");
    }
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true}};
        site_up(&site, scratch_dir(), way);
        struct reply reply = list(&site, "/list/");
        in_order(reply.body, expected);
        assert_non_null(strstr(reply.body, "<title>/list/</title>"));
        reply_free(&reply);
        reply = list(&site, "/");
        assert_null(strstr(reply.body, "../"));
        assert_non_null(strstr(reply.body, "\"./list/\""));
        reply_free(&reply);
        site_down(&site);
    }
}

/* Names that try to be something else. A '/' cannot be in one. */
TEST(a_name_stays_a_name)
{
    static const char *const names[] = {"\"><script>alert(1)<",
                                        "<img src=x onerror=alert(1)>",
                                        "' onmouseover='x",
                                        "javascript:alert(1)",
                                        "http:evil",
                                        "&lt;b&gt;",
                                        "?query",
                                        "#fragment",
                                        "100%",
                                        "%2e%2e",
                                        "new\nline",
                                        "\x1b[31m",
                                        "\xff\xfe",
                                        "\xe2\x80\xaetxt.exe",
                                        " space ",
                                        "\xed\xa0\x80",
                                        "\xc0\xaf",
                                        "a+b;c=d"};
    fresh();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "list/%s", names[i]);
        make_file(path, "harmless");
    }
    struct site site = {.files = {.listing = true}};
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = list(&site, "/list/");
    const char *rows = strstr(reply.body, "<tbody>");
    assert_non_null(rows);
    static const char *const never[] = {
        "<script", "<img", "onmouseover='", "\"javascript:", "\"http:", "\xff",
        "\x1b",    "\xc0", "\xed\xa0",      "\"./?",         "\"./#"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_null(strstr(rows, never[i]));
    assert_non_null(strstr(rows, "&quot;&gt;&lt;script&gt;alert(1)&lt;"));
    assert_non_null(strstr(rows, "&amp;lt;b&amp;gt;"));
    assert_non_null(strstr(rows, "new\xef\xbf\xbdline"));
    /* Each link leads to its file. */
    size_t count = 0;
    for (const char *at = rows; (at = strstr(at, "<a href=\"./")) != NULL; at++) {
        char target[512];
        const char *from = at + strlen("<a href=\"./");
        assert_null(memchr(from, '&', (size_t)(strchr(from, '"') - from)));
        snprintf(target, sizeof target, "/list/%.*s", (int)(strchr(from, '"') - from), from);
        expect_body(&site, target, "", 200, "harmless");
        count++;
    }
    assert_int_equal(count, sizeof names / sizeof *names);
    reply_free(&reply);
    site_down(&site);
}

TEST(the_path_on_the_page_is_a_name_as_well)
{
    struct site site = {.files = {.listing = true}};
    fresh();
    make_folder("list/<b>&");
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = list(&site, "/list/%3Cb%3E&/");
    assert_null(strstr(reply.body, "<b>"));
    assert_non_null(strstr(reply.body, "<title>/list/&lt;b&gt;&amp;/</title>"));
    reply_free(&reply);
    site_down(&site);
}

TEST(what_would_be_refused_is_left_out)
{
    char path[SCRATCH_PATH];
    fresh();
    make_file("outside", "secret of 17 bytes");
    make_file("list/.hidden", "x");
    make_file("list/shown", "x");
    make_folder("list/folder");
    make_link("list/in", "shown");
    make_link("list/in_folder", "folder");
    make_link("list/out", "../../outside");
    make_link("list/dangling", "nothing");
    make_file("list/back\\slash", "x");
    assert_int_equal(mkfifo(scratch_path(path, "list/pipe"), 0666), 0);
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true, .hidden = way == SLOW}};
        char folder[SCRATCH_PATH];
        site_up(&site, scratch_path(folder, "list"), way);
        struct reply reply = list(&site, "/");
        assert_non_null(strstr(reply.body, "\"./shown\""));
        assert_null(strstr(reply.body, "out"));
        assert_null(strstr(reply.body, "dangling"));
        assert_null(strstr(reply.body, "pipe"));
        assert_null(strstr(reply.body, "slash"));
        assert_int_equal(strstr(reply.body, ".hidden") != NULL, way == SLOW);
        assert_int_equal(strstr(reply.body, "\"./in\"") != NULL, !site.files.walk_);
        assert_int_equal(strstr(reply.body, "\"./in_folder/\"") != NULL, !site.files.walk_);
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_listing_is_bounded)
{
    fresh();
    for (int i = 0; i < 30; i++) {
        char path[64];
        snprintf(path, sizeof path, "list/%d", i);
        make_file(path, "");
    }
    for (size_t max = 29; max <= 31; max++) {
        struct site site = {.files = {.listing = true, .listed_max = max}};
        size_t count = 0;
        site_up(&site, scratch_dir(), CACHED);
        struct reply reply = list(&site, "/list/");
        for (const char *at = reply.body; (at = strstr(at, "<a href=\"./")) != NULL; at++)
            count++;
        assert_int_equal(count, max < 30 ? max : 30);
        assert_int_equal(strstr(reply.body, "only 29 entries are shown") != NULL, max == 29);
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_page_of_many_long_names_is_bounded)
{
    enum { MANY = 4000 };
    fresh();
    char name[256], path[SCRATCH_PATH];
    for (int i = 0; i < MANY; i++) {
        memset(name, '"', sizeof name - 1); /* six bytes each as an entity, and three in the link */
        name[snprintf(name, sizeof name, "%d", i)] = '"';
        name[255] = '\0';
        snprintf(path, sizeof path, "%s/list/%s", scratch_dir(), name);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        close(fd);
    }
    struct site site = {.files = {.listing = true}};
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = list(&site, "/list/");
    assert_in_range(reply.size, WEFT_HTTP_FILES_PAGE, WEFT_HTTP_FILES_PAGE + 8192);
    assert_non_null(strstr(reply.body, "There is more"));
    assert_non_null(strstr(reply.body, "</html>"));
    reply_free(&reply);
    site_down(&site);
    scratch_empty();
}

/* The style sheet's hash as the policy has it, computed by somebody else. */
static void hash_of(const char *text, size_t size, char hash[64])
{
    char path[SCRATCH_PATH], command[2 * SCRATCH_PATH];
    FILE *file = fopen(scratch_path(path, "style"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    snprintf(command, sizeof command, "openssl dgst -sha256 -binary '%s' | openssl base64", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    hash[0] = '\0';
    if (fgets(hash, 64, pipe) != NULL)
        hash[strcspn(hash, "\n")] = '\0';
    pclose(pipe);
}

TEST(the_page_may_do_nothing_but_look_like_this)
{
    struct site site = {.files = {.listing = true}};
    char hash[64], policy[256];
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = list(&site, "/list/");
    assert_string_equal(field(&reply, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(field(&reply, "Cache-Control"), "no-cache");
    strcpy(policy, field(&reply, "Content-Security-Policy"));
    assert_memory_equal(policy, "default-src 'none'; ", 20);
    const char *style = strstr(reply.body, "<style>") + 7;
    hash_of(style, (size_t)(strstr(style, "</style>") - style), hash);
    if (hash[0] == '\0')
        print_message("there is no openssl to compute the hash with\n");
    else
        assert_non_null(strstr(policy, hash));
    reply_free(&reply);
    site_down(&site);
}

TEST(sizes_are_for_people)
{
    static const struct {
        const char *name;
        off_t size;
        const char *shown;
    } cases[] = {{"a", 0, "0 B"},       {"b", 999, "999 B"},      {"c", 1000, "1.0 kB"},
                 {"d", 10240, "10 kB"}, {"e", 1023999, "1.0 MB"}, {"f", 4700000000, "4.7 GB"}};
    struct site site = {.files = {.listing = true}};
    fresh();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[SCRATCH_PATH], name[16];
        snprintf(name, sizeof name, "list/%s", cases[i].name);
        make_file(name, "");
        assert_int_equal(truncate(scratch_path(path, name), cases[i].size), 0);
    }
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = list(&site, "/list/");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char cell[64];
        snprintf(cell, sizeof cell, "<bdi>%s</bdi></a></td><td>%s</td>", cases[i].name,
                 cases[i].shown);
        if (strstr(reply.body, cell) == NULL)
            fail_msg("%s is missing", cell);
    }
    reply_free(&reply);
    site_down(&site);
}
