/* An archive on the disk: written, read again, cut off anywhere and gone on with.
 * ctest: labels=threads timeout=240 */
#include "check.h"
#include "fault.h"
#include "scratch.h"
#include "warc/inside.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/error.h>

static char path[SCRATCH_PATH], index_path[SCRATCH_PATH];
static const char info[] = "software: test\r\n";

static void choose(bool packed)
{
    static int number;
    char name[32];
    snprintf(name, sizeof name, "a%d.warc%s", ++number, packed ? ".gz" : "");
    scratch_path(path, name);
    snprintf(name, sizeof name, "a%d.cdxj", number);
    scratch_path(index_path, name);
}

static int open_it(struct warc *warc, const struct warc_mark *mark)
{
    int err = warc_open(warc, path, WARC_LEVEL, mark, weft_text_of(info));
    if (err == 0)
        err = warc_publish(warc);
    return err;
}

static struct warc_exchange exchange_of(const char *url, const char *body)
{
    return (struct warc_exchange){
        .url = weft_text_of(url),
        .request = weft_text_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .head = weft_text_of("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
        .media_type = weft_text_of("text/html"),
        .address = "127.0.0.1",
        .status = 200,
        .date = 1000000000,
        .body = body,
        .body_fd = -1,
        .body_size = strlen(body)};
}

static void put(struct warc *warc, const char *url, const char *body)
{
    struct warc_exchange exchange = exchange_of(url, body);
    assert_int_equal(warc_put(warc, &exchange), 0);
}

static struct warc_exchange unmodified_of(const char *url, const char *request)
{
    struct warc_exchange exchange = exchange_of(url, "");
    exchange.request = weft_text_of(request);
    exchange.head = weft_text_of("HTTP/1.1 304 Not Modified\r\n\r\n");
    exchange.status = 304;
    exchange.not_modified = true;
    return exchange;
}

static void put_unmodified(struct warc *warc, const char *url)
{
    struct warc_exchange exchange = unmodified_of(url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(warc_put(warc, &exchange), 0);
}

static size_t size_of(const char *file)
{
    struct stat it;
    assert_int_equal(stat(file, &it), 0);
    return (size_t)it.st_size;
}

static char *contents(const char *file, size_t *size)
{
    *size = size_of(file);
    char *data = malloc(*size + 1);
    int fd = open(file, O_RDONLY);
    assert_true(data != NULL && fd >= 0);
    assert_true(read(fd, data, *size) == (ssize_t)*size);
    data[*size] = '\0';
    close(fd);
    return data;
}

static void write_file(const char *file, const char *data, size_t size)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(warc_write_at(fd, data, size, 0), 0);
    close(fd);
}

/* How many whole records there are, up to the end of the file, and of which types: "w qp qv". */
static void types_of(const char *file, bool packed, char *types, size_t room)
{
    struct warc_reader reader;
    struct warc_record record = {0};
    int fd = open(file, O_RDONLY);
    uint64_t at = 0;
    size_t used = 0;
    assert_int_equal(warc_reader_init(&reader, fd, packed), 0);
    while (at < size_of(file)) {
        assert_int_equal(warc_read_whole(&reader, at, 0, &record), 0);
        struct weft_text type = warc_record_get(&record, "WARC-Type");
        assert_true(used + 1 < room);
        types[used++] = weft_text_is(type, "response")  ? 'a'
                        : weft_text_is(type, "revisit") ? 'v'
                        : weft_text_is(type, "request") ? 'q'
                                                        : 'w';
        at += record.length;
    }
    types[used] = '\0';
    warc_record_free(&record);
    warc_reader_free(&reader);
    close(fd);
}

static void types_are(bool packed, const char *expected)
{
    char types[256];
    types_of(path, packed, types, sizeof types);
    assert_string_equal(types, expected);
}

#define EACH(packed) for (int packed = 0; packed < 2; packed++)

/* ---- written -------------------------------------------------------------------------------- */

TEST(requests_answers_and_revisits_are_records_one_behind_the_other)
{
    EACH(packed)
    {
        struct warc warc;
        choose(packed);
        assert_int_equal(open_it(&warc, NULL), 0);
        put(&warc, "http://a.example/1", "one body");
        put(&warc, "http://a.example/2", "another");
        put(&warc, "http://a.example/3", "one body");
        put(&warc, "http://a.example/4", "");
        put(&warc, "http://a.example/5", "");
        struct warc_exchange silent = exchange_of("http://a.example/6", "no request is known");
        silent.request = weft_text(NULL, 0);
        assert_int_equal(warc_put(&warc, &silent), 0);
        assert_true(warc.end == size_of(path) && warc.index_end == size_of(index_path));
        warc_close(&warc);
        types_are(packed, "wqaqaqvqaqaa");
    }
}

TEST(a_body_is_read_again_from_its_place)
{
    EACH(packed)
    {
        struct warc warc;
        char *data;
        size_t size;
        struct warc_exchange one = exchange_of("http://a.example/1", "first"),
                             same = exchange_of("http://a.example/2", "first"),
                             empty = exchange_of("http://a.example/3", "");
        choose(packed);
        assert_int_equal(open_it(&warc, NULL), 0);
        assert_int_equal(warc_put(&warc, &one), 0);
        assert_int_equal(warc_put(&warc, &same), 0);
        assert_int_equal(warc_put(&warc, &empty), 0);
        assert_true(same.revisit && same.place == one.place);
        assert_int_equal(warc_get(&warc, one.place, 1000, &data, &size), 0);
        assert_int_equal(size, 5);
        assert_string_equal(data, "first");
        weft_free(data);
        assert_int_equal(warc_get(&warc, empty.place, 1000, &data, &size), 0);
        assert_int_equal(size, 0);
        weft_free(data);
        assert_int_equal(warc_get(&warc, one.place, 20, &data, &size), UV_EFBIG);
        assert_int_equal(warc_get(&warc, one.place + 1, 1000, &data, &size), UV_ENOENT);
        assert_int_equal(warc_get(&warc, 0, 1000, &data, &size), UV_ENOENT);
        assert_int_equal(warc_get(&warc, warc.end, 1000, &data, &size), UV_ENOENT);
        warc_close(&warc);
    }
}

/* ---- not modified --------------------------------------------------------------------------- */

/* An answer of this URL, with this line in its head. */
static void put_version(struct warc *warc, const char *url, const char *line, int64_t date,
                        const char *body)
{
    char head[256];
    struct warc_exchange exchange = exchange_of(url, body);
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", line);
    exchange.head = weft_text_of(head);
    exchange.date = date;
    assert_int_equal(warc_put(warc, &exchange), 0);
}

/* What stands in the archive, of one who asks with these lines whether it has changed: the URL and the
 * date that it refers to; "" if it does not say. */
static const char *since(struct warc *warc, bool packed, const char *url, const char *lines)
{
    static char found[128];
    char request[256];
    uint64_t at = warc->end;
    struct warc_reader reader;
    struct warc_record record = {0};
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\n%s\r\n\r\n", lines);
    struct warc_exchange exchange = unmodified_of(url, request);
    assert_int_equal(warc_put(warc, &exchange), 0);
    assert_true(exchange.revisit);
    assert_int_equal(warc_reader_init(&reader, warc->fd, packed), 0);
    do {
        assert_int_equal(warc_read_whole(&reader, at, 0, &record), 0);
        at += record.length;
    } while (!weft_text_is(warc_record_get(&record, "WARC-Type"), "revisit"));
    struct weft_text date = warc_record_get(&record, "WARC-Refers-To-Date");
    struct weft_text whom = warc_record_get(&record, "WARC-Refers-To-Target-URI");
    assert_true((date.size > 0) == (warc_record_get(&record, "WARC-Payload-Digest").size > 0));
    assert_true((date.size > 0) == (warc_record_get(&record, "WARC-Refers-To").size > 0));
    snprintf(found, sizeof found, "%.*s %.*s", WEFT_TEXT_ARGS(date), WEFT_TEXT_ARGS(whom));
    assert_true(date.size > 0 || weft_text_is(whom, url));
    warc_record_free(&record);
    warc_reader_free(&reader);
    return date.size > 0 ? found : "";
}

static void make_versions(struct warc *warc)
{
    put_version(warc, "http://a.example/1", "ETag: \"a\"", 1000000000, "first");
    put_version(warc, "http://a.example/1", "ETag: \"b\"", 1000000100, "second");
    put_version(warc, "http://a.example/2", "Last-Modified: a day", 1000000200, "third");
    put_version(warc, "http://a.example/3?\\", "etag:\"c\"\r\nLast-Modified: a day", 1000000300,
                "second");
}

static void check_versions(struct warc *warc, bool packed)
{
    const char *one = "http://a.example/1", *two = "http://a.example/2",
               *three = "http://a.example/3?\\";
    assert_string_equal(since(warc, packed, one, "If-None-Match: \"b\""),
                        "2001-09-09T01:48:20Z http://a.example/1");
    assert_string_equal(since(warc, packed, one, "If-None-Match: \"a\""), "");
    assert_string_equal(since(warc, packed, one, "Accept: */*"), "");
    assert_string_equal(since(warc, packed, two, "If-Modified-Since: a day"),
                        "2001-09-09T01:50:00Z http://a.example/2");
    assert_string_equal(since(warc, packed, two, "If-Modified-Since: another"), "");
    /* its body is that of another: it is found there */
    assert_string_equal(since(warc, packed, three, "If-None-Match: \"c\""),
                        "2001-09-09T01:48:20Z http://a.example/1");
    assert_string_equal(
        since(warc, packed, three, "If-None-Match: \"d\"\r\nIf-Modified-Since: a day"), "");
    assert_string_equal(since(warc, packed, "http://a.example/4", "If-None-Match: \"b\""), "");
}

TEST(what_is_not_modified_refers_to_the_answer_that_it_was_asked_about)
{
    EACH(packed)
    {
        struct warc warc;
        struct warc_mark mark;
        choose(packed);
        assert_int_equal(open_it(&warc, NULL), 0);
        make_versions(&warc);
        check_versions(&warc, packed);
        warc_mark(&warc, &mark);
        warc_close(&warc);
        assert_int_equal(open_it(&warc, &mark), 0); /* from the index, in whatever order */
        check_versions(&warc, packed);
        assert_int_equal(warc_sort(&warc), 0);
        warc_mark(&warc, &mark);
        warc_close(&warc);
        assert_int_equal(open_it(&warc, &mark), 0);
        check_versions(&warc, packed);
        warc_close(&warc);
    }
}

TEST(what_is_not_modified_is_found_also_if_the_server_ends_its_lines_otherwise)
{
    static const char *const heads[] = {"HTTP/1.1 200 OK\nETag: \"b\"\n\n",
                                        "HTTP/1.1 200 OK\nETag: \"b\"\n\r\n",
                                        "HTTP/1.1 200 OK\r\nETag: \"b\"\n\n"};
    const char *url = "http://a.example/1";
    EACH(packed)
    {
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
            struct warc warc;
            choose(packed);
            assert_int_equal(open_it(&warc, NULL), 0);
            struct warc_exchange exchange = exchange_of(url, "body");
            exchange.head = weft_text_of(heads[i]);
            assert_int_equal(warc_put(&warc, &exchange), 0);
            assert_string_equal(since(&warc, packed, url, "If-None-Match: \"b\""),
                                "2001-09-09T01:46:40Z http://a.example/1");
            warc_close(&warc);
        }
    }
}

/* As somebody's own file, or the remains of one who was killed. */
static void take_names(int count)
{
    for (int i = 1; i <= count; i++) {
        char name[SCRATCH_PATH + 16];
        snprintf(name, sizeof name, "%s.%d", path, i);
        write_file(name, "x", 1);
    }
}

TEST(a_body_may_be_a_file)
{
    enum { LARGE = 700000, TAKEN = 9 };
    char file[SCRATCH_PATH], *body = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        body[i] = (char)(i * i >> 3);
    write_file(scratch_path(file, "body"), body, LARGE);
    EACH(packed)
    {
        struct warc warc;
        char *data;
        size_t size;
        choose(packed);
        assert_int_equal(open_it(&warc, NULL), 0);
        take_names(TAKEN);
        struct warc_exchange it = exchange_of("http://a.example/large", "");
        it.body = NULL;
        it.body_fd = open(file, O_RDONLY);
        it.body_size = LARGE;
        assert_int_equal(warc_put(&warc, &it), 0);
        assert_int_equal(warc_get(&warc, it.place, LARGE + 1000, &data, &size), 0);
        assert_int_equal(size, LARGE);
        assert_memory_equal(data, body, LARGE);
        weft_free(data);
        it.body_size++; /* it is shorter than that: nothing of it is left */
        uint64_t end = warc.end;
        assert_int_equal(warc_put(&warc, &it), UV_EIO);
        assert_true(warc.end == end && size_of(path) == end);
        close(it.body_fd);
        warc_close(&warc);
        types_are(packed, "wqa");
    }
    free(body);
}

/* ---- by several threads --------------------------------------------------------------------- */

enum { THREADS = 4, EACH_PUTS = 50 };

static void put_many(void *context)
{
    struct warc *warc = context;
    for (int i = 0; i < EACH_PUTS; i++) {
        char body[64];
        snprintf(body, sizeof body, "body %d of %p", i, (void *)&body);
        put(warc, "http://a.example/", body);
    }
}

TEST(several_threads_write_without_being_in_each_others_way)
{
    EACH(packed)
    {
        struct warc warc;
        uv_thread_t threads[THREADS];
        char types[THREADS * EACH_PUTS * 2 + 8];
        choose(packed);
        assert_int_equal(open_it(&warc, NULL), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(uv_thread_create(&threads[i], put_many, &warc), 0);
        for (int i = 0; i < THREADS; i++)
            uv_thread_join(&threads[i]);
        warc_close(&warc);
        types_of(path, packed, types, sizeof types);
        assert_int_equal(strlen(types), 1 + THREADS * EACH_PUTS * 2);
    }
}

/* ---- gone on with --------------------------------------------------------------------------- */

struct made {
    struct warc_mark mark;
    char *data, *lines;
    size_t size, lines_size;
};

/* Two answers, the mark, four more; all of it in memory, to be cut. */
enum { MADE = 6 };

static void make_four_more(struct made *made, bool packed)
{
    struct warc warc;
    choose(packed);
    assert_int_equal(open_it(&warc, NULL), 0);
    put(&warc, "http://a.example/1", "one");
    put(&warc, "http://a.example/2", "two");
    warc_mark(&warc, &made->mark);
    put(&warc, "http://a.example/3", "three");
    put(&warc, "http://a.example/4", "one");
    put_unmodified(&warc, "http://a.example/5");
    put(&warc, "http://a.example/6", "six");
    warc_close(&warc);
    made->data = contents(path, &made->size);
    made->lines = contents(index_path, &made->lines_size);
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

/* Whatever is there: after it was opened both agree, and it can be written on. */
static size_t go_on(const struct made *made, bool packed)
{
    struct warc warc;
    char types[64] = "";
    size_t size;
    assert_int_equal(open_it(&warc, &made->mark), 0);
    put(&warc, "http://a.example/new", "two");
    warc_close(&warc);
    types_of(path, packed, types, sizeof types);
    size_t answers = 0, used = strlen(types);
    for (size_t i = 0; i < used; i++)
        answers += types[i] == 'a' || types[i] == 'v';
    assert_string_equal(types + used - 3, "wqv"); /* "two" was there before */
    char *lines = contents(index_path, &size);
    assert_int_equal(count_lines(lines, size), answers);
    free(lines);
    return answers - 1;
}

TEST(an_archive_that_is_cut_off_anywhere_is_gone_on_with)
{
    EACH(packed)
    {
        struct made made;
        make_four_more(&made, packed);
        size_t before = 2;
        for (size_t size = made.mark.end; size <= made.size; size++) {
            write_file(path, made.data, size);
            write_file(index_path, made.lines, made.lines_size);
            size_t answers = go_on(&made, packed);
            assert_true(answers == before || answers == before + 1);
            before = answers;
        }
        assert_int_equal(before, MADE);
        free(made.data);
        free(made.lines);
    }
}

TEST(a_record_that_the_index_does_not_have_is_cut_off)
{
    EACH(packed)
    {
        struct made made;
        make_four_more(&made, packed);
        for (size_t size = made.mark.index_end; size <= made.lines_size; size++) {
            write_file(path, made.data, made.size);
            write_file(index_path, made.lines, size);
            assert_int_equal(go_on(&made, packed), count_lines(made.lines, size));
        }
        free(made.data);
        free(made.lines);
    }
}

TEST(what_a_power_failure_leaves_behind_is_cut_off)
{
    EACH(packed)
    {
        struct made made;
        make_four_more(&made, packed);
        for (size_t at = made.mark.end; at < made.size; at += 7) {
            char *data = malloc(made.size);
            memcpy(data, made.data, made.size);
            memset(data + at, 0, made.size - at < 5 ? made.size - at : 5);
            write_file(path, data, made.size);
            write_file(index_path, made.lines, made.lines_size);
            size_t answers = go_on(&made, packed);
            /* In the frame of what is packed are bytes that mean nothing. */
            assert_true(answers >= 2 && (packed ? answers <= MADE : answers < MADE));
            free(data);
        }
        free(made.data);
        free(made.lines);
    }
}

TEST(an_archive_that_is_shorter_than_its_mark_is_damaged)
{
    EACH(packed)
    {
        struct made made;
        struct warc warc;
        make_four_more(&made, packed);
        write_file(path, made.data, made.mark.end - 1);
        assert_int_equal(open_it(&warc, &made.mark), WEFT_EDAMAGED);
        assert_int_equal(size_of(path), made.mark.end - 1);
        write_file(path, made.data, made.size);
        write_file(index_path, made.lines, made.mark.index_end - 1);
        assert_int_equal(open_it(&warc, &made.mark), WEFT_EDAMAGED);
        assert_int_equal(size_of(path), made.size);
        free(made.data);
        free(made.lines);
    }
}

TEST(the_archive_of_another_is_left_alone)
{
    EACH(packed)
    {
        struct made made;
        struct warc warc;
        struct warc_mark none = {0}, other;
        make_four_more(&made, packed);
        other = made.mark;
        other.id[12] = other.id[12] == '0' ? '1' : '0';
        assert_int_equal(open_it(&warc, NULL), UV_EEXIST);
        assert_int_equal(open_it(&warc, &none), UV_EEXIST);
        assert_int_equal(open_it(&warc, &other), UV_EEXIST);
        write_file(path, "mine", 4);
        assert_int_equal(open_it(&warc, &made.mark), UV_EEXIST);
        scratch_equals(path, "mine");
        unlink(path);
        assert_int_equal(open_it(&warc, NULL), UV_EEXIST); /* there is an index */
        assert_false(scratch_exists(path));
        free(made.data);
        free(made.lines);
    }
}

TEST(a_mark_is_a_line_of_text)
{
    struct warc_mark mark = {"urn:uuid:x", 12, 13}, again;
    char text[WARC_MARK];
    warc_mark_show(&mark, text);
    assert_true(warc_mark_read(weft_text_of(text), &again));
    assert_string_equal(again.id, mark.id);
    assert_true(again.end == 12 && again.index_end == 13);
    assert_false(warc_mark_read(weft_text(NULL, 0), &again));
    assert_false(warc_mark_read(weft_text_of("x 1"), &again));
}

/* ---- in order ------------------------------------------------------------------------------- */

TEST(the_index_is_put_in_order_however_long_it_is)
{
    enum { LINES = 100000, ROOM = 220 }; /* more than fit into one piece */
    struct warc warc;
    choose(false);
    assert_int_equal(open_it(&warc, NULL), 0);
    FILE *file = fopen(index_path, "w");
    for (unsigned i = 0; i < LINES; i++)
        fprintf(file, "%08x %*s\n", i * 2654435761u, (int)(i % ROOM), "x");
    fclose(file);
    size_t size = size_of(index_path);
    assert_int_equal(warc_sort(&warc), 0);
    assert_int_equal(size_of(index_path), size);
    file = fopen(index_path, "r");
    unsigned last = 0, count = 0, key;
    char line[512];
    for (; fgets(line, sizeof line, file) != NULL; count++) {
        assert_int_equal(sscanf(line, "%8x", &key), 1);
        assert_true(key > last || count == 0);
        last = key;
    }
    fclose(file);
    assert_int_equal(count, LINES);
    assert_int_equal(warc_sort(&warc), 0); /* nothing to do */
    warc_close(&warc);
}

/* ---- without memory ------------------------------------------------------------------------- */

static bool packs;

static void one_life(unsigned long n)
{
    struct warc warc = {0};
    struct warc_mark mark = {0};
    char *data;
    size_t size;
    (void)n;
    choose(packs);
    int err = open_it(&warc, NULL);
    struct warc_exchange one = exchange_of("http://b.example/1", "body"),
                         same = exchange_of("http://a.example/2", "body");
    if (err == 0)
        err = warc_put(&warc, &one);
    if (err == 0)
        err = warc_put(&warc, &same);
    if (err == 0)
        warc_mark(&warc, &mark);
    if (err == 0)
        err = warc_sort(&warc);
    warc_close(&warc);
    if (err == 0)
        err = open_it(&warc, &mark);
    if (err == 0)
        err = warc_get(&warc, one.place, 1000, &data, &size);
    if (err == 0)
        weft_free(data);
    warc_close(&warc);
    assert_true(err == 0 || err == UV_ENOMEM);
}

TEST(an_archive_survives_running_out_of_memory)
{
    fault_ladder(one_life);
    assert_true(fault_ladder_height() > 15);
    packs = true;
    fault_ladder(one_life);
    assert_true(fault_ladder_height() > 20);
}
