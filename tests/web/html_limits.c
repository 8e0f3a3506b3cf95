/* The tokenizer keeps no more than it says, whatever comes in. */
#include "check.h"
#include "fault.h"
#include <stdio.h>
#include <string.h>
#include <weft/html.h>

struct seen {
    size_t tokens, attributes, value_size;
    bool cut;
};

static int note(struct weft_html *html, const struct weft_html_token *token)
{
    struct seen *seen = html->context;
    seen->tokens++;
    if (token->type != WEFT_HTML_START_TAG)
        return 0;
    seen->attributes = token->attribute_count;
    if (token->attribute_count > 0) {
        seen->value_size = token->attributes[0].value.size;
        seen->cut = token->attributes[0].cut;
    }
    return 0;
}

static void feed_text(struct weft_html *html, const char *text)
{
    assert_int_equal(weft_html_feed(html, text, strlen(text)), 0);
}

/* As many bytes of what text repeats. */
static void feed_many(struct weft_html *html, const char *text, size_t size)
{
    static char block[1 << 20];
    size_t length = strlen(text), fits = sizeof block / length * length;
    for (size_t at = 0; at < fits; at += length)
        memcpy(block + at, text, length);
    for (; size > 0; size -= size < fits ? size : fits)
        assert_int_equal(weft_html_feed(html, block, size < fits ? size : fits), 0);
}

TEST(a_value_is_cut_and_an_attribute_too_many_is_left_out)
{
    struct seen seen = {0};
    struct weft_html html = {.on_token = note, .context = &seen};
    assert_int_equal(weft_html_begin(&html), 0);
    feed_text(&html, "<a x='");
    feed_many(&html, "y", WEFT_HTML_VALUE_MAX);
    feed_text(&html, "'>");
    assert_int_equal(seen.value_size, WEFT_HTML_VALUE_MAX);
    assert_false(seen.cut);
    feed_text(&html, "<a x='");
    feed_many(&html, "y", WEFT_HTML_VALUE_MAX + 1);
    feed_text(&html, "' b=c>");
    assert_int_equal(seen.value_size, WEFT_HTML_VALUE_MAX);
    assert_true(seen.cut);
    assert_int_equal(seen.attributes, 2);
    feed_text(&html, "<a");
    for (int i = 0; i < WEFT_HTML_ATTRIBUTES_MAX + 10; i++) {
        char name[16];
        snprintf(name, sizeof name, " n%d=v", i);
        feed_text(&html, name);
    }
    feed_text(&html, ">");
    assert_int_equal(seen.attributes, WEFT_HTML_ATTRIBUTES_MAX);
    assert_int_equal(weft_html_end(&html), 0);
    weft_html_free(&html);
}

static size_t kept_bytes(const struct weft_html_token *token)
{
    size_t size = token->name.size;
    for (size_t i = 0; i < token->attribute_count; i++)
        size += token->attributes[i].name.size + token->attributes[i].value.size;
    return size;
}

static int note_bytes(struct weft_html *html, const struct weft_html_token *token)
{
    if (token->type == WEFT_HTML_START_TAG)
        *(size_t *)html->context = kept_bytes(token);
    return 0;
}

TEST(a_tag_is_kept_up_to_its_limit)
{
    size_t kept = 0;
    struct weft_html html = {.on_token = note_bytes, .context = &kept};
    assert_int_equal(weft_html_begin(&html), 0);
    feed_text(&html, "<a");
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, " n%d='", i);
        feed_text(&html, name);
        feed_many(&html, "y", 60000);
        feed_text(&html, "'");
    }
    feed_text(&html, ">");
    assert_int_equal(kept, WEFT_HTML_TAG_MAX);
    weft_html_free(&html);
}

/* What is kept at most: a tag, its changes, its attributes, and what growing leaves unused. */
enum { MOST = 4 << 20, MUCH = 256 << 10 };

static void feed_endless(struct weft_html *html, const char *begin, const char *repeat)
{
    assert_int_equal(weft_html_begin(html), 0);
    feed_text(html, begin);
    feed_many(html, repeat, MUCH);
    assert_true(weft_fault_live_bytes() < MOST);
    feed_text(html, "\"'>");
    assert_int_equal(weft_html_end(html), 0);
    assert_true(weft_fault_live_bytes() < MOST);
}

TEST(memory_is_bounded_whatever_never_ends)
{
    static const char *const begins[] = {
        "x",   "<",    "<x",      "<x ",      "<x a='",       "<x a=",      "<!--",
        "<!x", "</x ", "<title>", "<script>", "<script><!--", "<!doctype ", "<!doctype a public '",
        "&",   "&#",   "&#x"};
    static const char *const repeats[] = {"x", "a=b ", "-", "&amp;", "\r\n", "1", "<", "'x' "};
    weft_fault_install();
    struct seen seen = {0};
    struct weft_html html = {
        .on_token = note, .context = &seen, .wants = WEFT_HTML_WANTS_ALL, .elements = true};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        for (size_t j = 0; j < sizeof repeats / sizeof *repeats; j++)
            feed_endless(&html, begins[i], repeats[j]);
    }
    weft_html_free(&html);
    fault_remove();
}

static enum weft_html_interest skip_all(struct weft_html *html, struct weft_text name)
{
    (void)html;
    (void)name;
    return WEFT_HTML_SKIP;
}

TEST(a_line_of_a_gigabyte_is_nothing_special)
{
    struct seen seen = {0};
    struct weft_html html = {.on_token = note, .context = &seen, .wants_tag = skip_all};
    weft_fault_install();
    assert_int_equal(weft_html_begin(&html), 0);
    feed_many(&html, "a line without an end, and with &amp; in it. ", (size_t)1 << 30);
    assert_int_equal(weft_html_end(&html), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    assert_int_equal(seen.tokens, 1);
    weft_html_free(&html);
    fault_remove();
}
