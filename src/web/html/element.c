/* What the builder of a tree tells the tokenizer, without a tree.
 *
 * Behind some elements no tags are looked for. And in SVG and MathML things are different: CDATA
 * sections exist, and <script/> or <title/> is closed at once. Whether we are in there is only
 * counted, from <svg> and <math> to their end; as browsers do, a tag that cannot stand in there, as
 * <p>, ends it. */
#include "tokenizer.h"

enum { OTHER, SWITCHES, FOREIGN_ROOT, BREAKS_OUT };

struct element {
    const char *name;
    size_t size;
    enum weft_html_mode mode;
};

static const struct element elements[] = {
    {"iframe", 6, WEFT_HTML_RAWTEXT},   {"noembed", 7, WEFT_HTML_RAWTEXT},
    {"noframes", 8, WEFT_HTML_RAWTEXT}, {"plaintext", 9, WEFT_HTML_PLAINTEXT},
    {"script", 6, WEFT_HTML_SCRIPT},    {"style", 5, WEFT_HTML_RAWTEXT},
    {"textarea", 8, WEFT_HTML_RCDATA},  {"title", 5, WEFT_HTML_RCDATA},
    {"xmp", 3, WEFT_HTML_RAWTEXT},
};

/* Those that end SVG and MathML, from the standard's rules for foreign content. */
static const char *const breakers[] = {
    "b",      "big",  "blockquote", "body",  "br",   "center", "code",    "dd",   "div",
    "dl",     "dt",   "em",         "embed", "h1",   "h2",     "h3",      "h4",   "h5",
    "h6",     "head", "hr",         "i",     "img",  "li",     "listing", "menu", "meta",
    "nobr",   "ol",   "p",          "pre",   "ruby", "s",      "small",   "span", "strong",
    "strike", "sub",  "sup",        "table", "tt",   "u",      "ul",      "var",
};

#define LETTER(c) (1u << ((c) - 'a'))
static const unsigned first_letters =
    LETTER('i') | LETTER('m') | LETTER('n') | LETTER('p') | LETTER('s') | LETTER('t') | LETTER('x');

static bool breaks_out(struct weft_text name)
{
    for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++) {
        if (breakers[i][0] == name.data[0] && weft_text_is(name, breakers[i]))
            return true;
    }
    return false;
}

static const struct element *find(struct weft_text name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (name.size == elements[i].size && memcmp(name.data, elements[i].name, name.size) == 0)
            return &elements[i];
    }
    return NULL;
}

void weft__html_element(struct weft_html *html, struct weft_text name)
{
    html->element_ = OTHER;
    if (html->foreign_ > 0 && !html->is_end_ && breaks_out(name))
        html->element_ = BREAKS_OUT;
    if (name.size < 3 || !(first_letters & LETTER(name.data[0])))
        return;
    if (weft_text_is(name, "svg") || weft_text_is(name, "math")) {
        html->element_ = FOREIGN_ROOT;
        return;
    }
    const struct element *element = html->is_end_ ? NULL : find(name);
    if (element == NULL)
        return;
    html->element_ = SWITCHES;
    html->next_mode_ = element->mode;
    memcpy(html->end_name_, name.data, name.size);
    html->end_name_size_ = (unsigned)name.size;
}

void weft__html_element_done(struct weft_html *html)
{
    bool closed = html->self_closing_;
    if (html->element_ == BREAKS_OUT)
        html->foreign_ = 0;
    else if (html->element_ == SWITCHES && (html->foreign_ > 0 || html->xml) && closed)
        html->next_mode_ = WEFT_HTML_DATA;
    else if (html->element_ == FOREIGN_ROOT && html->is_end_)
        html->foreign_ -= html->foreign_ > 0;
    else if (html->element_ == FOREIGN_ROOT && !closed)
        html->foreign_++;
}
