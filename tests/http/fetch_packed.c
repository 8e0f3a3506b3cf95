/* Packed answers: gzip, deflate, br and zstd, what is none of them, and small ones that unpack to
 * very large ones.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"
#include "http/client/curl.h"
#include <sys/resource.h>

static struct scene scene;

/* One text, packed by the tools that everybody uses. */
static const char plain[] = "the quick brown fox jumps over the lazy dog, and the lazy dog lets "
                            "the quick brown fox jump\n";
static const unsigned char as_br[] = {
    0x1b, 0x5b, 0x00, 0xa0, 0x8c, 0x94, 0x6e, 0xe6, 0x22, 0xd0, 0x83, 0x75, 0x25, 0xad,
    0x07, 0xae, 0x68, 0x04, 0xe4, 0x1b, 0x5a, 0x18, 0xa8, 0x72, 0xc9, 0x80, 0x71, 0x4d,
    0x06, 0x07, 0xb9, 0xef, 0x20, 0x72, 0xf0, 0x90, 0x95, 0xac, 0xc0, 0x84, 0xdf, 0x1c,
    0xd8, 0x41, 0x44, 0x95, 0xa5, 0xc2, 0x36, 0x06, 0x4f, 0xf5, 0x87, 0xcb, 0xf7, 0x44,
    0x30, 0x69, 0x8a, 0xc4, 0x40, 0x55, 0x65, 0x59, 0x61, 0x0c};
static const unsigned char as_zstd[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x5c, 0x15, 0x02, 0x00, 0x64, 0x03, 0x74, 0x68, 0x65, 0x20, 0x71,
    0x75, 0x69, 0x63, 0x6b, 0x20, 0x62, 0x72, 0x6f, 0x77, 0x6e, 0x20, 0x66, 0x6f, 0x78, 0x20, 0x6a,
    0x75, 0x6d, 0x70, 0x73, 0x20, 0x6f, 0x76, 0x65, 0x72, 0x20, 0x74, 0x68, 0x65, 0x20, 0x6c, 0x61,
    0x7a, 0x79, 0x20, 0x64, 0x6f, 0x67, 0x2c, 0x20, 0x61, 0x6e, 0x64, 0x20, 0x6c, 0x65, 0x74, 0x73,
    0x0a, 0x03, 0x00, 0x46, 0xa0, 0x00, 0x08, 0x1a, 0xea, 0x98, 0x50, 0x2b, 0x8b, 0xa3, 0xff};
static const unsigned char as_deflate[] = {
    0x78, 0x9c, 0x2b, 0xc9, 0x48, 0x55, 0x28, 0x2c, 0xcd, 0x4c, 0xce, 0x56, 0x48, 0x2a,
    0xca, 0x2f, 0xcf, 0x53, 0x48, 0xcb, 0xaf, 0x50, 0xc8, 0x2a, 0xcd, 0x2d, 0x28, 0x56,
    0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28, 0xc9, 0x48, 0x55, 0xc8, 0x49, 0xac, 0xaa, 0x54,
    0x48, 0xc9, 0x4f, 0xd7, 0x51, 0x48, 0xcc, 0x4b, 0x41, 0x11, 0x51, 0xc8, 0x49, 0x2d,
    0x29, 0x06, 0x8b, 0x60, 0x33, 0x82, 0x0b, 0x00, 0x15, 0x12, 0x21, 0x25};
static const unsigned char as_raw_deflate[] = {
    0x2b, 0xc9, 0x48, 0x55, 0x28, 0x2c, 0xcd, 0x4c, 0xce, 0x56, 0x48, 0x2a, 0xca, 0x2f, 0xcf, 0x53,
    0x48, 0xcb, 0xaf, 0x50, 0xc8, 0x2a, 0xcd, 0x2d, 0x28, 0x56, 0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28,
    0xc9, 0x48, 0x55, 0xc8, 0x49, 0xac, 0xaa, 0x54, 0x48, 0xc9, 0x4f, 0xd7, 0x51, 0x48, 0xcc, 0x4b,
    0x41, 0x11, 0x51, 0xc8, 0x49, 0x2d, 0x29, 0x06, 0x8b, 0x60, 0x33, 0x82, 0x0b, 0x00};
static const unsigned char as_gzip[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0xc9, 0x48, 0x55, 0x28, 0x2c,
    0xcd, 0x4c, 0xce, 0x56, 0x48, 0x2a, 0xca, 0x2f, 0xcf, 0x53, 0x48, 0xcb, 0xaf, 0x50, 0xc8, 0x2a,
    0xcd, 0x2d, 0x28, 0x56, 0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28, 0xc9, 0x48, 0x55, 0xc8, 0x49, 0xac,
    0xaa, 0x54, 0x48, 0xc9, 0x4f, 0xd7, 0x51, 0x48, 0xcc, 0x4b, 0x41, 0x11, 0x51, 0xc8, 0x49, 0x2d,
    0x29, 0x06, 0x8b, 0x60, 0x33, 0x82, 0x0b, 0x00, 0x5e, 0xc7, 0x6a, 0x1b, 0x5c, 0x00, 0x00, 0x00};

/* 64 MiB of zeros. */
static const unsigned char bomb_br[] = {
    0xcf, 0xff, 0xff, 0x7f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x9f,
    0xff, 0xff, 0xff, 0xf0, 0x4f, 0x00, 0xc4, 0x61, 0x01, 0x80, 0xee, 0xfd, 0x3f, 0xff,
    0xff, 0xff, 0xe1, 0x9f, 0x00, 0x88, 0xc3, 0x22, 0x00, 0xdd, 0xfb, 0xff, 0xfc, 0xff,
    0xff, 0xc7, 0x3f, 0x01, 0x10, 0x87, 0x05, 0x00, 0xba, 0xf7, 0xff};

struct packed {
    const char *encoding;
    const void *bytes;
    size_t size;
};

#define PACKED(encoding, bytes)                                                                    \
    {                                                                                              \
        encoding, bytes, sizeof bytes                                                              \
    }

static const struct packed texts[] = {
    PACKED("gzip", as_gzip), PACKED("deflate", as_deflate), PACKED("deflate", as_raw_deflate),
    PACKED("br", as_br),     PACKED("zstd", as_zstd),
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Can the curl that is here unpack it? br and zstd are left out of some. */
static bool in_curl(const char *encoding)
{
    assert_int_equal(weft__http_curl_load(NULL), 0);
    int features = curl_version_info(CURLVERSION_NOW)->features;
    if (strcmp(encoding, "br") == 0)
        return features & CURL_VERSION_BROTLI;
    return strcmp(encoding, "zstd") != 0 || features & CURL_VERSION_ZSTD;
}

/* Can it be unpacked if nothing in particular was asked for? Without curl there is no br or zstd. */
static bool known(const char *encoding)
{
    bool zlib = strcmp(encoding, "gzip") == 0 || strcmp(encoding, "deflate") == 0;
    return zlib || (!is_direct() && in_curl(encoding));
}

static struct packed reply;

static void say_head(struct peer *peer)
{
    char head[200];
    snprintf(head, sizeof head,
             "HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %zu\r\n\r\n",
             reply.encoding, reply.size);
    say_text(peer, head);
}

static void say_packed(struct peer *peer)
{
    say_head(peer);
    say(peer, reply.bytes, reply.size);
}

static void ask(struct weft_http_fetch *fetch, const char *encoding, const void *bytes, size_t size)
{
    reply = (struct packed){encoding, bytes, size};
    get_and_wait(&scene, fetch, "/");
}

/* ---- what is well packed -------------------------------------------------------------------- */

TEST(a_packed_answer_is_unpacked_if_that_was_asked_for)
{
    scene_up(&scene, say_packed);
    for (size_t i = 0; i < TEXTS; i++) {
        struct weft_http_fetch fetch = {.accept_encoding = ""};
        if (!known(texts[i].encoding))
            continue; /* it would be a failure, as in the tests below */
        ask(&fetch, texts[i].encoding, texts[i].bytes, texts[i].size);
        assert_int_equal(fetch.op.status, 0);
        assert_string_equal(fetch.body, plain);
        assert_int_equal(fetch.received, sizeof plain - 1);
        assert_true(fetch.wire_received > texts[i].size);
        text_is(weft_http_fetch_get(&fetch, "Content-Encoding"), texts[i].encoding);
        weft_http_fetch_free(&fetch);
    }
    scene_down(&scene);
}

TEST(it_is_left_packed_if_not)
{
    scene_up(&scene, say_packed);
    for (size_t i = 0; i < TEXTS; i++) {
        struct weft_http_fetch fetch = {0};
        ask(&fetch, texts[i].encoding, texts[i].bytes, texts[i].size);
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.body_size, texts[i].size);
        assert_memory_equal(fetch.body, texts[i].bytes, texts[i].size);
        weft_http_fetch_free(&fetch);
    }
    scene_down(&scene);
}

/* ---- gzip of several members ---------------------------------------------------------------- */

/* Nothing, as gzip packs it. */
static const unsigned char empty_gzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00,
                                           0x00, 0x00, 0x03, 0x03, 0x00, 0x00, 0x00,
                                           0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

/* A byte a chunk: each may be the last that is there for now. */
static void say_packed_by_bytes(struct peer *peer)
{
    char chunk[8];
    const unsigned char *bytes = reply.bytes;
    say_text(peer,
             "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (size_t i = 0; i < reply.size; i++) {
        memcpy(chunk, "1\r\n.\r\n", 6);
        chunk[3] = (char)bytes[i];
        say(peer, chunk, 6);
    }
    say_text(peer, "0\r\n\r\n");
}

static size_t join(unsigned char *all, size_t used, const void *bytes, size_t size)
{
    memcpy(all + used, bytes, size);
    return used + size;
}

static void unpacks_to_three(const void *bytes, size_t size)
{
    char wanted[3 * sizeof plain];
    struct weft_http_fetch fetch = {.accept_encoding = ""};
    ask(&fetch, "gzip", bytes, size);
    assert_int_equal(fetch.op.status, 0);
    snprintf(wanted, sizeof wanted, "%s%s%s", plain, plain, plain);
    assert_string_equal(fetch.body, wanted);
    weft_http_fetch_free(&fetch);
}

/* curl takes what is behind the first for rubbish. */
TEST(members_of_gzip_are_one_body)
{
    unsigned char all[4 * sizeof as_gzip];
    size_t size = 0;
    if (!is_direct())
        skip();
    for (int i = 0; i < 3; i++) {
        size = join(all, size, as_gzip, sizeof as_gzip);
        size = join(all, size, empty_gzip, sizeof empty_gzip);
    }
    scene_up(&scene, say_packed);
    unpacks_to_three(all, size);
    scene_down(&scene);
    scene_up(&scene, say_packed_by_bytes);
    unpacks_to_three(all, size);
    scene_down(&scene);
}

static void say_what_was_asked(struct peer *peer)
{
    const char *line = strstr(peer->request, "Accept-Encoding: ");
    answer(peer, "%.*s", line != NULL ? (int)strcspn(line, "\r") : 0, line != NULL ? line : "");
}

TEST(the_server_is_told_what_can_be_unpacked)
{
    static const char *const encodings[] = {"gzip", "deflate", "br", "zstd"};
    struct weft_http_fetch fetch = {.accept_encoding = ""};
    scene_up(&scene, say_what_was_asked);
    get_and_wait(&scene, &fetch, "/");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(strstr(fetch.body, encodings[i]) != NULL, known(encodings[i]));
    weft_http_fetch_free(&fetch);
    fetch.accept_encoding = "br, gzip;q=0.5";
    get_and_wait(&scene, &fetch, "/");
    assert_string_equal(fetch.body, "Accept-Encoding: br, gzip;q=0.5");
    weft_http_fetch_free(&fetch);
    fetch.accept_encoding = NULL;
    get_and_wait(&scene, &fetch, "/");
    assert_string_equal(fetch.body, "");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* ---- what is not ---------------------------------------------------------------------------- */

static void cannot_be_unpacked(const char *encoding, const void *bytes, size_t size)
{
    struct weft_http_fetch fetch = {.accept_encoding = ""};
    ask(&fetch, encoding, bytes, size);
    failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_BAD_ENCODING,
                "cannot be unpacked");
    assert_int_equal(fetch.status, 200);
    weft_http_fetch_free(&fetch);
}

TEST(what_is_not_packed_as_it_says_is_told)
{
    scene_up(&scene, say_packed);
    for (size_t i = 0; i < TEXTS; i++)
        cannot_be_unpacked(texts[i].encoding, plain, sizeof plain - 1);
    cannot_be_unpacked("gzip", as_br, sizeof as_br);
    cannot_be_unpacked("deflate", as_gzip, sizeof as_gzip);
    cannot_be_unpacked("br", as_gzip, sizeof as_gzip);
    cannot_be_unpacked("zstd", as_gzip, sizeof as_gzip);
    cannot_be_unpacked("made-up", plain, sizeof plain - 1);
    scene_down(&scene);
}

/* br has no checksum, and neither has deflate without the frame that belongs around it. */
TEST(a_checksum_that_is_wrong_is_told)
{
    scene_up(&scene, say_packed);
    for (size_t i = 0; i < TEXTS; i++) {
        unsigned char broken[200];
        size_t from_end = strcmp(texts[i].encoding, "gzip") == 0 ? 8 : 4;
        if (texts[i].bytes == as_br || texts[i].bytes == as_raw_deflate)
            continue;
        memcpy(broken, texts[i].bytes, texts[i].size);
        broken[texts[i].size - from_end] ^= 1;
        cannot_be_unpacked(texts[i].encoding, broken, texts[i].size);
    }
    scene_down(&scene);
}

TEST(what_comes_after_the_end_is_told)
{
    scene_up(&scene, say_packed);
    for (size_t i = 0; i < TEXTS; i++) {
        unsigned char longer[200];
        memcpy(longer, texts[i].bytes, texts[i].size);
        memset(longer + texts[i].size, 'x', 14);
        cannot_be_unpacked(texts[i].encoding, longer, texts[i].size + 14);
    }
    scene_down(&scene);
}

TEST(a_member_that_is_no_whole_one_is_told)
{
    unsigned char all[2 * sizeof as_gzip];
    size_t size = join(all, 0, as_gzip, sizeof as_gzip);
    size = join(all, size, as_gzip, sizeof as_gzip);
    scene_up(&scene, say_packed);
    if (is_direct()) { /* curl does not look that far */
        cannot_be_unpacked("gzip", all, sizeof as_gzip + 1);
        cannot_be_unpacked("gzip", all, size - 1);
    }
    all[size - 8] ^= 1; /* its checksum */
    cannot_be_unpacked("gzip", all, size);
    all[sizeof as_gzip + 1] ^= 1; /* it begins like one, no more */
    cannot_be_unpacked("gzip", all, size);
    scene_down(&scene);
}

TEST(deflate_has_no_members)
{
    unsigned char all[2 * sizeof as_gzip];
    size_t size = join(all, 0, as_deflate, sizeof as_deflate);
    scene_up(&scene, say_packed);
    cannot_be_unpacked("deflate", all, join(all, size, as_gzip, sizeof as_gzip));
    cannot_be_unpacked("deflate", all, join(all, size, as_deflate, sizeof as_deflate));
    scene_down(&scene);
}

static void say_half_and_leave(struct peer *peer)
{
    say_head(peer);
    say(peer, reply.bytes, reply.size / 2);
    hang_up(peer);
}

TEST(what_is_cut_short_is_told)
{
    scene_up(&scene, say_half_and_leave);
    for (size_t i = 0; i < TEXTS; i++) {
        struct weft_http_fetch fetch = {.accept_encoding = ""};
        if (!known(texts[i].encoding))
            continue;
        ask(&fetch, texts[i].encoding, texts[i].bytes, texts[i].size);
        failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT,
                    "cut short");
        weft_http_fetch_free(&fetch);
    }
    scene_down(&scene);
}

/* ---- bombs ---------------------------------------------------------------------------------- */

static long most_memory(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; /* KiB */
}

/* It is stopped at the limit, and nothing like its size was ever needed. */
static void meets_the_limit(const char *encoding, const void *bytes, size_t size)
{
    struct weft_http_fetch fetch = {.accept_encoding = encoding, .body_max = 100000};
    scene_up(&scene, say_packed);
    long before = most_memory();
    ask(&fetch, encoding, bytes, size);
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_BODY, "too large");
    assert_true(fetch.received > 0 && fetch.received <= 100000);
    assert_true(most_memory() - before < 24 * 1024L); /* br has a window of 16 MiB */
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_bomb_in_br_meets_the_limit)
{
    if (!in_curl("br"))
        skip();
    meets_the_limit("br", bomb_br, sizeof bomb_br);
}

TEST(a_bomb_in_gzip_meets_the_limit)
{
    static char bomb[400000];
    FILE *from = popen("head -c 67108864 /dev/zero | gzip -1", "r");
    assert_non_null(from);
    size_t size = fread(bomb, 1, sizeof bomb, from);
    (void)pclose(from);
    assert_true(size > 1000 && size < sizeof bomb);
    meets_the_limit("gzip", bomb, size);
}

/* 64 MiB in blocks of 128 KiB that are one byte each, in the largest window that is accepted. */
TEST(a_bomb_in_zstd_meets_the_limit)
{
    static const char head[] = {'\x28', '\xb5', '\x2f', '\xfd', 0, '\x88'}, block[] = {2, 0, 16, 0};
    static char bomb[sizeof head + 512 * sizeof block];
    if (!in_curl("zstd"))
        skip();
    memcpy(bomb, head, sizeof head);
    for (size_t i = 0; i < 512; i++)
        memcpy(bomb + sizeof head + i * sizeof block, block, sizeof block);
    meets_the_limit("zstd", bomb, sizeof bomb);
}

/* ---- how many times as large ---------------------------------------------------------------- */

static uint64_t taken;

static int take(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch, (void)data;
    taken += size;
    return WEFT_FETCH_TAKEN;
}

/* 64 MiB out of 64 KB: a thousand times as much. */
static size_t make_bomb(char *bomb, size_t room)
{
    FILE *from = popen("head -c 67108864 /dev/zero | gzip -9 -n", "r");
    assert_non_null(from);
    size_t size = fread(bomb, 1, room, from);
    assert_int_equal(pclose(from), 0);
    assert_true(size > 1000 && size < room);
    return size;
}

TEST(what_unpacks_to_far_more_than_what_came_is_stopped_early)
{
    static char bomb[400000];
    struct weft_http_fetch fetch = {.accept_encoding = "", .on_body = take, .unpack_max = 100};
    size_t size = make_bomb(bomb, sizeof bomb);
    taken = 0;
    scene_up(&scene, say_packed);
    ask(&fetch, "gzip", bomb, size);
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_UNPACKED,
                "unpacks to far more");
    assert_true(taken <= 100 * (WEFT_FETCH_UNPACK_FREE + size));
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(what_is_large_by_itself_is_not)
{
    static char bomb[400000];
    struct weft_http_fetch fetch = {.accept_encoding = "", .on_body = take, .unpack_max = 2000};
    size_t size = make_bomb(bomb, sizeof bomb);
    taken = 0;
    scene_up(&scene, say_packed);
    ask(&fetch, "gzip", bomb, size);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(taken, 67108864);
    weft_http_fetch_free(&fetch);
    fetch =
        (struct weft_http_fetch){.on_body = take, .unpack_max = 1}; /* as it came, it is itself */
    taken = 0;
    ask(&fetch, "gzip", bomb, size);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(taken, size);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
