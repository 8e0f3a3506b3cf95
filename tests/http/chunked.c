/* Bodies in chunks: what is accepted, what is refused, and that pieces do not matter.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "decodings.h"
#include <stdio.h>

static struct decoding now;

static int answer(const char *bytes, size_t size)
{
    decoding_begin(&now);
    decoding_go_on(&now, bytes, size);
    if (size < 300 && !same_body_in_pieces(&now, bytes, size))
        fail_msg("pieces matter: %s", bytes);
    return now.status;
}

static void accepted(const char *bytes, const char *body)
{
    int status = answer(bytes, strlen(bytes));
    if (status != HTTP_DONE)
        fail_msg("%d: %s", status, bytes);
    assert_int_equal(now.used, strlen(bytes));
    assert_true(weft_text_is(weft_text(now.body, now.size), body));
}

static void refused(const char *bytes)
{
    int status = answer(bytes, strlen(bytes));
    if (status != -400)
        fail_msg("%d instead of -400: %s", status, bytes);
}

TEST(chunks_are_put_together)
{
    accepted("0\r\n\r\n", "");
    accepted("5\r\nhello\r\n0\r\n\r\n", "hello");
    accepted("1\r\na\r\n2\r\nbc\r\n00a\r\n0123456789\r\n000\r\n\r\n", "abc0123456789");
    accepted("A\r\n0123456789\r\nb\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a");
    accepted("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n");
}

TEST(what_follows_is_not_touched)
{
    assert_int_equal(answer(BYTES("1\r\nx\r\n0\r\n\r\nGET /")), HTTP_DONE);
    assert_int_equal(now.used, strlen("1\r\nx\r\n0\r\n\r\n"));
    size_t used = 0;
    struct weft_text part;
    assert_int_equal(weft__http_chunked(&now.chunked, BYTES("GET /"), &used, &part), HTTP_DONE);
    assert_int_equal(used, 0);
    assert_int_equal(part.size, 0);
}

TEST(less_is_not_enough)
{
    static const char *const begun[] = {"",
                                        "5",
                                        "5\r",
                                        "5\r\n",
                                        "5;",
                                        "5\r\nhel",
                                        "5\r\nhello\r",
                                        "5\r\nhello\r\n",
                                        "0\r",
                                        "0\r\n",
                                        "0\r\n\r",
                                        "0\r\nA",
                                        "0\r\nA: b\r\n"};
    for (size_t i = 0; i < sizeof begun / sizeof begun[0]; i++) {
        assert_int_equal(answer(begun[i], strlen(begun[i])), HTTP_MORE);
        assert_int_equal(now.used, strlen(begun[i]));
    }
}

TEST(a_size_is_hexadecimal_digits)
{
    refused("\r\n");
    refused("\r\n0\r\n\r\n");
    refused(";x\r\n");
    refused("x\r\n");
    refused("g\r\n");
    refused("0x5\r\nhello\r\n");
    refused("+5\r\nhello\r\n");
    refused("-5\r\nhello\r\n");
    refused(" 5\r\nhello\r\n");
    refused("5 \r\nhello\r\n");
    refused("5\t\r\nhello\r\n");
    refused("5 ;x\r\nhello\r\n");
    refused("5_0\r\nhello\r\n");
    refused("5,5\r\nhello\r\n");
    refused("\xb5\r\nhello\r\n");
}

TEST(a_size_has_at_most_16_digits_and_63_bits)
{
    assert_int_equal(answer(BYTES("7fffffffffffffff\r\n")), HTTP_MORE);
    assert_true(now.chunked.left == INT64_MAX);
    assert_int_equal(answer(BYTES("7FFFFFFFFFFFFFFF\r\n")), HTTP_MORE);
    accepted("0000000000000001\r\nx\r\n0000000000000000\r\n\r\n", "x");
    refused("8000000000000000\r\n");
    refused("ffffffffffffffff\r\n");
    refused("10000000000000000\r\n");
    refused("10000000000000001\r\n");
    refused("00000000000000001\r\nx\r\n");
    refused("00000000000000000\r\n\r\n");
}

TEST(lines_end_with_crlf)
{
    refused("5\nhello\r\n0\r\n\r\n");
    refused("5\rhello\r\n0\r\n\r\n");
    refused("5\r\rhello");
    refused("5\r\nhello0\r\n\r\n");
    refused("5\r\nhello\n0\r\n\r\n");
    refused("5\r\nhello\r0\r\n\r\n");
    refused("5\r\nhello!\r\n0\r\n\r\n");
    refused("5\r\nhello!\n0\r\n\r\n");
    refused("5\r\nhello\r!0\r\n\r\n");
    refused("5\r\nhell\r\n0\r\n\r\n");
    refused("0\n\r\n");
    refused("0\r\n\n");
    refused("0\r\n\rx");
    refused("5;x\nhello\r\n");
}

TEST(extensions_are_passed_over)
{
    accepted("5;a\r\nhello\r\n0;b=\"c;\\\"d\"\t e\xff\r\n\r\n", "hello");
    accepted("1;\r\nx\r\n0;;;\r\n\r\n", "x");
    refused("5;a\rb\r\nhello\r\n");
    refused("5;a\vb\r\nhello\r\n");
    refused("5;a\x7f\r\nhello\r\n");
    assert_int_equal(answer(BYTES("5;a\0\r\nhello\r\n")), -400);
}

TEST(trailers_are_fields_that_are_passed_over)
{
    accepted("0\r\nA: b\r\nC-d:\te\xff\r\nE:\r\n\r\n", "");
    refused("0\r\nA\r\n\r\n");
    refused("0\r\nA : b\r\n\r\n");
    refused("0\r\n: b\r\n\r\n");
    refused("0\r\n A: b\r\n\r\n");
    refused("0\r\nA: b\r\n c\r\n\r\n");
    refused("0\r\nA: b\n\r\n");
    refused("0\r\nA: b\rC: d\r\n\r\n");
    refused("0\r\nA: \x01\r\n\r\n");
    refused("0\r\nA: b\r!\r\n");
    refused("0\r\nA(: x\r\n\r\n");
}

TEST(extensions_and_trailers_are_bounded_together)
{
    static char bytes[3 * HTTP_CHUNKED_EXTRA_MAX];
    int most = HTTP_CHUNKED_EXTRA_MAX;
    for (int over = 0; over < 2; over++) {
        int size = snprintf(bytes, sizeof bytes, "0;%0*d\r\n\r\n", most + over, 1);
        assert_int_equal(answer(bytes, (size_t)size), over ? -400 : HTTP_DONE);
        size = snprintf(bytes, sizeof bytes, "0\r\nA:%0*d\r\n\r\n", most + over - 4, 1);
        assert_int_equal(answer(bytes, (size_t)size), over ? -400 : HTTP_DONE);
        size = snprintf(bytes, sizeof bytes, "1;%0*d\r\nx\r\n0;%0*d\r\nA:%0*d\r\n\r\n", 1000, 1,
                        2000, 1, most + over - 3004, 1);
        assert_int_equal(answer(bytes, (size_t)size), over ? -400 : HTTP_DONE);
    }
}

TEST(chunks_without_extensions_are_not_bounded)
{
    struct decoding d;
    decoding_begin(&d);
    for (int i = 0; i < 20000; i++) {
        d.size = 0;
        assert_int_equal(decoding_go_on(&d, BYTES("1\r\nx\r\n")), HTTP_MORE);
    }
    assert_int_equal(decoding_go_on(&d, BYTES("0\r\n\r\n")), HTTP_DONE);
}

TEST(a_large_chunk_is_given_out_as_it_comes)
{
    struct decoding d;
    decoding_begin(&d);
    assert_int_equal(decoding_go_on(&d, BYTES("100000\r\n")), HTTP_MORE);
    for (int i = 0; i < 0x100000 / 64; i++) {
        static const char block[64];
        d.size = 0;
        assert_int_equal(decoding_go_on(&d, block, sizeof block), HTTP_MORE);
        assert_int_equal(d.size, sizeof block);
    }
    d.size = 0;
    assert_int_equal(decoding_go_on(&d, BYTES("\r\n0\r\n\r\n")), HTTP_DONE);
    assert_int_equal(d.size, 0);
}
