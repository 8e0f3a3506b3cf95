/* Cookies of a server that never runs out of names for them: only so many are kept, and those that
 * came first.
 * ctest: timeout=120 shuffle=no */
#include "outside.h"
#include "scratch.h"
#include <stdio.h>

enum { AT_ONCE = 50, ANSWERS = 250 };

static struct scene scene;
static unsigned cookies;
static bool told_who; /* the last request had the first cookie */

static void set_more(struct peer *peer)
{
    char head[8192] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
    size_t used = strlen(head);
    told_who = strstr(peer->request, "who=me") != NULL;
    if (cookies == 0)
        used += (size_t)snprintf(head + used, sizeof head - used, "Set-Cookie: who=me\r\n");
    for (unsigned end = cookies + AT_ONCE; cookies < end; cookies++)
        used += (size_t)snprintf(head + used, sizeof head - used, "Set-Cookie: c%u=v; Path=/%u\r\n",
                                 cookies, cookies);
    strcat(head, "\r\n");
    say_text(peer, head);
}

static unsigned lines_of(const char *path)
{
    unsigned lines = 0;
    char line[1024];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        lines += strchr(line, '\t') != NULL;
    fclose(file);
    return lines;
}

TEST(a_client_keeps_only_so_many_cookies_and_those_that_came_first)
{
    char jar[SCRATCH_PATH];
    memset(&scene, 0, sizeof scene);
    cookies = 0;
    world_up(&scene.w);
    outside_up(&scene.w.loop, &scene.server, set_more);
    scene.client.cookie_file = scratch_path(jar, "jar");
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
    for (unsigned i = 0; i < ANSWERS; i++) {
        struct weft_http_fetch fetch = {0};
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        weft_http_fetch_free(&fetch);
        assert_int_equal(told_who, i > 0);
    }
    assert_true(cookies > WEFT_FETCH_COOKIES);
    weft_http_client_close(&scene.client);
    await_that(&scene.w, scene.client.engine_ == NULL && over(&scene.client.op));
    assert_in_range(lines_of(jar), 200, WEFT_FETCH_COOKIES / 2);
    outside_down(&scene.server);
    world_down(&scene.w);
    scratch_empty();
}
