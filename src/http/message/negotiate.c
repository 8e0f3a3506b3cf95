/* Accept-Encoding (RFC 9110, 12.5.3): "gzip, br;q=0.8, *;q=0". A coding that is named counts as it
 * says; "*" is for all that are not named; identity, the plain bytes, is taken unless one of the
 * two refuses it. When one is named twice the lower counts: plain bytes are never wrong. */
#include "scan.h"

enum { UNSAID = 1001 };

/* What is malformed is not wanted. */
static unsigned read_weight(struct weft_text parameters)
{
    unsigned quality;
    return weft__http_scan_weight(parameters, &quality) ? quality : 0;
}

/* gzip was once x-gzip, and that means the same. */
static bool is_coding(struct weft_text name, struct weft_text coding)
{
    if (weft_text_same(name, coding))
        return true;
    return name.size > 2 && weft_text_same(weft_text(name.data, 2), weft_text_of("x-")) &&
           weft_text_same(weft_text(name.data + 2, name.size - 2), coding);
}

struct wish {
    struct weft_text coding;
    unsigned named, star;
};

static void read_field(struct weft_text value, struct wish *wish)
{
    struct weft_text element;
    while (weft_http_list_next(&value, &element) == 1) {
        struct weft_text name = scan_token(&element);
        scan_blanks(&element);
        bool parameters = element.size == 0 || element.data[0] == ';';
        unsigned weight = parameters ? read_weight(element) : 0;
        if (is_coding(name, wish->coding))
            wish->named = weight < wish->named ? weight : wish->named;
        else if (weft_text_is(name, "*"))
            wish->star = weight < wish->star ? weight : wish->star;
    }
}

unsigned weft_http_encoding_quality(const struct weft_http_head *head, const char *coding)
{
    struct wish wish = {weft_text_of(coding), UNSAID, UNSAID};
    const struct weft_http_field *field;
    size_t at = 0;
    bool any = false;
    while ((field = weft_http_head_next(head, "Accept-Encoding", &at)) != NULL) {
        read_field(field->value, &wish);
        any = true;
    }
    if (wish.named != UNSAID)
        return wish.named;
    if (wish.star != UNSAID)
        return wish.star;
    if (!weft_text_same(wish.coding, weft_text_of("identity")))
        return 0;
    return any ? 1 : 1000; /* what was named is liked better than what was not */
}

bool weft_http_accepts_encoding(const struct weft_http_head *head, const char *coding)
{
    return weft_http_encoding_quality(head, coding) > 0;
}
