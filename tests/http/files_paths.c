/* Nothing outside of the folder is served: not by any path, not through any link, not while
 * somebody moves things about.
 * ctest: labels=valgrind-long,threads timeout=120 */
#include "files_site.h"
#include "nobody.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/un.h>

#define SECRET "secret"

static char root[SCRATCH_PATH];

/* <scratch>/root is served; <scratch>/outside is not. */
static void fresh(void)
{
    scratch_empty();
    scratch_path(root, "root");
    make_folder("root");
    make_folder("root/sub");
    make_folder("outside");
    make_file("outside/file", SECRET);
    make_file("root/file", "inside");
    make_file("root/sub/file", "inside");
    make_file("root/..file", "dots");
    make_file("root/sub/a%2fb", "percent");
}

/* The status, and that it came without the secret. */
static int asked(struct site *site, const char *target)
{
    struct reply reply = ask(site, target);
    int status = reply.status;
    assert_true(reply.whole);
    assert_null(strstr(reply.body, SECRET));
    reply_free(&reply);
    return status;
}

TEST(no_path_leads_out)
{
    static const struct {
        int status;
        const char *target;
    } cases[] = {
        {200, "/file"},
        {200, "/./file"},
        {200, "//file"},
        {200, "/sub/../file"},
        {200, "/sub/%2e%2e/file"},
        {200, "/sub/%2E./sub/file"},
        {200, "/sub/a%252fb"},
        {403, "/../outside/file"},
        {403, "/%2e%2e/outside/file"},
        {403, "/.%2e/outside/file"},
        {403, "/sub/../../outside/file"},
        {403, "/sub/%2e%2e/%2E%2E/outside/file"},
        {403, "//../outside/file"},
        {403, "/../../../../../../../../etc/passwd"},
        {403, "/.."},
        {400, "/..%2foutside/file"},
        {400, "/..%2Foutside%2Ffile"},
        {400, "/%2e%2e%2foutside/file"},
        {400, "/..%5coutside%5cfile"},
        {400, "/..\\outside\\file"},
        {400, "/file%00"},
        {400, "/file%00.html"},
        {400, "/sub%00/../../outside/file"},
        {400, "/%"},
        {400, "/%zz"},
        {400, "/%2"},
        {404, "/%252e%252e/outside/file"},
        {404, "/.../file"},
        {404, "/..file"},
        {404, "/%c0%ae%c0%ae/outside/file"},
        {404, "/etc/passwd"},
        {404, "//etc/passwd"},
        {404, "/file/x"},
        {404, "/file/"},
        {403, "/file/../../outside/file"},
    };
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true}};
        site_up(&site, root, way);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            int status = asked(&site, cases[i].target);
            if (status != cases[i].status)
                fail_msg("%s: %d instead of %d", cases[i].target, status, cases[i].status);
        }
        site_down(&site);
    }
}

TEST(a_name_that_is_too_long_does_not_exist)
{
    static char target[8000];
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, root, way);
        memset(target, 'a', 301);
        target[0] = '/';
        target[301] = '\0';
        assert_int_equal(asked(&site, target), 404);
        for (size_t i = 0; i < 7000; i++)
            target[i] = i % 100 == 0 ? '/' : 'a';
        target[7000] = '\0';
        assert_int_equal(asked(&site, target), 404);
        target[255] = target[0] = '/';
        memset(target + 1, 'a', 254);
        target[256] = '\0';
        assert_int_equal(asked(&site, target), 404);
        site_down(&site);
    }
}

TEST(what_is_hidden_does_not_exist)
{
    fresh();
    make_folder("root/.git");
    make_file("root/.git/config", SECRET);
    make_file("root/sub/.env", SECRET);
    make_file("root/sub/a.b", "dot");
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, root, way);
        assert_int_equal(asked(&site, "/.git/config"), 404);
        assert_int_equal(asked(&site, "/.git/"), 404);
        assert_int_equal(asked(&site, "/.git"), 404);
        assert_int_equal(asked(&site, "/sub/.env"), 404);
        assert_int_equal(asked(&site, "/sub/%2eenv"), 404);
        assert_int_equal(asked(&site, "/.nothing"), 404);
        assert_int_equal(asked(&site, "/sub/a.b"), 200);
        site_down(&site);
        struct site open_site = {.files = {.hidden = true}};
        site_up(&open_site, root, way);
        expect_body(&open_site, "/sub/.env", "", 200, SECRET);
        expect_body(&open_site, "/.git/config", "", 200, SECRET);
        expect_body(&open_site, "/..file", "", 200, "dots");
        site_down(&open_site);
    }
}

/* ---- links ---------------------------------------------------------------------------------- */

static void make_links(void)
{
    char path[SCRATCH_PATH];
    make_link("root/in", "file");
    make_link("root/sub/up", "../file");
    make_link("root/folder", "sub");
    make_link("root/chain", "folder/up");
    make_link("root/absolute_in", scratch_path(path, "root/file"));
    make_link("root/absolute_out", scratch_path(path, "outside/file"));
    make_link("root/out", "../outside/file");
    make_link("root/sub/out", "../../outside");
    make_link("root/out_and_in", "../root/file");
    make_link("root/loop", "loop");
    make_link("root/nowhere", "nothing");
}

struct link_case {
    const char *target;
    int inside, none, all, walked; /* the status with each of the rules */
};

static const struct link_case link_cases[] = {
    {"/in", 200, 403, 200, 403},          {"/sub/up", 200, 403, 200, 403},
    {"/folder/file", 200, 403, 200, 404}, {"/chain", 200, 403, 200, 403},
    {"/absolute_in", 403, 403, 200, 403}, {"/absolute_out", 403, 403, 0, 403},
    {"/out", 403, 403, 0, 403},           {"/sub/out/file", 403, 403, 0, 404},
    {"/out_and_in", 403, 403, 200, 403},  {"/loop", 403, 403, 403, 403},
    {"/nowhere", 404, 403, 404, 403},
};

static int expected(const struct link_case *its, enum weft_http_links links, bool walked)
{
    if (links == WEFT_HTTP_LINKS_ALL)
        return its->all;
    if (walked)
        return its->walked;
    return links == WEFT_HTTP_LINKS_NONE ? its->none : its->inside;
}

static void follow_links(enum weft_http_links links, enum way way)
{
    struct site site = {.files = {.links = links}};
    site_up(&site, root, way);
    for (size_t i = 0; i < sizeof link_cases / sizeof *link_cases; i++) {
        const struct link_case *its = &link_cases[i];
        int status = expected(its, links, site.files.walk_);
        if (status == 0) {
            expect_body(&site, its->target, "", 200, SECRET);
            continue;
        }
        int got = asked(&site, its->target);
        if (got != status)
            fail_msg("%s, rule %d, way %d: %d instead of %d", its->target, (int)links, (int)way,
                     got, status);
    }
    site_down(&site);
}

TEST(links_are_followed_as_the_rule_says)
{
    fresh();
    make_links();
    for (enum way way = 0; way < WAYS; way++) {
        follow_links(WEFT_HTTP_LINKS_INSIDE, way);
        follow_links(WEFT_HTTP_LINKS_NONE, way);
        follow_links(WEFT_HTTP_LINKS_ALL, way);
    }
}

TEST(a_folder_that_becomes_a_link_leads_nowhere)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        char from[SCRATCH_PATH], to[SCRATCH_PATH];
        site_up(&site, root, way);
        assert_int_equal(asked(&site, "/sub/file"), 200);
        rename(scratch_path(from, "root/sub"), scratch_path(to, "kept"));
        make_link("root/sub", "../outside");
        assert_int_equal(asked(&site, "/sub/file"), site.files.walk_ ? 404 : 403);
        assert_int_equal(asked(&site, "/sub/"), site.files.walk_ ? 404 : 403);
        unlink(from);
        rename(to, from);
        assert_int_equal(asked(&site, "/sub/file"), 200);
        site_down(&site);
    }
}

TEST(the_folder_itself_may_be_moved)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        char moved[SCRATCH_PATH];
        site_up(&site, root, way);
        assert_int_equal(rename(root, scratch_path(moved, "moved")), 0);
        make_link("root", "outside");
        assert_int_equal(asked(&site, "/sub/file"), 200);
        expect_body(&site, "/file", "", 200, "inside");
        unlink(root);
        assert_int_equal(rename(moved, root), 0);
        site_down(&site);
    }
}

static atomic_bool stop;

/* Moves root/sub away, puts a link to outside there, and back, as fast as it can. */
static void *juggle(void *unused)
{
    char sub[SCRATCH_PATH], kept[SCRATCH_PATH];
    scratch_path(sub, "root/sub");
    scratch_path(kept, "kept");
    while (!atomic_load(&stop)) {
        (void)!rename(sub, kept);
        (void)!symlink("../outside", sub);
        unlink(sub);
        (void)!rename(kept, sub);
    }
    return unused;
}

TEST(nothing_slips_out_while_folders_are_moved)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true}};
        pthread_t juggler;
        site_up(&site, root, way);
        atomic_store(&stop, false);
        assert_int_equal(pthread_create(&juggler, NULL, juggle, NULL), 0);
        for (unsigned long i = 0; i < check_scale(60); i++) {
            struct reply reply = ask(&site, i % 2 == 0 ? "/sub/file" : "/sub/");
            assert_null(strstr(reply.body, SECRET));
            assert_true(reply.status == 200 || reply.status == 403 || reply.status == 404 ||
                        reply.status == 301);
            reply_free(&reply);
        }
        atomic_store(&stop, true);
        pthread_join(juggler, NULL);
        site_down(&site);
    }
}

/* ---- neither file nor folder ---------------------------------------------------------------- */

TEST(only_files_are_served_and_nothing_is_waited_for)
{
    char path[SCRATCH_PATH];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    fresh();
    assert_int_equal(mkfifo(scratch_path(path, "root/pipe"), 0666), 0);
    scratch_path(path, "root/socket");
    assert_true(strlen(path) < sizeof name.sun_path);
    strcpy(name.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
    bool device = scratch_device(path, "root/device");
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, root, way);
        assert_int_equal(asked(&site, "/pipe"), 403);
        assert_int_equal(asked(&site, "/socket"), 403);
        if (device)
            assert_int_equal(asked(&site, "/device"), 403);
        site_down(&site);
    }
    close(listener);
}

TEST(what_may_not_be_read_is_forbidden)
{
    char path[SCRATCH_PATH];
    int statuses[WAYS][3];
    fresh();
    assert_int_equal(chmod(scratch_path(path, "root/file"), 0), 0);
    assert_int_equal(chmod(scratch_path(path, "root/sub"), 0), 0);
    nobody_begin(scratch_dir());
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true}};
        site_up(&site, root, way);
        statuses[way][0] = asked(&site, "/file");
        statuses[way][1] = asked(&site, "/sub/file");
        statuses[way][2] = asked(&site, "/sub/");
        site_down(&site);
    }
    nobody_end();
    chmod(path, 0755);
    for (enum way way = 0; way < WAYS; way++) {
        for (int i = 0; i < 3; i++)
            assert_int_equal(statuses[way][i], 403);
    }
}
