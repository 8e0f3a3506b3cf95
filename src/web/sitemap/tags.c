/* What the tags of a sitemap or a feed mean.
 *
 * No tree and no stack: all that is remembered is the container that we are in, <url>, <sitemap>,
 * <item> or <entry>, with the prefix of its name. A field of it has the same prefix: so <sm:loc>
 * counts in <sm:url>, and <image:loc> does not in <url>. A container is closed by its end tag, by
 * the next one of its kind or by the end; a field by any tag. So what is broken costs an entry, and
 * not the rest of the file. */
#include "sitemap.h"

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

void weft__sitemap_name_put(struct sitemap_name *name, char c)
{
    if (name->size < sizeof name->text)
        name->text[name->size] = c;
    if (name->size <= sizeof name->text)
        name->size++;
}

struct weft_text weft__sitemap_name_text(const struct sitemap_name *name)
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
    local_of(weft__sitemap_name_text(&xml->container), &own);
    return xml->inside != NONE && weft_text_equal(own, prefix);
}

static void start_tag(struct weft__sitemap *reader)
{
    struct sitemap_xml *xml = &reader->xml;
    struct weft_text prefix, local = local_of(weft__sitemap_name_text(&xml->tag), &prefix);
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
    struct weft_text prefix, local = local_of(weft__sitemap_name_text(&xml->tag), &prefix);
    if (is_ours(xml, prefix) && kind_of(local) == xml->inside) {
        weft__sitemap_report(reader);
        xml->inside = NONE;
    }
}

/* The link of an Atom entry has its URL in an attribute. Only that of the page itself counts. */
static bool is_atom_link(const struct sitemap_xml *xml)
{
    struct weft_text prefix, local = local_of(weft__sitemap_name_text(&xml->tag), &prefix);
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

void weft__sitemap_finish_tag(struct weft__sitemap *reader)
{
    struct sitemap_xml *xml = &reader->xml;
    xml->state = XML_CONTENT;
    xml->capture = NULL;
    if (is_atom_link(xml))
        end_atom_link(reader);
    else if (xml->closing)
        end_tag(reader);
    else
        start_tag(reader);
}

/* An attribute's value begins: where does it go? */
void weft__sitemap_begin_value(struct weft__sitemap *reader, char quote)
{
    struct sitemap_xml *xml = &reader->xml;
    struct weft_text name = weft__sitemap_name_text(&xml->attribute);
    xml->state = XML_VALUE;
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
