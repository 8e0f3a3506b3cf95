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
 * No tree and no stack: all that is remembered is the container that we are in, <url>, <sitemap>,
 * <item> or <entry>, with the prefix of its name. A field of it has the same prefix: so <sm:loc>
 * counts in <sm:url>, and <image:loc> does not in <url>. A container is closed by its end tag, by
 * the next one of its kind or by the end; a field by any tag. So what is broken costs an entry, and
 * not the rest of the file. Declarations are passed over, and with them all entities that a file
 * could define: there is nothing to expand or to fetch. */
#include "sitemap.h"
#include "web/octets.h"

enum {
    CONTENT,
    OPEN,
    TAG,
    IN_TAG,
    ATTRIBUTE,
    EQUALS,
    BEFORE_VALUE,
    VALUE,
    ENTITY,
    BANG,
    COMMENT,
    CDATA,
    SKIP
};

enum kind { NONE, URL, SITEMAP, ITEM, ENTRY };

static const struct {
    const char *container, *loc, *lastmod;
} kinds[] = {
    [NONE] = {"", "", ""},
    [URL] = {"url", "loc", "lastmod"},
    [SITEMAP] = {"sitemap", "loc", "lastmod"},
    [ITEM] = {"item", "link", "pubDate"},
    [ENTRY] = {"entry", "link", "updated"},
};

/* ---- names ----------------------------------------------------------------------------------- */

static void name_put(struct sitemap_name *name, char c)
{
    if (name->size < sizeof name->text)
        name->text[name->size] = c;
    if (name->size <= sizeof name->text)
        name->size++;
}

static struct weft_text name_text(const struct sitemap_name *name)
{
    return weft_text(name->text, name->size <= sizeof name->text ? name->size : 0);
}

/* prefix:local, or local alone. */
static struct weft_text local_of(struct weft_text name, struct weft_text *prefix)
{
    struct weft_text local = name;
    *prefix = weft_text_cut(&local, ':');
    if (local.data == NULL) {
        local = *prefix;
        *prefix = weft_text(NULL, 0);
    }
    return local;
}

static enum kind kind_of(struct weft_text local)
{
    for (enum kind kind = URL; kind <= ENTRY; kind++) {
        if (weft_text_same(local, weft_text_of(kinds[kind].container)))
            return kind;
    }
    return NONE;
}

/* ---- what the tags mean ---------------------------------------------------------------------- */

static void begin_container(struct weft__sitemap *reader, enum kind kind)
{
    weft__sitemap_report(reader);
    reader->xml.inside = kind;
    reader->xml.container = reader->xml.tag;
    reader->index = kind == SITEMAP;
}

static void open_field(struct weft__sitemap *reader, struct sitemap_field *field)
{
    weft__sitemap_field_clear(field);
    reader->xml.capture = field;
}

/* A <loc> begins: a second one in its container is an entry of its own; a second <link> is not. */
static void open_loc(struct weft__sitemap *reader)
{
    bool taken = weft__sitemap_field_text(&reader->loc).size > 0;
    if (reader->xml.inside == ENTRY || (reader->xml.inside == ITEM && taken))
        return;
    if (taken)
        weft__sitemap_report(reader);
    open_field(reader, &reader->loc);
}

/* Does this tag belong to the container we are in? */
static bool is_ours(const struct sitemap_xml *xml, struct weft_text prefix)
{
    struct weft_text own;
    local_of(name_text(&xml->container), &own);
    return xml->inside != NONE && weft_text_equal(own, prefix);
}

static void start_tag(struct weft__sitemap *reader)
{
    struct sitemap_xml *xml = &reader->xml;
    struct weft_text prefix, local = local_of(name_text(&xml->tag), &prefix);
    enum kind kind = kind_of(local);
    bool ours = is_ours(xml, prefix);
    if (kind != NONE && !xml->empty && (xml->inside == NONE || (ours && xml->inside == kind)))
        begin_container(reader, kind);
    else if (ours && !xml->empty && weft_text_same(local, weft_text_of(kinds[xml->inside].loc)))
        open_loc(reader);
    else if (ours && !xml->empty && weft_text_same(local, weft_text_of(kinds[xml->inside].lastmod)))
        open_field(reader, &reader->lastmod);
}

static void end_tag(struct weft__sitemap *reader)
{
    struct sitemap_xml *xml = &reader->xml;
    struct weft_text prefix, local = local_of(name_text(&xml->tag), &prefix);
    if (is_ours(xml, prefix) && kind_of(local) == xml->inside) {
        weft__sitemap_report(reader);
        xml->inside = NONE;
    }
}

/* The link of an Atom entry has its URL in an attribute. Only that of the page itself counts. */
static bool is_atom_link(const struct sitemap_xml *xml)
{
    struct weft_text prefix, local = local_of(name_text(&xml->tag), &prefix);
    return xml->inside == ENTRY && !xml->closing && is_ours(xml, prefix) &&
           weft_text_same(local, weft_text_of("link"));
}

static void end_atom_link(struct weft__sitemap *reader)
{
    const struct sitemap_field *rel = &reader->xml.rel;
    bool page = (rel->size == 0 && !rel->too_long) ||
                weft_text_same(weft__sitemap_field_text(rel), weft_text_of("alternate"));
    if (reader->xml.href && !page)
        weft__sitemap_field_clear(&reader->loc);
}

static void finish_tag(struct weft__sitemap *reader)
{
    struct sitemap_xml *xml = &reader->xml;
    xml->state = CONTENT;
    xml->capture = NULL;
    if (is_atom_link(xml))
        end_atom_link(reader);
    else if (xml->closing)
        end_tag(reader);
    else
        start_tag(reader);
}

/* An attribute's value begins: where does it go? */
static void begin_value(struct weft__sitemap *reader, char quote)
{
    struct sitemap_xml *xml = &reader->xml;
    struct weft_text name = name_text(&xml->attribute);
    xml->state = VALUE;
    xml->quote = quote;
    if (!is_atom_link(xml))
        return;
    if (weft_text_same(name, weft_text_of("rel"))) {
        open_field(reader, &xml->rel);
    } else if (weft_text_same(name, weft_text_of("href")) && reader->loc.size == 0) {
        open_field(reader, &reader->loc);
        xml->href = true;
    }
}

static void end_value(struct sitemap_xml *xml)
{
    xml->state = IN_TAG;
    xml->capture = NULL;
}

/* ---- entities -------------------------------------------------------------------------------- */

static void keep(struct sitemap_xml *xml, const char *data, size_t size)
{
    if (xml->capture != NULL)
        weft__sitemap_field_put(xml->capture, data, size);
}

static const struct {
    const char *name;
    char c;
} entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};

/* "#38" or "#x26" without the '#'; false: it is no number. */
static bool number_of(struct weft_text text, uint32_t *code)
{
    bool hex = text.size > 0 && weft_text_lower(text.data[0]) == 'x';
    size_t i = hex ? 1 : 0;
    *code = 0;
    if (i == text.size)
        return false;
    for (; i < text.size; i++) {
        int digit = octets_hex(text.data[i]);
        if (digit < 0 || (!hex && digit > 9))
            return false;
        if (*code <= 0x10ffff)
            *code = *code * (hex ? 16 : 10) + (uint32_t)digit;
    }
    return true;
}

/* false: nothing that we know. */
static bool keep_entity(struct sitemap_xml *xml, struct weft_text name)
{
    char utf8[4];
    uint32_t code;
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        if (weft_text_is(name, entities[i].name)) {
            keep(xml, &entities[i].c, 1);
            return true;
        }
    }
    if (name.size == 0 || name.data[0] != '#' ||
        !number_of(weft_text(name.data + 1, name.size - 1), &code))
        return false;
    keep(xml, utf8, octets_utf8(utf8, code));
    return true;
}

/* It ended, by its ';' or by a byte that cannot be in one, and then it is what it looks like. */
static void end_entity(struct sitemap_xml *xml, bool closed)
{
    xml->state = xml->owner;
    if (closed && keep_entity(xml, weft_text(xml->entity, xml->entity_size)))
        return;
    keep(xml, "&", 1);
    keep(xml, xml->entity, xml->entity_size);
    if (closed)
        keep(xml, ";", 1);
}

static void begin_entity(struct sitemap_xml *xml)
{
    xml->owner = xml->state;
    xml->state = ENTITY;
    xml->entity_size = 0;
}

static bool may_be_in_entity(char c)
{
    return c == '#' || (c >= '0' && c <= '9') ||
           (weft_text_lower(c) >= 'a' && weft_text_lower(c) <= 'z');
}

static const char *take_entity(struct sitemap_xml *xml, const char *at)
{
    if (may_be_in_entity(*at) && xml->entity_size < sizeof xml->entity) {
        xml->entity[xml->entity_size++] = *at;
        return at + 1;
    }
    end_entity(xml, *at == ';');
    return *at == ';' ? at + 1 : at;
}

/* ---- markup ---------------------------------------------------------------------------------- */

static void begin_tag(struct sitemap_xml *xml, bool closing)
{
    xml->state = TAG;
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
    keep(xml, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == '<')
        xml->state = OPEN;
    else
        begin_entity(xml);
    return at + 1;
}

/* A '<' that begins no tag is a text like any other. */
static const char *take_open(struct sitemap_xml *xml, const char *at)
{
    bool letter = weft_text_lower(*at) >= 'a' && weft_text_lower(*at) <= 'z';
    xml->matched = 0;
    if (*at == '!') {
        xml->state = BANG;
        xml->tag.size = 0;
    } else if (*at == '?') {
        xml->state = SKIP;
    } else if (*at == '/') {
        begin_tag(xml, true);
    } else if (letter || *at == '_' || (unsigned char)*at >= 0x80) {
        begin_tag(xml, false);
        return at;
    } else {
        xml->state = CONTENT;
        keep(xml, "<", 1);
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
        name_put(name, *at++);
    return at;
}

static const char *take_tag(struct sitemap_xml *xml, const char *at, const char *end)
{
    at = take_name(&xml->tag, at, end);
    if (at < end)
        xml->state = IN_TAG;
    return at;
}

/* A '<' here begins another tag: somebody forgot the '>'. */
static const char *take_in_tag(struct weft__sitemap *reader, const char *at)
{
    struct sitemap_xml *xml = &reader->xml;
    if (*at == '>' || *at == '<') {
        finish_tag(reader);
        return *at == '>' ? at + 1 : at;
    }
    xml->empty = *at == '/' || (xml->empty && weft__sitemap_is_space(*at));
    if (ends_name(*at))
        return at + 1;
    xml->state = ATTRIBUTE;
    xml->attribute.size = 0;
    return at;
}

static const char *take_attribute(struct sitemap_xml *xml, const char *at, const char *end)
{
    at = take_name(&xml->attribute, at, end);
    if (at < end)
        xml->state = EQUALS;
    return at;
}

static const char *take_equals(struct sitemap_xml *xml, const char *at)
{
    if (weft__sitemap_is_space(*at))
        return at + 1;
    xml->state = *at == '=' ? BEFORE_VALUE : IN_TAG;
    return *at == '=' ? at + 1 : at;
}

static const char *take_before_value(struct weft__sitemap *reader, const char *at)
{
    if (weft__sitemap_is_space(*at))
        return at + 1;
    if (*at == '>' || *at == '<') {
        reader->xml.state = IN_TAG;
        return at;
    }
    bool quoted = *at == '"' || *at == '\'';
    begin_value(reader, quoted ? *at : 0);
    return quoted ? at + 1 : at;
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
    keep(xml, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == '&') {
        begin_entity(xml);
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
    static const unsigned next[] = {COMMENT, CDATA};
    name_put(&xml->tag, *at);
    for (size_t i = 0; i < 2; i++) {
        struct weft_text opening = weft_text_of(openings[i]);
        if (weft_text_equal(name_text(&xml->tag), opening)) {
            xml->state = next[i];
            return at + 1;
        }
        if (xml->tag.size < opening.size && memcmp(opening.data, xml->tag.text, xml->tag.size) == 0)
            return at + 1;
    }
    xml->state = SKIP;
    return at;
}

/* Up to "-->"; matched: how many '-' stand before at, of which two count. */
static const char *take_comment(struct sitemap_xml *xml, const char *at)
{
    if (*at == '>' && xml->matched == 2)
        xml->state = CONTENT;
    xml->matched = *at != '-' ? 0 : xml->matched < 2 ? xml->matched + 1 : 2;
    return at + 1;
}

/* Up to "]]>"; the brackets that may belong to that are text only when something else follows. */
static const char *take_cdata(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *run = at;
    if (*at == '>' && xml->matched == 2) {
        xml->state = CONTENT;
        return at + 1;
    }
    if (*at == ']') {
        if (xml->matched == 2)
            keep(xml, "]", 1);
        else
            xml->matched++;
        return at + 1;
    }
    keep(xml, "]]", xml->matched);
    xml->matched = 0;
    while (at < end && *at != ']')
        at++;
    keep(xml, run, (size_t)(at - run));
    return at;
}

static const char *take_skip(struct sitemap_xml *xml, const char *at, const char *end)
{
    const char *close = memchr(at, '>', (size_t)(end - at));
    if (close == NULL)
        return end;
    xml->state = CONTENT;
    return close + 1;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Takes at least a byte, or goes to another state. */
static const char *take(struct weft__sitemap *reader, const char *at, const char *end)
{
    struct sitemap_xml *xml = &reader->xml;
    switch (xml->state) {
    case CONTENT:
        return take_content(xml, at, end);
    case OPEN:
        return take_open(xml, at);
    case TAG:
        return take_tag(xml, at, end);
    case IN_TAG:
        return take_in_tag(reader, at);
    case ATTRIBUTE:
        return take_attribute(xml, at, end);
    case EQUALS:
        return take_equals(xml, at);
    case BEFORE_VALUE:
        return take_before_value(reader, at);
    case VALUE:
        return take_value(xml, at, end);
    case ENTITY:
        return take_entity(xml, at);
    case BANG:
        return take_bang(xml, at);
    case COMMENT:
        return take_comment(xml, at);
    case CDATA:
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
