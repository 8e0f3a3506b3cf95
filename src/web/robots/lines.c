/* The lines of a robots.txt: "key: value # comment", ended by LF, CR or both. People write them by
 * hand, so what they obviously mean is taken: a blank instead of the colon if there are only two
 * words, and the slips that are frequent enough for the big search engines to know them. */
#include "robots.h"

static const struct {
    const char *name;
    enum robots_key key;
} keys[] = {
    {"user-agent", ROBOTS_AGENT},  {"useragent", ROBOTS_AGENT},   {"user agent", ROBOTS_AGENT},
    {"allow", ROBOTS_ALLOW},       {"disallow", ROBOTS_DISALLOW}, {"dissallow", ROBOTS_DISALLOW},
    {"dissalow", ROBOTS_DISALLOW}, {"disalow", ROBOTS_DISALLOW},  {"diasllow", ROBOTS_DISALLOW},
    {"disallaw", ROBOTS_DISALLOW}, {"crawl-delay", ROBOTS_DELAY}, {"crawldelay", ROBOTS_DELAY},
    {"sitemap", ROBOTS_SITEMAP},   {"site-map", ROBOTS_SITEMAP},
};

/* Also a mark that is cut short is passed over. */
struct weft_text weft__robots_body(struct weft_text body)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool cut = body.size > WEFT_ROBOTS_SIZE_MAX;
    if (cut)
        body.size = WEFT_ROBOTS_SIZE_MAX;
    while (cut && body.size > 0 && body.data[body.size - 1] != '\n' &&
           body.data[body.size - 1] != '\r')
        body.size--;
    for (size_t i = 0; mark[i] != 0 && body.size > 0 && body.data[0] == mark[i]; i++)
        body = weft_text(body.data + 1, body.size - 1);
    return body;
}

static struct weft_text cut_line(struct weft_text *rest)
{
    struct weft_text line = *rest;
    size_t size = 0;
    while (size < rest->size && rest->data[size] != '\n' && rest->data[size] != '\r')
        size++;
    line.size = size;
    if (size < rest->size)
        size++;
    *rest = weft_text(rest->data + size, rest->size - size);
    return line;
}

static enum robots_key key_of(struct weft_text name)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (weft_text_same(name, weft_text_of(keys[i].name)))
            return keys[i].key;
    }
    return ROBOTS_OTHER;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* "disallow /": no colon, and exactly two words. */
static struct robots_line split_at_blank(struct weft_text text)
{
    struct robots_line line = {ROBOTS_OTHER, {NULL, 0}};
    size_t size = 0;
    while (size < text.size && !is_blank(text.data[size]))
        size++;
    struct weft_text value = weft_text_trim(weft_text(text.data + size, text.size - size));
    for (size_t i = 0; i < value.size; i++) {
        if (is_blank(value.data[i]))
            return line;
    }
    if (value.size > 0) {
        line.key = key_of(weft_text(text.data, size));
        line.value = value;
    }
    return line;
}

bool weft__robots_line(struct weft_text *rest, struct robots_line *line)
{
    if (rest->size == 0)
        return false;
    struct weft_text text = cut_line(rest);
    text = weft_text_trim(weft_text_cut(&text, '#'));
    struct weft_text value = text;
    struct weft_text name = weft_text_cut(&value, ':');
    line->key = value.data != NULL ? key_of(weft_text_trim(name)) : ROBOTS_OTHER;
    line->value = weft_text_trim(value);
    if (line->key == ROBOTS_OTHER && text.size > 0)
        *line = split_at_blank(text);
    return true;
}
