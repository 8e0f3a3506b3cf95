/* The tags and texts of a sitemap or a feed.
 *
 *     CONTENT  text, kept if a field is open           -> ENTITY, OPEN
 *     OPEN     behind a '<'                            -> TAG, BANG, SKIP, CONTENT
 *     TAG      the name of a tag                       -> IN_TAG, CONTENT
 *     IN_TAG   between its attributes                  -> ATTRIBUTE, CONTENT
 *     ATTRIBUTE  the name of one; EQUALS: behind it    -> BEFORE_VALUE, IN_TAG
 *     BEFORE_VALUE                                     -> VALUE, CONTENT
 *     VALUE    kept if it is the href or rel of a link -> ENTITY, IN_TAG, OPEN
 *     ENTITY   behind a '&'                            -> what it stands in, owner
 *     BANG     behind "<!", which may become           -> COMMENT, CDATA, or else SKIP
 *     SKIP     a declaration or instruction, up to '>' -> CONTENT
 *
 * Declarations are passed over, and with them all entities that a file could define. Nothing looks
 * ahead of the byte it is at, so pieces do not matter. */
#include "sitemap.h"

void weft__sitemap_keep(struct sitemap_xml *xml, const char *data, size_t size)
{
    if (xml->capture != NULL)
        weft__sitemap_field_put(xml->capture, data, size);
}

static void begin_tag(struct sitemap_xml *xml, bool closing)
{
    xml->state = XML_TAG;
    xml->tag.size = 0;
    xml->closing = closing;
    xml->empty = false;
    xml->href = false;
    weft__sitemap_field_clear(&xml->rel);
}

static const char *take_content(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *run = at;
    if (xml->capture == NULL) {
        at = memchr(at, '<', (size_t)(end - at));
        if (at == NULL)
            return end;
    }
    while (at < end && *at != '<' && *at != '&')
        at++;
    weft__sitemap_keep(xml, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == '<')
        xml->state = XML_OPEN;
    else
        weft__sitemap_begin_entity(xml);
    return at + 1;
}

/* A '<' that begins no tag is a text like any other. */
static const char *take_open(struct sitemap_xml *xml, const char *at)
{
    bool letter = weft_text_lower(*at) >= 'a' && weft_text_lower(*at) <= 'z';
    xml->matched = 0;
    if (*at == '!') {
        xml->state = XML_BANG;
        xml->tag.size = 0;
    } else if (*at == '?') {
        xml->state = XML_SKIP;
    } else if (*at == '/') {
        begin_tag(xml, true);
    } else if (letter || *at == '_' || (unsigned char)*at >= 0x80) {
        begin_tag(xml, false);
        return at;
    } else {
        xml->state = XML_CONTENT;
        weft__sitemap_keep(xml, "<", 1);
        return at;
    }
    return at + 1;
}

static bool ends_name(char c)
{
    return c == '>' || c == '/' || c == '=' || weft__sitemap_is_space(c);
}

static const char *take_name(struct sitemap_name *name, const char *at, const char *end)
{
    while (at < end && !ends_name(*at) && *at != '<')
        weft__sitemap_name_put(name, *at++);
    return at;
}

static const char *take_tag(struct sitemap_xml *xml, const char *at, const char *end)
{
    at = take_name(&xml->tag, at, end);
    if (at < end)
        xml->state = XML_IN_TAG;
    return at;
}

/* A '<' here begins another tag: somebody forgot the '>'. */
static const char *take_in_tag(struct weft__sitemap *reader, const char *at)
{
    struct sitemap_xml *xml = &reader->xml;
    if (*at == '>' || *at == '<') {
        weft__sitemap_finish_tag(reader);
        return *at == '>' ? at + 1 : at;
    }
    xml->empty = *at == '/' || (xml->empty && weft__sitemap_is_space(*at));
    if (ends_name(*at))
        return at + 1;
    xml->state = XML_ATTRIBUTE;
    xml->attribute.size = 0;
    return at;
}

static const char *take_attribute(struct sitemap_xml *xml, const char *at, const char *end)
{
    at = take_name(&xml->attribute, at, end);
    if (at < end)
        xml->state = XML_EQUALS;
    return at;
}

static const char *take_equals(struct sitemap_xml *xml, const char *at)
{
    if (weft__sitemap_is_space(*at))
        return at + 1;
    xml->state = *at == '=' ? XML_BEFORE_VALUE : XML_IN_TAG;
    return *at == '=' ? at + 1 : at;
}

static const char *take_before_value(struct weft__sitemap *reader, const char *at)
{
    if (weft__sitemap_is_space(*at))
        return at + 1;
    if (*at == '>' || *at == '<') {
        reader->xml.state = XML_IN_TAG;
        return at;
    }
    bool quoted = *at == '"' || *at == '\'';
    weft__sitemap_begin_value(reader, quoted ? *at : 0);
    return quoted ? at + 1 : at;
}

static void end_value(struct sitemap_xml *xml)
{
    xml->state = XML_IN_TAG;
    xml->capture = NULL;
}

static bool ends_value(const struct sitemap_xml *xml, char c)
{
    if (xml->quote != 0)
        return c == xml->quote || c == '<';
    return c == '>' || c == '<' || weft__sitemap_is_space(c);
}

static const char *take_value(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *run = at;
    while (at < end && *at != '&' && !ends_value(xml, *at))
        at++;
    weft__sitemap_keep(xml, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == '&') {
        weft__sitemap_begin_entity(xml);
        return at + 1;
    }
    bool quote = *at == xml->quote;
    end_value(xml);
    return quote ? at + 1 : at;
}

/* ---- comments and the like ------------------------------------------------------------------- */

/* Which of the two it is shows with its first byte; a declaration is passed over. */
static const char *take_bang(struct sitemap_xml *xml, const char *at)
{
    static const char *const openings[] = {"--", "[CDATA["};
    static const unsigned next[] = {XML_COMMENT, XML_CDATA};
    weft__sitemap_name_put(&xml->tag, *at);
    for (size_t i = 0; i < 2; i++) {
        struct weft_text opening = weft_text_of(openings[i]);
        if (weft_text_equal(weft__sitemap_name_text(&xml->tag), opening)) {
            xml->state = next[i];
            return at + 1;
        }
        if (xml->tag.size < opening.size && memcmp(opening.data, xml->tag.text, xml->tag.size) == 0)
            return at + 1;
    }
    xml->state = XML_SKIP;
    return at;
}

/* Up to "-->"; matched: how many '-' stand before at, of which two count. */
static const char *take_comment(struct sitemap_xml *xml, const char *at)
{
    if (*at == '>' && xml->matched == 2)
        xml->state = XML_CONTENT;
    xml->matched = *at != '-' ? 0 : xml->matched < 2 ? xml->matched + 1 : 2;
    return at + 1;
}

/* Up to "]]>"; the brackets that may belong to that are text only when something else follows. */
static const char *take_cdata(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *run = at;
    if (*at == '>' && xml->matched == 2) {
        xml->state = XML_CONTENT;
        return at + 1;
    }
    if (*at == ']') {
        if (xml->matched == 2)
            weft__sitemap_keep(xml, "]", 1);
        else
            xml->matched++;
        return at + 1;
    }
    weft__sitemap_keep(xml, "]]", xml->matched);
    xml->matched = 0;
    while (at < end && *at != ']')
        at++;
    weft__sitemap_keep(xml, run, (size_t)(at - run));
    return at;
}

static const char *take_skip(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *close = memchr(at, '>', (size_t)(end - at));
    if (close == NULL)
        return end;
    xml->state = XML_CONTENT;
    return close + 1;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Takes at least a byte, or goes to another state. */
static const char *take(struct weft__sitemap *reader, const char *at, const char *end)
{
    struct sitemap_xml *xml = &reader->xml;
    switch (xml->state) {
    case XML_CONTENT:
        return take_content(xml, at, end);
    case XML_OPEN:
        return take_open(xml, at);
    case XML_TAG:
        return take_tag(xml, at, end);
    case XML_IN_TAG:
        return take_in_tag(reader, at);
    case XML_ATTRIBUTE:
        return take_attribute(xml, at, end);
    case XML_EQUALS:
        return take_equals(xml, at);
    case XML_BEFORE_VALUE:
        return take_before_value(reader, at);
    case XML_VALUE:
        return take_value(xml, at, end);
    case XML_ENTITY:
        return weft__sitemap_entity(xml, at);
    case XML_BANG:
        return take_bang(xml, at);
    case XML_COMMENT:
        return take_comment(xml, at);
    case XML_CDATA:
        return take_cdata(xml, at, end);
    default:
        return take_skip(xml, at, end);
    }
}

void weft__sitemap_xml(struct weft__sitemap *reader, const char *data, size_t size)
{
    const char *end = data + size;
    while (data < end && reader->sitemap->status_ == 0)
        data = take(reader, data, end);
}

/* A URL that the end cuts off is none. */
void weft__sitemap_xml_end(struct weft__sitemap *reader)
{
    if (reader->xml.capture == &reader->loc)
        weft__sitemap_field_clear(&reader->loc);
    weft__sitemap_report(reader);
}
