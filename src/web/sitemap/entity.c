/* Entities: the five that XML has, and numbers. What a file defines itself is not known here, so
 * there is nothing to expand or to fetch: it stays as it is written. */
#include "sitemap.h"
#include "web/octets.h"

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
            weft__sitemap_keep(xml, &entities[i].c, 1);
            return true;
        }
    }
    if (name.size == 0 || name.data[0] != '#' ||
        !number_of(weft_text(name.data + 1, name.size - 1), &code))
        return false;
    weft__sitemap_keep(xml, utf8, octets_utf8(utf8, code));
    return true;
}

/* It ended, by its ';' or by a byte that cannot be in one, and then it is what it looks like. */
static void end_entity(struct sitemap_xml *xml, bool closed)
{
    xml->state = xml->owner;
    if (closed && keep_entity(xml, weft_text(xml->entity, xml->entity_size)))
        return;
    weft__sitemap_keep(xml, "&", 1);
    weft__sitemap_keep(xml, xml->entity, xml->entity_size);
    if (closed)
        weft__sitemap_keep(xml, ";", 1);
}

void weft__sitemap_begin_entity(struct sitemap_xml *xml)
{
    xml->owner = xml->state;
    xml->state = XML_ENTITY;
    xml->entity_size = 0;
}

static bool may_be_in_entity(char c)
{
    return c == '#' || (c >= '0' && c <= '9') ||
           (weft_text_lower(c) >= 'a' && weft_text_lower(c) <= 'z');
}

const char *weft__sitemap_entity(struct sitemap_xml *xml, const char *at)
{
    if (may_be_in_entity(*at) && xml->entity_size < sizeof xml->entity) {
        xml->entity[xml->entity_size++] = *at;
        return at + 1;
    }
    end_entity(xml, *at == ';');
    return *at == ';' ? at + 1 : at;
}
