/* Requests that one server in a chain understands differently from the next one: each is refused
 * here, however it is cut, and its legal neighbours are not.
 * ctest: shuffle=no */
#include "check.h"
#include "decodings.h"
#include "readings.h"

struct request {
    const char *name, *bytes;
    size_t size;
    int status;
};

#define POST "POST / HTTP/1.1\r\nHost: a\r\n"
#define CL "Content-Length: "
#define TE "Transfer-Encoding: "
#define CHUNKED POST TE "chunked\r\n\r\n"
#define LAST "\r\n\r\n0\r\n\r\n" /* the end of a head, and of a body behind it */
#define NEXT "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

/* clang-format off */
static const struct request refused[] = {
    /* two lengths */
    {"CL.TE", BYTES(POST CL "6\r\n" TE "chunked\r\n\r\n0\r\n\r\nG"), -400},
    {"TE.CL", BYTES(POST TE "chunked\r\n" CL "4" LAST NEXT), -400},
    {"CL.TE with CL 0", BYTES(POST CL "0\r\n" TE "chunked\r\n\r\n" NEXT), -400},
    {"CL.CL, different", BYTES(POST CL "0\r\n" CL "44\r\n\r\n" NEXT), -400},
    {"CL.CL, the same", BYTES(POST CL "3\r\n" CL "3\r\n\r\nabc"), -400},
    {"CL.CL, cases differ", BYTES(POST "content-length: 3\r\nCONTENT-LENGTH: 5\r\n\r\nab"), -400},
    {"CL list, the same", BYTES(POST CL "3, 3\r\n\r\nabc"), -400},
    {"CL list, different", BYTES(POST CL "3, 5\r\n\r\nabc"), -400},
    {"CL beside unknown TE", BYTES(POST CL "3\r\n" TE "gzip, chunked\r\n\r\nabc"), -501},
    {"CL beside TE identity", BYTES(POST CL "3\r\n" TE "identity\r\n\r\nabc"), -400},
    /* numbers that are none */
    {"CL plus", BYTES(POST CL "+3\r\n\r\nabc"), -400},
    {"CL minus", BYTES(POST CL "-3\r\n\r\nabc"), -400},
    {"CL minus zero", BYTES(POST CL "-0\r\n\r\n" NEXT), -400},
    {"CL hexadecimal", BYTES(POST CL "0x3\r\n\r\nabc"), -400},
    {"CL with a blank inside", BYTES(POST CL "1 2\r\n\r\nabc"), -400},
    {"CL with a fraction", BYTES(POST CL "3.0\r\n\r\nabc"), -400},
    {"CL with an exponent", BYTES(POST CL "1e1\r\n\r\nabc"), -400},
    {"CL with an underscore", BYTES(POST CL "1_0\r\n\r\nabc"), -400},
    {"CL with a semicolon", BYTES(POST CL "3;\r\n\r\nabc"), -400},
    {"CL quoted", BYTES(POST CL "\"3\"\r\n\r\nabc"), -400},
    {"CL empty", BYTES(POST "Content-Length:\r\n\r\nabc"), -400},
    {"CL blank", BYTES(POST CL " \r\n\r\nabc"), -400},
    {"CL of 2^63", BYTES(POST CL "9223372036854775808\r\n\r\n"), -400},
    {"CL of 2^64", BYTES(POST CL "18446744073709551616\r\n\r\n"), -400},
    {"CL of 2^64+3", BYTES(POST CL "18446744073709551619\r\n\r\nabc"), -400},
    {"CL in Arabic digits", BYTES(POST CL "\xd9\xa3\r\n\r\nabc"), -400},
    {"CL with a no-break space", BYTES(POST CL "\xa0" "3\r\n\r\nabc"), -400},
    {"CL with a form feed", BYTES(POST CL "\f3\r\n\r\nabc"), -400},
    {"CL with a NUL", BYTES(POST CL "3\0" "0\r\n\r\nabc"), -400},
    /* codings that hide */
    {"TE xchunked", BYTES(POST TE "xchunked" LAST), -400},
    {"TE chunked x", BYTES(POST TE "chunked x" LAST), -400},
    {"TE with a parameter", BYTES(POST TE "chunked;q=1" LAST), -400},
    {"TE with a vertical tab", BYTES(POST TE "\x0b" "chunked" LAST), -400},
    {"TE with a form feed behind", BYTES(POST TE "chunked\f" LAST), -400},
    {"TE with a NUL", BYTES(POST TE "chunked\0" LAST), -400},
    {"TE with a no-break space", BYTES(POST TE "\xa0" "chunked" LAST), -400},
    {"TE with a byte order mark", BYTES(POST TE "\xef\xbb\xbf" "chunked" LAST), -400},
    {"TE quoted", BYTES(POST TE "\"chunked\"" LAST), -400},
    {"TE in single quotes", BYTES(POST TE "'chunked'" LAST), -400},
    {"TE with a comma first", BYTES(POST TE ", chunked" LAST), -400},
    {"TE with a comma last", BYTES(POST TE "chunked," LAST), -400},
    {"TE empty", BYTES(POST "Transfer-Encoding:" LAST), -400},
    {"TE identity", BYTES(POST TE "identity" LAST), -400},
    {"TE chunked, identity", BYTES(POST TE "chunked, identity" LAST), -400},
    {"TE identity, chunked", BYTES(POST TE "identity, chunked" LAST), -501},
    {"TE gzip", BYTES(POST TE "gzip\r\n\r\n"), -400},
    {"TE gzip, chunked", BYTES(POST TE "gzip, chunked" LAST), -501},
    {"TE twice in a list", BYTES(POST TE "chunked, chunked" LAST), -400},
    {"TE twice", BYTES(POST TE "chunked\r\n" TE "chunked" LAST), -400},
    {"TE chunked, then another", BYTES(POST TE "chunked\r\n" TE "x" LAST), -400},
    {"TE another, then chunked", BYTES(POST TE "x\r\n" TE "chunked" LAST), -400},
    {"TE folded", BYTES(POST "Transfer-Encoding:\r\n chunked" LAST), -400},
    {"TE folded in the middle", BYTES(POST TE "chunked\r\n , identity" LAST), -400},
    {"TE in HTTP/1.0", BYTES("POST / HTTP/1.0\r\n" TE "chunked" LAST), -400},
    {"TE gzip in HTTP/1.0", BYTES("POST / HTTP/1.0\r\n" TE "gzip, chunked\r\n\r\n"), -400},
    /* names that hide */
    {"a space before the colon", BYTES(POST "Transfer-Encoding : chunked" LAST), -400},
    {"a tab before the colon", BYTES(POST "Content-Length\t: 3\r\n\r\nabc"), -400},
    {"a space before the name", BYTES(POST " " CL "3\r\n\r\nabc"), -400},
    {"a space before the first name", BYTES("GET / HTTP/1.1\r\n " CL "3\r\nHost: a\r\n\r\n"), -400},
    {"a name with a NUL", BYTES(POST "Content-Length\0: 3\r\n\r\nabc"), -400},
    {"a name with a no-break space", BYTES(POST "Content-Length\xa0: 3\r\n\r\nabc"), -400},
    {"a name in two words", BYTES(POST "X " CL "3\r\n\r\nabc"), -400},
    {"no colon", BYTES(POST "Content-Length 3\r\n\r\nabc"), -400},
    {"no name", BYTES(POST ": " CL "3\r\n\r\nabc"), -400},
    {"a name in quotes", BYTES(POST "\"Content-Length\": 3\r\n\r\nabc"), -400},
    {"a colon in front", BYTES(POST ":" CL "3\r\n\r\nabc"), -400},
    /* lines that end oddly */
    {"a bare LF behind the request line", BYTES("POST / HTTP/1.1\nHost: a\r\n\r\n"), -400},
    {"a bare LF behind a field", BYTES(POST "A: b\n" CL "3\r\n\r\nabc"), -400},
    {"a bare LF as the empty line", BYTES(POST "\n" NEXT), -400},
    {"only bare LFs", BYTES("GET / HTTP/1.1\nHost: a\n\n"), -400},
    {"a bare CR in a value", BYTES(POST "A: b\r" CL "3\r\n\r\nabc"), -400},
    {"a bare CR in a name", BYTES(POST "Content\r-Length: 3\r\n\r\nabc"), -400},
    {"a bare CR in the request line", BYTES("POST /\r HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"CR CR LF", BYTES(POST "A: b\r\r\n" CL "3\r\n\r\nabc"), -400},
    {"LF CR", BYTES(POST "A: b\n\r\n" NEXT), -400},
    {"obs-fold with a space", BYTES(POST "A: b\r\n " CL "3\r\n\r\nabc"), -400},
    {"obs-fold with a tab", BYTES(POST "A: b\r\n\t" CL "3\r\n\r\nabc"), -400},
    {"an empty obs-fold", BYTES(POST "A: b\r\n \r\n\r\n"), -400},
    {"a NUL in a value", BYTES(POST "A: b\0c\r\n\r\n"), -400},
    {"a DEL in a value", BYTES(POST "A: b\x7f\r\n\r\n"), -400},
    /* whom it is for */
    {"no Host", BYTES("GET / HTTP/1.1\r\n\r\n"), -400},
    {"two Hosts", BYTES("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), -400},
    {"two equal Hosts", BYTES("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), -400},
    {"an empty Host", BYTES("GET / HTTP/1.1\r\nHost: \r\n\r\n"), -400},
    {"Host list", BYTES("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), -400},
    {"Host with a path", BYTES("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), -400},
    {"Host with a user", BYTES("GET / HTTP/1.1\r\nHost: b@a\r\n\r\n"), -400},
    {"Host with a bad port", BYTES("GET / HTTP/1.1\r\nHost: a:80@b\r\n\r\n"), -400},
    {"Host folded", BYTES("GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n"), -400},
    {"a user in the target", BYTES("GET http://a@b/ HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"an absolute target without Host", BYTES("GET http://a/ HTTP/1.1\r\n\r\n"), -400},
    /* request lines */
    {"HTTP/0.9", BYTES("GET /\r\n"), -400},
    {"a space in the target", BYTES("GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"two spaces", BYTES("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"a tab", BYTES("GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"a space at the end", BYTES("GET / HTTP/1.1 \r\nHost: a\r\n\r\n"), -400},
    {"a fragment", BYTES("GET /#/../x HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"a version in lower case", BYTES("GET / http/1.1\r\nHost: a\r\n\r\n"), -400},
    {"a long version", BYTES("GET / HTTP/1.01\r\nHost: a\r\n\r\n"), -400},
    {"the preface of HTTP/2", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), -505},
    {"two empty lines first", BYTES("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    {"bytes above ASCII in the target", BYTES("GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"), -400},
    /* chunks */
    {"a chunk size of nothing", BYTES(CHUNKED "\r\n\r\n"), -400},
    {"a chunk size with 0x", BYTES(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a plus", BYTES(CHUNKED "+3\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a minus", BYTES(CHUNKED "-3\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a space first", BYTES(CHUNKED " 3\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a space last", BYTES(CHUNKED "3 \r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with an underscore", BYTES(CHUNKED "0_3\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size of 2^64", BYTES(CHUNKED "10000000000000000\r\n\r\n"), -400},
    {"a chunk size of 2^64+3", BYTES(CHUNKED "10000000000000003\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size of 2^63", BYTES(CHUNKED "8000000000000000\r\n"), -400},
    {"a chunk size with a NUL", BYTES(CHUNKED "3\0\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a bare LF", BYTES(CHUNKED "3\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk size with a bare CR", BYTES(CHUNKED "3\rabc\r\n0\r\n\r\n"), -400},
    {"an extension with a bare LF", BYTES(CHUNKED "3;\nabc\r\n0\r\n\r\n"), -400},
    {"an extension with a bare CR", BYTES(CHUNKED "3;a\rb\r\nabc\r\n0\r\n\r\n"), -400},
    {"a chunk that is too long", BYTES(CHUNKED "3\r\nabcd\r\n0\r\n\r\n"), -400},
    {"a chunk that is too short", BYTES(CHUNKED "3\r\nab\r\n0\r\n\r\n"), -400},
    {"a chunk with a bare LF", BYTES(CHUNKED "3\r\nabc\n0\r\n\r\n"), -400},
    {"two bytes that are no CRLF", BYTES(CHUNKED "3\r\nabcxx0\r\n\r\n"), -400},
    {"a last chunk with a bare LF", BYTES(CHUNKED "0\n\n"), -400},
    {"an end with a bare LF", BYTES(CHUNKED "0\r\n\n" NEXT), -400},
    {"no empty line at the end", BYTES(CHUNKED "0\r\n" NEXT), -400},
    {"a folded trailer", BYTES(CHUNKED "0\r\nA: b\r\n c\r\n\r\n"), -400},
    {"a trailer with a space before the colon", BYTES(CHUNKED "0\r\nA : b\r\n\r\n"), -400},
};

static const struct request legal[] = {
    {"no body", BYTES("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), HTTP_DONE},
    {"a length of 0", BYTES(POST CL "0\r\n\r\n"), HTTP_DONE},
    {"leading zeros", BYTES(POST CL "000\r\n\r\n"), HTTP_DONE},
    {"blanks around a length", BYTES(POST CL "\t0 \r\n\r\n"), HTTP_DONE},
    {"no blank before a length", BYTES(POST "Content-Length:0\r\n\r\n"), HTTP_DONE},
    {"a length of 2^63-1", BYTES(POST CL "9223372036854775807\r\n\r\n"), HTTP_DONE},
    {"chunks", BYTES(CHUNKED "3\r\nabc\r\n0\r\n\r\n"), HTTP_DONE},
    {"chunked in capitals", BYTES(POST "TRANSFER-ENCODING: Chunked" LAST), HTTP_DONE},
    {"blanks around chunked", BYTES(POST "Transfer-Encoding:\tchunked " LAST), HTTP_DONE},
    {"a chunk size with leading zeros", BYTES(CHUNKED "0003\r\nabc\r\n00\r\n\r\n"), HTTP_DONE},
    {"an extension", BYTES(CHUNKED "3;a=\"b\"\r\nabc\r\n0\r\n\r\n"), HTTP_DONE},
    {"a trailer", BYTES(CHUNKED "0\r\nA: b\r\n\r\n"), HTTP_DONE},
    {"a trailer that looks like a length", BYTES(CHUNKED "0\r\n" CL "5\r\n\r\n"), HTTP_DONE},
    {"a body that looks like a request", BYTES(CHUNKED "23\r\n" NEXT "\r\n0\r\n\r\n"), HTTP_DONE},
    {"a name that is shorter", BYTES(POST "Content-Lengt: x\r\n\r\n"), HTTP_DONE},
    {"a name that is longer", BYTES(POST "Transfer-Encodings: x\r\n\r\n"), HTTP_DONE},
    {"a name that is as long", BYTES(POST "Content_Length: x\r\n\r\n"), HTTP_DONE},
    {"another that is as long", BYTES(POST "Transfer_Encoding: x\r\n\r\n"), HTTP_DONE},
    {"TE is another field", BYTES(POST "TE: trailers, chunked\r\n\r\n"), HTTP_DONE},
    {"a tab inside a value", BYTES(POST "A: b\tc\r\n\r\n"), HTTP_DONE},
    {"bytes above ASCII in a value", BYTES(POST "A: \xc3\xa4\xa0\r\n\r\n"), HTTP_DONE},
    {"a colon in a value", BYTES(POST "A: : b: c\r\n\r\n"), HTTP_DONE},
    {"one empty line first", BYTES("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), HTTP_DONE},
    {"HTTP/1.0 without Host", BYTES("GET / HTTP/1.0\r\n\r\n"), HTTP_DONE},
    {"an absolute target", BYTES("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), HTTP_DONE},
    {"a port of no digits", BYTES("GET / HTTP/1.1\r\nHost: a:\r\n\r\n"), HTTP_DONE},
};
/* clang-format on */

/* The head, and if it is complete and chunked the body; *used is what was taken. */
static int answer(const struct request *request, size_t *used)
{
    struct reading r;
    reading_begin(&r);
    int status = reading_go_on(&r, request->bytes, request->size);
    if (!same_in_pieces(&r, request->bytes, request->size))
        fail_msg("%s: pieces matter", request->name);
    *used = r.parser.line;
    if (status == HTTP_DONE && r.parser.head.chunked) {
        struct decoding d;
        decoding_begin(&d);
        const char *body = request->bytes + *used;
        status = decoding_go_on(&d, body, request->size - *used);
        if (!same_body_in_pieces(&d, body, request->size - *used))
            fail_msg("%s: pieces of the body matter", request->name);
        *used += d.used;
    }
    reading_end(&r);
    return status;
}

TEST(what_could_be_smuggled_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        size_t used;
        int status = answer(&refused[i], &used);
        if (status != refused[i].status)
            fail_msg("%s: %d instead of %d", refused[i].name, status, refused[i].status);
    }
}

TEST(what_is_only_close_to_it_is_accepted)
{
    for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++) {
        size_t used;
        int status = answer(&legal[i], &used);
        if (status != legal[i].status || used != legal[i].size)
            fail_msg("%s: %d, %zu of %zu bytes", legal[i].name, status, used, legal[i].size);
    }
}

/* A request that is not chunked ends with its head and the length says the rest: the next one is
 * found where it begins. */
TEST(a_request_behind_another_is_found)
{
    static const char bytes[] = POST "Content-Length: 3\r\n\r\nabc" NEXT;
    struct reading r;
    reading_begin(&r);
    assert_int_equal(reading_go_on(&r, BYTES(bytes)), HTTP_DONE);
    size_t next = r.parser.line + (size_t)r.parser.head.content_length;
    reading_end(&r);
    reading_begin(&r);
    assert_int_equal(reading_go_on(&r, bytes + next, sizeof bytes - 1 - next), HTTP_DONE);
    assert_true(weft_text_is(r.parser.head.path, "/smuggled"));
    reading_end(&r);
}
