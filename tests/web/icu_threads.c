/* Several threads need ICU for the first time at once.
 * ctest: labels=threads,valgrind-long shuffle=no */
#include "check.h"
#include <uv.h>
#include <weft/links.h>
#include <weft/url.h>

enum { THREADS = 4 };

static uv_barrier_t begin;

/* Zhe, in windows-1251. */
static int is_converted(struct weft_links *links, const struct weft_link *link)
{
    *(int *)links->context += weft_text_is(link->url, "\u0416");
    return 0;
}

static void need(void *p)
{
    int *right = p;
    struct weft_url url = {0};
    struct weft_links links = {.on_link = is_converted, .context = right};
    uv_barrier_wait(&begin);
    if (weft_url_parse(&url, weft_text_of("http://b\u00FCcher.test/"), NULL) == 0)
        *right += weft_text_is(url.href, "http://xn--bcher-kva.test/");
    *right += weft_links_scan(&links, WEFT_LINKS_HTML, weft_text_of("windows-1251"),
                              "<a href=\xC6>", 10) == 0;
    weft_links_free(&links);
    weft_url_free(&url);
}

TEST(whoever_asked_for_it_has_it)
{
    uv_thread_t threads[THREADS];
    int right[THREADS] = {0};
    assert_int_equal(uv_barrier_init(&begin, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&threads[i], need, &right[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        uv_thread_join(&threads[i]);
        assert_int_equal(right[i], 3);
    }
    uv_barrier_destroy(&begin);
}
