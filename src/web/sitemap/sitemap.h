/* Inside the room of sitemaps: bytes go from feed through unpack into a format's scanner, which
 * fills the fields of an entry; entry.c reports it. Errors are sitemap->status_. */
#ifndef WEFT_WEB_SITEMAP_H
#define WEFT_WEB_SITEMAP_H

#include <weft/sitemap.h>
#include <zlib.h>

/* The states of the scanner for XML; xml.c says what they are. */
enum {
    XML_CONTENT,
    XML_OPEN,
    XML_TAG,
    XML_IN_TAG,
    XML_ATTRIBUTE,
    XML_EQUALS,
    XML_BEFORE_VALUE,
    XML_VALUE,
    XML_ENTITY,
    XML_BANG,
    XML_COMMENT,
    XML_CDATA,
    XML_SKIP
};

enum { SITEMAP_NAME_MAX = 64, SITEMAP_SMALL_MAX = 64, SITEMAP_OUT_SIZE = 16 * 1024 };

/* A text that is put together, up to its room. */
struct sitemap_field {
    char *text;
    size_t size, room;
    bool too_long;
};

struct sitemap_name {
    char text[SITEMAP_NAME_MAX];
    size_t size; /* above SITEMAP_NAME_MAX: a name that nobody looks for */
};

struct sitemap_unpack {
    unsigned state;
    bool open; /* zlib holds memory */
    z_stream zlib;
    unsigned char out[SITEMAP_OUT_SIZE];
};

struct sitemap_xml {
    unsigned state, owner; /* owner: the state that an entity stands in */
    struct sitemap_name tag, attribute, container;
    unsigned inside;               /* of which kind the container is */
    bool closing, empty;           /* the tag is </tag> or <tag/> */
    char quote;                    /* around the value; 0: none */
    unsigned matched;              /* of "<!--", "-->", "<![CDATA[" or "]]>" */
    struct sitemap_field *capture; /* where text goes; NULL: nowhere */
    char entity[12];
    size_t entity_size;
    struct sitemap_field rel; /* of an Atom link */
    bool href;                /* it filled loc */
};

struct weft__sitemap {
    struct weft_sitemap *sitemap;
    uint64_t size, entries;
    unsigned format;
    bool index;
    struct sitemap_field loc, lastmod;
    struct sitemap_xml xml;
    struct sitemap_unpack unpack;
    char loc_text[WEFT_SITEMAP_LOC_MAX], lastmod_text[SITEMAP_SMALL_MAX];
    char rel_text[SITEMAP_SMALL_MAX];
};

/* The file as it came; weft__sitemap_content gets it as it is when unpacked. */
void weft__sitemap_unpack(struct weft__sitemap *reader, const char *data, size_t size);
/* There is no more: UV_EOF if that is too early. */
int weft__sitemap_unpack_end(struct weft__sitemap *reader);
void weft__sitemap_unpack_free(struct weft__sitemap *reader);

void weft__sitemap_content(struct weft__sitemap *reader, const char *data, size_t size);

void weft__sitemap_xml(struct weft__sitemap *reader, const char *data, size_t size);
/* Text of a field or of an attribute's value, if somebody wants it. */
void weft__sitemap_keep(struct sitemap_xml *xml, const char *data, size_t size);
/* The last entry, if it was not closed. */
void weft__sitemap_xml_end(struct weft__sitemap *reader);

/* tags.c: the tag that was read is complete; the value of an attribute begins. */
void weft__sitemap_finish_tag(struct weft__sitemap *reader);
void weft__sitemap_begin_value(struct weft__sitemap *reader, char quote);
void weft__sitemap_name_put(struct sitemap_name *name, char c);
struct weft_text weft__sitemap_name_text(const struct sitemap_name *name);

/* entity.c: behind a '&', and the next byte. Where that leads to. */
void weft__sitemap_begin_entity(struct sitemap_xml *xml);
const char *weft__sitemap_entity(struct sitemap_xml *xml, const char *at);

void weft__sitemap_text(struct weft__sitemap *reader, const char *data, size_t size);
void weft__sitemap_text_end(struct weft__sitemap *reader);

bool weft__sitemap_is_space(char c);
void weft__sitemap_field_clear(struct sitemap_field *field);
/* Blanks before it are dropped. */
void weft__sitemap_field_put(struct sitemap_field *field, const char *data, size_t size);
/* Without the blanks behind it; empty if it is too long. */
struct weft_text weft__sitemap_field_text(const struct sitemap_field *field);

/* Report what is in loc and lastmod, if there is a loc, and clear both. */
void weft__sitemap_report(struct weft__sitemap *reader);

#endif
