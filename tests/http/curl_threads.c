/* Several threads need libcurl for the first time at once.
 * ctest: labels=threads,valgrind-long shuffle=no */
#include "check.h"
#include "http/client/curl.h"
#include <uv.h>

enum { THREADS = 4 };

static uv_barrier_t begin;

static void need(void *p)
{
    bool *had = p;
    uv_barrier_wait(&begin);
    if (weft__http_curl_load(NULL) != 0)
        return;
    CURLU *url = curl_url();
    *had = url != NULL && curl_url_set(url, CURLUPART_URL, "https://a.test/", 0) == CURLUE_OK;
    curl_url_cleanup(url);
}

TEST(whoever_asked_for_it_has_it)
{
    uv_thread_t threads[THREADS];
    bool had[THREADS] = {false};
    assert_int_equal(uv_barrier_init(&begin, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&threads[i], need, &had[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        uv_thread_join(&threads[i]);
        assert_true(had[i]);
    }
    uv_barrier_destroy(&begin);
}
