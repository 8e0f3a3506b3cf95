/* The texts of an archive: digests, keys, heads that fit, lines of the index.
 * ctest: labels=valgrind-long */
#include "check.h"
#include "warc/inside.h"
#include "warc/surt.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- SHA-1 ---------------------------------------------------------------------------------- */

static void digest_is(const struct sha1 *begun, const char *hex)
{
    struct sha1 sha1 = *begun;
    unsigned char digest[SHA1_SIZE];
    char text[2 * SHA1_SIZE + 1];
    sha1_end(&sha1, digest);
    for (size_t i = 0; i < SHA1_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, hex);
}

TEST(sha1_gives_the_digests_of_its_standard)
{
    static const struct {
        const char *text, *digest;
        unsigned times;
    } cases[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709", 1},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d", 1},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1", 1},
        {"a", "34aa973cd4c4daa4f61eeb2bdbad27316534016f", 1000000},
        {"0123456701234567012345670123456701234567012345670123456701234567",
         "dea356a2cddd90c7a7ecedc5ebb563934f460452", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sha1 sha1;
        sha1_begin(&sha1);
        for (unsigned k = 0; k < cases[i].times; k++)
            sha1_add(&sha1, cases[i].text, strlen(cases[i].text));
        digest_is(&sha1, cases[i].digest);
    }
}

TEST(sha1_is_the_same_however_a_text_is_cut)
{
    unsigned char data[300], whole[SHA1_SIZE], parts[SHA1_SIZE];
    struct sha1 sha1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t size = 0; size <= sizeof data; size++) {
        sha1_begin(&sha1);
        sha1_add(&sha1, data, size);
        sha1_end(&sha1, whole);
        for (size_t cut = 0; cut <= size; cut += 13) {
            sha1_begin(&sha1);
            sha1_add(&sha1, data, cut);
            sha1_add(&sha1, data + cut, size - cut);
            sha1_end(&sha1, parts);
            assert_memory_equal(whole, parts, SHA1_SIZE);
        }
    }
}

TEST(digests_are_shown_in_base32_and_read_again)
{
    unsigned char digest[SHA1_SIZE], again[SHA1_SIZE];
    char text[SHA1_TEXT];
    for (size_t i = 0; i < SHA1_SIZE; i++)
        digest[i] = (unsigned char)(i * 13 + 200);
    sha1_show(digest, text);
    assert_true(sha1_read(text, strlen(text), again));
    assert_memory_equal(digest, again, SHA1_SIZE);
    warc_digest(weft_text(NULL, 0), text);
    assert_string_equal(text, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    assert_false(sha1_read(text, strlen(text) - 1, again));
    assert_false(sha1_read(NULL, 0, again));
    text[7] = '1'; /* there is none in base32 */
    assert_false(sha1_read(text, strlen(text), again));
}

/* ---- keys ----------------------------------------------------------------------------------- */

TEST(a_key_has_the_host_from_its_end)
{
    static const char *const cases[][2] = {
        {"http://example.org/", "org,example)/"},
        {"http://example.org", "org,example)/"},
        {"https://www.Example.org:443/A/B.html", "org,example)/a/b.html"},
        {"http://www2.example.org:8080/a/", "org,example:8080)/a"},
        {"http://www.example.org:443/", "org,example:443)/"},
        {"http://wwwx.example.org/#top", "org,example,wwwx)/"},
        {"http://www./", ",www)/"},
        {"http://127.0.0.1:80/?b=2&a=1&B=1", "1,0,0,127)/?a=1&b=1&b=2"},
        {"http://example.org/a/?x", "org,example)/a?x"},
        {"http://example.org/a?", "org,example)/a"},
        {"http://[::1]:8080/a", "[::1]:8080)/a"},
        {"mailto:Somebody", "mailto:somebody"},
        {"", ""},
        {"http://a b/ c", "ab)/c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct warc_buffer key = {0};
        warc_add_surt(&key, weft_text_of(cases[i][0]));
        warc_add(&key, "", 1);
        assert_string_equal(key.data, cases[i][1]);
        warc_buffer_free(&key);
    }
}

/* ---- heads ---------------------------------------------------------------------------------- */

static void fits(const char *head, uint64_t size, bool cut, const char *expected)
{
    struct warc_buffer out = {0};
    warc_add_head(&out, weft_text_of(head), size, cut);
    warc_add(&out, "", 1);
    assert_string_equal(out.data, expected);
    warc_buffer_free(&out);
}

TEST(a_head_does_not_say_what_is_not_so_of_the_body_that_is_kept)
{
    fits("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 5, false,
         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    fits("HTTP/1.1 200 OK\r\ncontent-length:  7\r\ncontent-ENCODING: gzip\r\nA: b\r\n\r\n", 5,
         false,
         "HTTP/1.1 200 OK\r\nX-Archive-Orig-content-length:  7\r\n"
         "X-Archive-Orig-content-ENCODING: gzip\r\nA: b\r\n\r\n");
    fits("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", 5, false,
         "HTTP/1.1 200 OK\nX-Archive-Orig-Transfer-Encoding: chunked\n\n");
    fits("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", 5, false,
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n");
    fits("HTTP/1.1 404 No\r\nContent-Length: 7\r\n\r\n", 5, true,
         "HTTP/1.1 404 No\r\nContent-Length: 7\r\n\r\n");
}

/* ---- lines ---------------------------------------------------------------------------------- */

TEST(a_line_of_the_index_is_read_as_it_was_written)
{
    struct warc_exchange exchange = {.url = weft_text_of("http://a.example/\"x\\?é"),
                                     .media_type = weft_text_of("text/html; charset=utf-8"),
                                     .status = 200,
                                     .date = 86399};
    struct warc_buffer line = {0};
    struct warc_line read;
    char digest[SHA1_TEXT];
    warc_digest(weft_text_of("abc"), digest);
    warc_line_begin(&line, &exchange, digest);
    warc_line_end(&line, 12345678901, 77, "a \"b\" \xe9.warc");
    warc_add(&line, "", 1);
    assert_string_equal(
        line.data,
        "example,a)/\"x\\?\xc3\xa9 19700101235959 {\"url\": "
        "\"http://a.example/\\\"x\\\\?\xc3\xa9\", \"mime\": \"text/html\", \"status\": "
        "\"200\", \"digest\": \"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\", \"length\": \"77\", "
        "\"offset\": \"12345678901\", \"filename\": \"a \\\"b\\\" \\u00e9.warc\"}\n");
    assert_true(warc_line_read(line.data, &read));
    assert_true(read.offset == 12345678901 && read.length == 77 && read.has_body);
    for (size_t size = 0; size < line.used - 1; size++) { /* no part of it is one */
        char *part = strndup(line.data, size);
        assert_false(warc_line_read(part, &read));
        free(part);
    }
    warc_buffer_free(&line);
}

/* ---- what was there before ------------------------------------------------------------------ */

static void numbered(unsigned number, unsigned char digest[SHA1_SIZE])
{
    struct sha1 sha1;
    sha1_begin(&sha1);
    sha1_add(&sha1, &number, sizeof number);
    sha1_end(&sha1, digest);
}

TEST(bodies_are_remembered_and_the_oldest_forgotten)
{
    enum { FEW = 5000, MANY = 600000, LAST = 50000 };
    struct warc_seen seen = {0};
    unsigned char digest[SHA1_SIZE];
    uint64_t place;
    unsigned found = 0;
    numbered(1, digest);
    assert_false(seen_find(&seen, digest, &place));
    for (unsigned i = 0; i < MANY; i++) {
        numbered(i, digest);
        seen_add(&seen, digest, i);
        assert_true(seen_find(&seen, digest, &place));
        assert_true(place == i);
        if (i != FEW)
            continue;
        for (unsigned k = 0; k <= FEW; k++) { /* up to here none is forgotten */
            numbered(k, digest);
            assert_true(seen_find(&seen, digest, &place) && place == k);
        }
    }
    assert_true(seen.sets == SEEN_SETS_MAX);
    for (unsigned i = MANY - LAST; i < MANY; i++) {
        numbered(i, digest);
        found += seen_find(&seen, digest, &place) && place == i;
    }
    assert_true(found > LAST / 100 * 98); /* some sets are fuller than others */
    seen_free(&seen);
}
