/* The worker in Python that the documentation shows: it works, and the protocol is not one for C
 * alone.
 * ctest: timeout=120 shuffle=no */
#include "pool.h"

static const char *const *python(void)
{
    static const char here[] = "tests/cpu/worker_python.c";
    static char path[1024];
    static const char *const args[] = {"python3", path, NULL};
    snprintf(path, sizeof path, "%.*sexamples/worker.py", (int)(sizeof __FILE__ - sizeof here),
             __FILE__);
    return args;
}

static unsigned lines, words;

static bool count_words(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    char text[32];
    (void)job;
    snprintf(text, sizeof text, "%.*s", WEFT_TEXT_ARGS(data));
    assert_int_equal(kind, lines);
    lines++;
    words += (unsigned)atoi(text);
    return true;
}

TEST(a_worker_in_python_does_small_and_large_jobs)
{
    static char large[300001];
    for (int i = 0; i < 300000; i++)
        large[i] = i % 100 == 99 ? '\n' : i % 5 == 4 ? ' ' : 'x';
    pool_init(1);
    procs.args = python();
    procs.ahead = 8; /* it has no page: it gets one at a time all the same */
    pool_up();
    lines = words = 0;
    struct weft_job *one = ask("to be or not to be");
    jobs[1].on_event = count_words;
    struct weft_job *all = ask(large);
    struct weft_job *not_text = ask("\xff\xfe");
    struct weft_job *after = ask("still here");
    pool_down();
    assert_result(one, "6");
    assert_int_equal(all->op.status, 0);
    assert_int_equal(lines, 3000);
    assert_int_equal(words, 60000);
    assert_result(all, "60000");
    assert_int_equal(not_text->op.status, WEFT_EJOB);
    assert_non_null(strstr(not_text->why, "UnicodeDecodeError"));
    assert_result(after, "2");
    assert_int_equal(procs.started, 1);
    assert_int_equal(procs.killed, 0);
    results_free();
}

TEST(a_worker_in_python_that_is_idle_answers_pings)
{
    pool_init(1);
    procs.args = python();
    procs.beat_ms = 200;
    procs.min = 1;
    pool_up();
    struct weft_sleep nap_over = {0};
    open_jobs = 1;
    while (procs.idle == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_sleep(root(), &nap_over, 700, weft_ignore); /* three times the beat */
    while (nap_over.op.state_ != 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    open_jobs = 0;
    struct weft_job *job = ask("one two");
    pool_down();
    assert_result(job, "2");
    assert_int_equal(procs.started, 1);
}
