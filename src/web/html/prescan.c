/* The encoding that a page names itself: the standard's prescan of its first 1024 bytes.
 *
 * It is simpler than the tokenizer, and on purpose not the same: nothing here depends on what
 * scripts or titles are. Comments are passed over, tags too (because of '>' in their values), and
 * the first <meta> with a charset that exists decides:
 *
 *     <meta charset="...">
 *     <meta http-equiv="content-type" content="text/html; charset=...">
 *
 * All of it is in memory; whatever breaks off at the end says nothing. */
#include "chars.h"
#include "encoding.h"

struct scan {
    const char *at, *end;
};

struct attribute {
    struct weft_text name, value;
};

static void skip(struct scan *scan, unsigned kinds)
{
    while (scan->at < scan->end && html_char(*scan->at, kinds))
        scan->at++;
}

static struct weft_text until(struct scan *scan, unsigned kinds)
{
    const char *begin = scan->at;
    scan->at = html_find(scan->at, scan->end, kinds);
    return weft_text(begin, (size_t)(scan->at - begin));
}

static struct weft_text take_value(struct scan *scan)
{
    char c = scan->at < scan->end ? *scan->at : '\0';
    if (c != '"' && c != '\'')
        return until(scan, HTML_SPACE | HTML_STOP_GREATER);
    scan->at++;
    struct weft_text value = until(scan, c == '"' ? HTML_STOP_DOUBLE : HTML_STOP_SINGLE);
    if (scan->at < scan->end)
        scan->at++;
    return value;
}

/* The next attribute of a tag; false at its end. */
static bool next_attribute(struct scan *scan, struct attribute *attribute)
{
    while (scan->at < scan->end && (html_char(*scan->at, HTML_SPACE) || *scan->at == '/'))
        scan->at++;
    if (scan->at == scan->end || *scan->at == '>')
        return false;
    const char *begin = scan->at++;
    until(scan, HTML_NAME_STOP);
    attribute->name = weft_text(begin, (size_t)(scan->at - begin));
    attribute->value = weft_text("", 0);
    skip(scan, HTML_SPACE);
    if (scan->at < scan->end && *scan->at == '=') {
        scan->at++;
        skip(scan, HTML_SPACE);
        attribute->value = take_value(scan);
    }
    return true;
}

/* The charset in "text/html; charset=utf-8". Empty: there is none. */
static struct weft_text charset_in(struct weft_text content)
{
    struct scan scan = {content.data, content.data + content.size};
    while (scan.end - scan.at > 7) {
        if (!weft_text_same(weft_text(scan.at, 7), weft_text_of("charset"))) {
            scan.at++;
            continue;
        }
        scan.at += 7;
        skip(&scan, HTML_SPACE);
        if (scan.at == scan.end || *scan.at != '=')
            continue;
        scan.at++;
        skip(&scan, HTML_SPACE);
        struct weft_text value = take_value(&scan);
        return weft_text_cut(&value, ';');
    }
    return weft_text("", 0);
}

static const struct html_encoding *read_meta(struct scan *scan)
{
    struct weft_text charset = weft_text("", 0), content = weft_text("", 0);
    bool is_type = false;
    struct attribute attribute;
    while (next_attribute(scan, &attribute)) {
        if (weft_text_same(attribute.name, weft_text_of("charset")) && charset.size == 0)
            charset = attribute.value;
        else if (weft_text_same(attribute.name, weft_text_of("content")) && content.size == 0)
            content = attribute.value;
        else if (weft_text_same(attribute.name, weft_text_of("http-equiv")))
            is_type = weft_text_same(attribute.value, weft_text_of("content-type"));
    }
    if (scan->at == scan->end)
        return NULL;
    if (charset.size == 0 && is_type)
        charset = charset_in(content);
    const struct html_encoding *encoding = weft__html_encoding(charset);
    if (encoding != NULL && weft_text_starts(weft_text_of(encoding->name), "UTF-16"))
        return weft__html_encoding_utf8(); /* it could not have been read like this */
    return encoding;
}

static void skip_comment(struct scan *scan)
{
    for (scan->at += 2; scan->end - scan->at >= 3; scan->at++) {
        if (memcmp(scan->at, "-->", 3) == 0) {
            scan->at += 3;
            return;
        }
    }
    scan->at = scan->end;
}

static void skip_tag(struct scan *scan)
{
    struct attribute attribute;
    until(scan, HTML_SPACE | HTML_STOP_GREATER);
    while (next_attribute(scan, &attribute))
        ;
}

/* At '<'. */
static const struct html_encoding *read_markup(struct scan *scan)
{
    struct weft_text rest = weft_text(scan->at, (size_t)(scan->end - scan->at));
    char next = rest.size > 1 ? rest.data[1] : '\0';
    if (weft_text_starts(rest, "<!--")) {
        skip_comment(scan);
    } else if (rest.size > 5 && weft_text_same(weft_text(rest.data, 5), weft_text_of("<meta")) &&
               (html_char(rest.data[5], HTML_SPACE) || rest.data[5] == '/')) {
        scan->at += 5;
        return read_meta(scan);
    } else if (html_char(next, HTML_ALPHA) ||
               (next == '/' && rest.size > 2 && html_char(rest.data[2], HTML_ALPHA))) {
        skip_tag(scan);
    } else if (next == '!' || next == '/' || next == '?') {
        until(scan, HTML_STOP_GREATER);
    } else {
        scan->at++;
    }
    return NULL;
}

const struct html_encoding *weft__html_prescan(struct weft_text head)
{
    struct scan scan = {head.data, head.data + head.size};
    while (scan.at < scan.end) {
        const char *less = memchr(scan.at, '<', (size_t)(scan.end - scan.at));
        if (less == NULL)
            return NULL;
        scan.at = less;
        const struct html_encoding *found = read_markup(&scan);
        if (found != NULL)
            return found;
    }
    return NULL;
}
