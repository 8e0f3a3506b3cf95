/* Accept (RFC 9110, 12.5.1): "text/html, application/json;q=0.9, *" "/" "*;q=0.1". Of the ranges
 * that take a type the one that names it most exactly says how much it is liked, wherever it
 * stands. Types have no parameters here, so those of a range, but for q, are passed over. */
#include "scan.h"

/* How exactly a type was named, and how much it is liked. */
struct liking {
    unsigned exact; /* 0: not at all, 1: by all types, 2: by all of text, 3: by its name */
    unsigned quality;
};

static unsigned exactness(struct weft_text range, struct weft_text type)
{
    if (weft_text_is(range, "*/*"))
        return 1;
    struct weft_text range_main = weft_text_cut(&range, '/'), main = weft_text_cut(&type, '/');
    if (!weft_text_same(range_main, main))
        return 0;
    return weft_text_is(range, "*") ? 2 : weft_text_same(range, type) ? 3 : 0;
}

static void read_range(struct weft_text element, struct weft_text type, struct liking *liking)
{
    unsigned quality;
    struct weft_text range = weft_text_trim(weft_text_cut(&element, ';'));
    unsigned exact = exactness(range, type);
    if (exact > liking->exact && weft__http_scan_weight(element, &quality))
        *liking = (struct liking){exact, quality};
}

/* Everything is liked by who does not say. */
static struct liking find_liking(const struct weft_http_head *head, const char *type)
{
    struct liking liking = {0, 0};
    struct weft_text wanted = weft_text_of(type);
    const struct weft_http_field *field;
    size_t at = 0;
    bool said = false;
    while ((field = weft_http_head_next(head, "Accept", &at)) != NULL) {
        struct weft_text rest = field->value, element;
        while (weft_http_list_next(&rest, &element) == 1) {
            read_range(element, wanted, &liking);
            said = true;
        }
    }
    return said ? liking : (struct liking){0, 1000};
}

/* Most clients say no more than that they take all. */
static bool takes_all(const struct weft_http_head *head)
{
    const struct weft_http_field *field;
    size_t at = 0;
    while ((field = weft_http_head_next(head, "Accept", &at)) != NULL) {
        if (!weft_text_is(field->value, "*/*"))
            return false;
    }
    return true;
}

static bool is_better(struct liking one, struct liking other)
{
    if (one.quality != other.quality)
        return one.quality > other.quality;
    return one.quality > 0 && one.exact > other.exact;
}

size_t weft_http_accept_best(const struct weft_http_head *head, const char *const *types,
                             size_t count)
{
    struct liking most = {0, 0};
    size_t best = count;
    if (takes_all(head))
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct liking liking = find_liking(head, types[i]);
        if (is_better(liking, most)) {
            most = liking;
            best = i;
        }
    }
    return best;
}

unsigned weft_http_accept_quality(const struct weft_http_head *head, const char *type)
{
    return find_liking(head, type).quality;
}
