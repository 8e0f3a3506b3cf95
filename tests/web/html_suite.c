/* The tokenizer against the public suite of the HTML standard (html5lib-tests), each case whole and
 * byte by byte. What is an error is not compared, what comes out is. */
#include "check.h"
#include "html_record.h"
#include "json.h"
#include <uv.h>

static const char *const files[] = {
    "contentModelFlags",
    "domjs",
    "entities",
    "escapeFlag",
    "namedEntities",
    "numericEntities",
    "pendingSpecChanges",
    "test1",
    "test2",
    "test3",
    "test4",
    "unicodeChars",
    "unicodeCharsProblematic",
};

struct score {
    size_t cases, passed;
};

/* ---- what is expected ------------------------------------------------------------------------ */

static unsigned hex4(const char *at)
{
    char digits[5] = {0};
    memcpy(digits, at, 4);
    return (unsigned)strtoul(digits, NULL, 16);
}

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    to[0] = (char)(0xE0 | code >> 12);
    to[1] = (char)(0x80 | (code >> 6 & 0x3F));
    to[2] = (char)(0x80 | (code & 0x3F));
    return 3;
}

/* A copy, in which a second round of \uXXXX is taken back if the case says so. */
static struct weft_text plain(struct weft_text text, bool escaped)
{
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    size_t size = 0;
    for (size_t i = 0; i < text.size;) {
        if (escaped && text.size - i >= 6 && text.data[i] == '\\' && text.data[i + 1] == 'u') {
            size += put_utf8(copy + size, hex4(text.data + i + 2));
            i += 6;
        } else {
            copy[size++] = text.data[i++];
        }
    }
    return weft_text(copy, size);
}

static void free_text(struct weft_text text)
{
    free((void *)text.data);
}

static struct weft_text text_or_none(const struct json *json, bool escaped)
{
    return json != NULL && json->kind == JSON_STRING ? plain(json->text, escaped)
                                                     : weft_text(NULL, 0);
}

static void expect_tag(struct record *record, const struct json *token, bool escaped)
{
    record_close(record);
    const struct json *closed = json_at(token, 3);
    bool is_end = weft_text_is(json_at(token, 0)->text, "EndTag");
    record_word(record, is_end                            ? "end"
                        : closed != NULL && closed->truth ? "start closed"
                                                          : "start");
    struct weft_text name = plain(json_at(token, 1)->text, escaped);
    record_field(record, name);
    free_text(name);
    const struct json *attributes = json_at(token, 2);
    for (const struct json *it = attributes != NULL ? attributes->first : NULL; it; it = it->next) {
        struct weft_text key = plain(it->name, escaped), value = plain(it->text, escaped);
        record_field(record, key);
        record_field(record, value);
        free_text(key);
        free_text(value);
    }
}

static void expect_token(struct record *record, const struct json *token, bool escaped)
{
    struct weft_text kind = json_at(token, 0)->text;
    struct weft_text text = text_or_none(json_at(token, 1), escaped);
    if (weft_text_is(kind, "DOCTYPE")) {
        struct weft_text public_id = text_or_none(json_at(token, 2), escaped);
        struct weft_text system_id = text_or_none(json_at(token, 3), escaped);
        record_doctype(record, text, public_id, system_id, !json_at(token, 4)->truth);
        free_text(public_id);
        free_text(system_id);
    } else if (weft_text_is(kind, "Comment")) {
        record_piece(record, WEFT_HTML_COMMENT, text);
        record_close(record);
    } else if (weft_text_is(kind, "Character")) {
        record_piece(record, WEFT_HTML_TEXT, text);
    } else {
        expect_tag(record, token, escaped);
    }
    free_text(text);
}

/* ---- what comes out -------------------------------------------------------------------------- */

static int on_token(struct weft_html *html, const struct weft_html_token *token)
{
    record_token(html->context, token);
    return 0;
}

static enum weft_html_mode mode_of(struct weft_text state)
{
    static const char *const names[] = {"Data state",      "RCDATA state",
                                        "RAWTEXT state",   "Script data state",
                                        "PLAINTEXT state", "CDATA section state"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (weft_text_is(state, names[i]))
            return (enum weft_html_mode)i;
    }
    fail_msg("no such state: %.*s", WEFT_TEXT_ARGS(state));
    return WEFT_HTML_DATA;
}

static void tokenize(struct record *record, struct weft_text input, enum weft_html_mode mode,
                     struct weft_text last_tag, size_t piece)
{
    struct weft_html html = {.on_token = on_token, .context = record, .wants = WEFT_HTML_WANTS_ALL};
    assert_int_equal(weft_html_begin(&html), 0);
    assert_int_equal(weft_html_switch(&html, mode, last_tag), 0);
    for (size_t at = 0; at < input.size; at += piece) {
        size_t size = input.size - at < piece ? input.size - at : piece;
        assert_int_equal(weft_html_feed(&html, input.data + at, size), 0);
    }
    assert_int_equal(weft_html_end(&html), 0);
    weft_html_free(&html);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool passes(const struct json *test, struct weft_text input, const struct record *expected,
                   enum weft_html_mode mode)
{
    bool same = true;
    const size_t pieces[] = {input.size + 1, 1};
    for (size_t i = 0; i < 2 && same; i++) {
        size_t piece = pieces[i];
        struct record record = {0};
        tokenize(&record, input, mode, json_text(test, "lastStartTag"), piece);
        same = record_same(&record, expected);
        if (!same)
            fprintf(stderr, "%.*s, in pieces of %zu:\n%.*s\nexpected:%.*s\ncame:%.*s\n",
                    WEFT_TEXT_ARGS(json_text(test, "description")), piece, WEFT_TEXT_ARGS(input),
                    (int)expected->size, expected->data, (int)record.size, record.data);
        record_free(&record);
    }
    return same;
}

static void run_case(const struct json *test, struct score *score)
{
    const struct json *flag = json_get(test, "doubleEscaped");
    bool escaped = flag != NULL && flag->truth;
    struct weft_text input = plain(json_text(test, "input"), escaped);
    struct record expected = {0};
    for (const struct json *it = json_get(test, "output")->first; it != NULL; it = it->next)
        expect_token(&expected, it, escaped);
    record_close(&expected);
    record_word(&expected, "eof");
    const struct json *states = json_get(test, "initialStates");
    size_t count = states != NULL ? states->count : 1;
    for (size_t i = 0; i < count; i++) {
        enum weft_html_mode mode =
            states != NULL ? mode_of(json_at(states, i)->text) : WEFT_HTML_DATA;
        score->cases++;
        score->passed += passes(test, input, &expected, mode);
    }
    record_free(&expected);
    free_text(input);
}

TEST(every_case_of_the_public_suite_gives_the_tokens_that_it_asks_for)
{
    struct score score = {0, 0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        snprintf(name, sizeof name, "html-tokenizer/%s.test", files[i]);
        struct json *all = json_conformance(name);
        if (all == NULL)
            skip();
        const struct json *tests = json_get(all, "tests");
        assert_non_null(tests);
        for (const struct json *test = tests->first; test != NULL; test = test->next)
            run_case(test, &score);
        json_free(all);
    }
    fprintf(stderr, "html tokenizer: %zu of %zu\n", score.passed, score.cases);
    assert_true(score.cases > 0);
    assert_int_equal(score.passed, score.cases);
}
