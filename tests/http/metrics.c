/* The figures: what is counted, by many threads at once, and whether the text is what Prometheus
 * reads.
 * ctest: labels=threads,valgrind */
#include "ask.h"
#include "fault.h"
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/http_metrics.h>

/* ---- a strict reader of the text format ------------------------------------------------------- */

struct reading {
    char name[100], type[20]; /* of the family that is being read */
    char families[100][100];  /* all that were read */
    unsigned count, samples;
    bool has_help, has_type;
    uint64_t bucket; /* the last one of a histogram */
    double le;
    bool infinite;
};

static const char *read_name(const char *at, char name[100])
{
    size_t size = 0;
    assert_true(isalpha((unsigned char)*at) || *at == '_' || *at == ':');
    while (isalnum((unsigned char)*at) || *at == '_' || *at == ':') {
        assert_true(size < 99);
        name[size++] = *at++;
    }
    name[size] = '\0';
    return at;
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* A family ends: a histogram has to be complete. */
static void close_family(struct reading *r)
{
    if (strcmp(r->type, "histogram") == 0)
        assert_true(r->infinite);
}

/* "# HELP name text" opens a family, "# TYPE name type" follows it. */
static void read_comment(struct reading *r, const char *line)
{
    char name[100];
    if (strncmp(line, "# HELP ", 7) == 0) {
        close_family(r);
        const char *text = read_name(line + 7, name);
        assert_true(text[0] == ' ' && text[1] != '\0' && strchr(text, '\\') == NULL);
        for (unsigned i = 0; i < r->count; i++)
            assert_string_not_equal(r->families[i], name);
        strcpy(r->families[r->count++], name);
        strcpy(r->name, name);
        r->has_help = true;
        r->has_type = r->infinite = false;
        r->bucket = 0;
        r->le = -1;
        return;
    }
    assert_int_equal(strncmp(line, "# TYPE ", 7), 0);
    const char *type = read_name(line + 7, name);
    assert_string_equal(name, r->name);
    assert_true(r->has_help && !r->has_type);
    assert_true(strcmp(type, " counter") == 0 || strcmp(type, " gauge") == 0 ||
                strcmp(type, " histogram") == 0);
    strcpy(r->type, type + 1);
    r->has_type = true;
    assert_int_equal(strcmp(r->type, "counter") == 0, ends_in(name, "_total"));
}

/* {name="value"}: one label is all we have. */
static const char *read_label(const char *at, char name[100], char value[100])
{
    size_t size = 0;
    at = read_name(at + 1, name);
    assert_int_equal(strncmp(at, "=\"", 2), 0);
    for (at += 2; *at != '"'; at++) {
        assert_true(*at != '\0' && *at != '\\' && *at != '\n' && size < 99);
        value[size++] = *at;
    }
    value[size] = '\0';
    assert_int_equal(at[1], '}');
    return at + 2;
}

static void read_histogram(struct reading *r, const char *suffix, const char *le, uint64_t number)
{
    if (strcmp(suffix, "_bucket") == 0) {
        double bound = strcmp(le, "+Inf") == 0 ? 1e300 : strtod(le, NULL);
        assert_true(bound > r->le && number >= r->bucket && !r->infinite);
        r->le = bound;
        r->bucket = number;
        r->infinite = strcmp(le, "+Inf") == 0;
    } else if (strcmp(suffix, "_count") == 0) {
        assert_true(r->infinite && number == r->bucket);
    } else {
        assert_string_equal(suffix, "_sum");
    }
}

static void read_sample(struct reading *r, const char *line)
{
    char name[100], label[100] = "", value[100] = "", *end;
    const char *at = read_name(line, name);
    assert_true(r->has_type);
    if (*at == '{')
        at = read_label(at, label, value);
    assert_int_equal(*at++, ' ');
    assert_true(isdigit((unsigned char)*at));
    strtod(at, &end);
    assert_int_equal(*end, '\0');
    assert_int_equal(strncmp(name, r->name, strlen(r->name)), 0);
    const char *suffix = name + strlen(r->name);
    if (strcmp(r->type, "histogram") == 0) {
        assert_int_equal(strcmp(label, "le") == 0, strcmp(suffix, "_bucket") == 0);
        read_histogram(r, suffix, value, strtoull(at, NULL, 10));
    } else {
        assert_string_equal(suffix, "");
    }
    r->samples++;
}

/* Fails unless text is well-formed; how many samples it has. */
static unsigned read_text(const char *text)
{
    struct reading r = {0};
    char line[500];
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        assert_non_null(end); /* also the last line ends */
        assert_in_range(end - text, 1, sizeof line - 1);
        memcpy(line, text, (size_t)(end - text));
        line[end - text] = '\0';
        if (*line == '#')
            read_comment(&r, line);
        else
            read_sample(&r, line);
        text = end + 1;
    }
    close_family(&r);
    return r.samples;
}

/* ---- counting --------------------------------------------------------------------------------- */

static char text[WEFT_HTTP_METRICS_TEXT];

static const char *format(const struct weft_http_metrics *metrics)
{
    int size = weft_http_metrics_format(metrics, text, sizeof text);
    assert_int_equal(size, strlen(text));
    read_text(text);
    return text;
}

static void assert_has(const char *line)
{
    size_t size = strlen(line);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++) {
        if ((at == text || at[-1] == '\n') && at[size] == '\n')
            return;
    }
    fail_msg("there is no line %s in\n%s", line, text);
}

static void count(struct weft_http_metrics *metrics, struct weft_http_server *server, int status,
                  uint64_t seconds)
{
    struct weft_http_request request = {.server = server,
                                        .answered = status,
                                        .sent = 10,
                                        .received = 3,
                                        .began_ns = uv_hrtime() - seconds * 1000000000};
    weft_http_metrics_done(metrics, &request);
}

TEST(figures_begin_with_zero)
{
    static struct weft_http_metrics metrics;
    format(&metrics);
    assert_has("weft_http_requests_by_class_total{class=\"2xx\"} 0");
    assert_has("weft_http_requests_by_class_total{class=\"5xx\"} 0");
    assert_has("weft_http_request_duration_seconds_bucket{le=\"+Inf\"} 0");
    assert_has("weft_http_request_duration_seconds_sum 0.000000000");
    assert_has("weft_http_connections 0");
    assert_null(strstr(text, "code="));
}

TEST(requests_are_counted_by_status_and_class)
{
    static struct weft_http_metrics metrics;
    static struct weft_http_server server;
    count(&metrics, &server, 200, 0);
    count(&metrics, &server, 200, 0);
    count(&metrics, &server, 404, 0);
    count(&metrics, &server, 599, 0);
    count(&metrics, &server, 0, 0);
    format(&metrics);
    assert_has("weft_http_requests_total{code=\"200\"} 2");
    assert_has("weft_http_requests_total{code=\"404\"} 1");
    assert_has("weft_http_requests_total{code=\"499\"} 1");
    assert_has("weft_http_requests_total{code=\"599\"} 1");
    assert_has("weft_http_requests_by_class_total{class=\"2xx\"} 2");
    assert_has("weft_http_requests_by_class_total{class=\"4xx\"} 2");
    assert_has("weft_http_request_body_bytes_total 15");
    assert_has("weft_http_response_body_bytes_total 50");
    assert_has("weft_http_request_duration_seconds_count 5");
}

TEST(durations_go_into_their_buckets)
{
    static struct weft_http_metrics metrics;
    static struct weft_http_server server;
    count(&metrics, &server, 200, 3);
    count(&metrics, &server, 200, 3);
    count(&metrics, &server, 200, 60);
    struct weft_http_request unread = {.server = &server, .answered = 400};
    weft_http_metrics_done(&metrics, &unread); /* its head was never complete */
    format(&metrics);
    assert_has("weft_http_request_duration_seconds_bucket{le=\"2.5\"} 0");
    assert_has("weft_http_request_duration_seconds_bucket{le=\"5\"} 2");
    assert_has("weft_http_request_duration_seconds_bucket{le=\"10\"} 2");
    assert_has("weft_http_request_duration_seconds_bucket{le=\"+Inf\"} 3");
    assert_has("weft_http_request_duration_seconds_count 3");
    const char *sum = strstr(text, "_sum ");
    assert_in_range(strtoull(sum + 5, NULL, 10), 66, 70);
}

TEST(counts_of_all_servers_are_added_up)
{
    static struct weft_http_metrics metrics;
    static struct weft_http_server one = {
        .connections = 3, .running = 1, .accepted = 10, .refused = 2};
    static struct weft_http_server other = {.connections = 4, .running = 2, .accepted = 20};
    weft_http_metrics_update(&metrics, &one);
    count(&metrics, &other, 200, 0);
    format(&metrics);
    assert_has("weft_http_connections 7");
    assert_has("weft_http_requests_in_flight 3");
    assert_has("weft_http_connections_accepted_total 30");
    assert_has("weft_http_connections_refused_total 2");
    one.connections = one.running = 0;
    weft_http_metrics_update(&metrics, &one);
    format(&metrics);
    assert_has("weft_http_connections 4");
    assert_has("weft_http_connections_accepted_total 30");
}

TEST(more_servers_than_there_is_room_for_are_left_out)
{
    static struct weft_http_metrics metrics;
    static struct weft_http_server servers[WEFT_HTTP_METRICS_SERVERS + 2];
    for (size_t i = 0; i < WEFT_HTTP_METRICS_SERVERS + 2; i++) {
        servers[i].connections = 1;
        count(&metrics, &servers[i], 200, 0);
    }
    format(&metrics);
    assert_has("weft_http_connections 64");
    assert_has("weft_http_requests_total{code=\"200\"} 66");
}

TEST(the_text_fits_whatever_is_counted)
{
    static struct weft_http_metrics metrics;
    for (size_t i = 0; i < 600; i++)
        metrics.status_[i] = UINT64_MAX;
    metrics.bucket_[0] = UINT64_MAX;
    metrics.duration_ns_ = metrics.received_ = metrics.sent_ = UINT64_MAX;
    for (size_t i = 0; i < WEFT_HTTP_METRICS_SERVERS; i++)
        metrics.servers_[i].accepted_ = UINT64_MAX / WEFT_HTTP_METRICS_SERVERS;
    int size = weft_http_metrics_format(&metrics, text, sizeof text);
    assert_true(size > 0);
    assert_true(read_text(text) > 500);
    char *little = malloc((size_t)size);
    assert_int_equal(weft_http_metrics_format(&metrics, little, (size_t)size), UV_ENOBUFS);
    assert_string_equal(little, "");
    assert_int_equal(weft_http_metrics_format(&metrics, little, 1), UV_ENOBUFS);
    assert_int_equal(weft_http_metrics_format(&metrics, NULL, 0), UV_ENOBUFS);
    free(little);
}

/* ---- many threads ----------------------------------------------------------------------------- */

enum { THREADS = 4, EACH = 5000 };
static struct weft_http_metrics shared;

static void *count_many(void *argument)
{
    struct weft_http_server *server = argument;
    for (int i = 0; i < EACH; i++) {
        server->connections = (unsigned)i % 7;
        server->accepted++;
        count(&shared, server, 200 + i % 3, 0);
    }
    server->connections = 1;
    weft_http_metrics_update(&shared, server);
    return NULL;
}

TEST(several_threads_count_at_once_and_nothing_is_lost)
{
    pthread_t threads[THREADS];
    static struct weft_http_server servers[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, &servers[i]), 0);
    for (int i = 0; i < 100; i++)
        format(&shared); /* well-formed at any moment */
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    format(&shared);
    assert_has("weft_http_requests_by_class_total{class=\"2xx\"} 20000");
    assert_has("weft_http_request_duration_seconds_count 20000");
    assert_has("weft_http_connections_accepted_total 20000");
    assert_has("weft_http_connections 4");
    assert_has("weft_http_response_body_bytes_total 200000");
}

/* ---- in a server ------------------------------------------------------------------------------ */

static struct weft_http_metrics served;

static void show(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    if (weft_text_is(request->head.path, "/metrics"))
        weft_http_metrics_answer(&served, request);
    else
        weft_http_answer(request, 200, "text/plain", "hello\n", 6);
}

static void counted(struct weft_http_request *request)
{
    weft_http_metrics_done(&served, request);
}

TEST(a_server_shows_its_figures)
{
    struct world w;
    struct weft_http_server server = {.handler = show, .done = counted};
    memset(&served, 0, sizeof served);
    world_up(&w);
    serve_up(&w, &server);
    ask_for(&w, &server, "GET /hello");
    ask(&w, &server, "nonsense\r\n\r\n");
    const char *answer = ask_for(&w, &server, "GET /metrics");
    assert_answer(answer, "200", "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
    assert_true(read_text(body_of(answer)) > 20);
    snprintf(text, sizeof text, "%s", body_of(answer));
    assert_has("weft_http_requests_total{code=\"200\"} 1");
    assert_has("weft_http_requests_total{code=\"400\"} 1");
    assert_has("weft_http_requests_in_flight 1");
    assert_has("weft_http_connections_accepted_total 3");
    answer = ask_for(&w, &server, "HEAD /metrics");
    assert_answer(answer, "200", "Content-Length: ");
    assert_string_equal(body_of(answer), "");
    weft_http_drain(&server, 5000);
    assert_int_equal(world_run(&w), 0);
    weft_http_metrics_update(&served, &server);
    format(&served);
    assert_has("weft_http_connections 0");
    assert_has("weft_http_requests_in_flight 0");
    world_close(&w);
}

static void show_figures(unsigned long n)
{
    static char answer[ASK_SIZE];
    struct world w;
    struct weft_http_server server = {.handler = show, .done = counted};
    (void)n;
    if (!world_up_if_it_can(&w))
        return;
    serve_up(&w, &server);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    if (seen.calls == 0) {
        ssize_t size = ask_end(&w, ask_begin(&server, "GET /metrics HTTP/1.0\r\n\r\n"), answer);
        if (size > 0 && strncmp(answer, "HTTP/1.1 200", 12) == 0)
            read_text(body_of(answer));
        weft_http_drain(&server, 5000);
    }
    world_down(&w);
}

TEST(figures_survive_running_out_of_memory)
{
    memset(&served, 0, sizeof served);
    fault_ladder(show_figures);
}

/* ---- caches ---------------------------------------------------------------------------------- */

static const char *format_caches(const char *prefix, const struct weft_http_metrics_cache *caches,
                                 size_t count)
{
    int size = weft_http_metrics_caches_format(prefix, caches, count, text, sizeof text);
    assert_int_equal(size, strlen(text));
    return text;
}

TEST(every_figure_of_a_cache_is_told)
{
    struct weft_cache cache = {.bytes = 700, .entries = 17};
    struct weft_http_metrics_cache only = {NULL, &cache};
    uint64_t numbers[sizeof cache.stats / sizeof(uint64_t)];
    char number[30];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = 1000 + i;
    memcpy(&cache.stats, numbers, sizeof numbers);
    assert_int_equal(read_text(format_caches("shop", &only, 1)), sizeof numbers / 8 + 2);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(number, sizeof number, "_total %d\n", 1000 + (int)i);
        assert_non_null(strstr(text, number));
    }
    assert_has("shop_cache_hits_total 1000");
    assert_has("shop_cache_entries 17");
    assert_has("shop_cache_bytes 700");
}

TEST(caches_of_one_prefix_stand_below_one_head)
{
    struct weft_cache one = {.stats.hits = 1}, other = {.stats.hits = UINT64_MAX};
    struct weft_http_metrics_cache both[] = {{"one", &one}, {"other", &other}};
    read_text(format_caches("a:b_9", both, 2));
    assert_has("a:b_9_cache_hits_total{cache=\"one\"} 1");
    assert_has("a:b_9_cache_hits_total{cache=\"other\"} 18446744073709551615");
}

TEST(a_cache_may_have_any_name)
{
    struct weft_cache cache = {0};
    struct weft_http_metrics_cache only = {"a\"b\\c\nd", &cache};
    format_caches("shop", &only, 1);
    assert_has("shop_cache_hits_total{cache=\"a\\\"b\\\\c\\nd\"} 0");
}

TEST(the_room_for_caches_is_enough)
{
    char prefix[65], name[65];
    struct weft_cache cache = {.bytes = SIZE_MAX, .entries = SIZE_MAX};
    struct weft_http_metrics_cache caches[] = {{name, &cache}, {name, &cache}, {name, &cache}};
    memset(&cache.stats, 0xFF, sizeof cache.stats);
    memset(prefix, 'p', 64);
    memset(name, '"', 64); /* two bytes each */
    prefix[64] = name[64] = '\0';
    for (size_t count = 0; count <= 3; count++)
        assert_true(weft_http_metrics_caches_format(prefix, caches, count, text,
                                                    (count + 1) * WEFT_HTTP_METRICS_CACHE_TEXT) >
                    0);
    int size = weft_http_metrics_caches_format(prefix, caches, 1, text, sizeof text);
    assert_int_equal(weft_http_metrics_caches_format(prefix, caches, 1, text, (size_t)size),
                     UV_ENOBUFS);
    assert_string_equal(text, "");
    assert_int_equal(weft_http_metrics_caches_format(prefix, caches, 1, NULL, 0), UV_ENOBUFS);
}

TEST(what_prometheus_could_not_read_is_not_written)
{
    struct weft_cache cache = {0};
    struct weft_http_metrics_cache caches[] = {{NULL, &cache}, {"b", &cache}}, none = {"a", NULL};
    static const char *const bad[] = {NULL, "", "1a", "a-b", "a b", "\xC3\xA4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(weft_http_metrics_caches_format(bad[i], caches, 1, text, sizeof text),
                         UV_EINVAL);
    assert_int_equal(weft_http_metrics_caches_format("a", caches, 2, text, sizeof text), UV_EINVAL);
    assert_int_equal(weft_http_metrics_caches_format("a", &none, 1, text, sizeof text), UV_EINVAL);
    assert_string_equal(text, "");
}
