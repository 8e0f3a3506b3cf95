/* Conditional requests (RFC 9110, 13). The order is the RFC's, 13.2.2: first what guards a change
 * (If-Match, or If-Unmodified-Since), then what saves a transfer (If-None-Match, or
 * If-Modified-Since); of each pair the tag is better than the date, which then is not even read.
 *
 * When a client's condition cannot be understood, the doubt goes to the side that destroys
 * nothing: a body is sent once too often, a change is refused. */
#include "scan.h"

struct resource {
    struct weft_text etag;
    int64_t modified;
    int64_t now;
    bool exists;
};

enum answer { ABSENT, YES, NO, MALFORMED };

/* Several fields of one name are one list. */
static enum answer tags_match(const struct weft_http_head *head, const char *name,
                              const struct resource *resource, bool weak)
{
    const struct weft_http_field *field;
    enum answer answer = ABSENT;
    size_t at = 0;
    while ((field = weft_http_head_next(head, name, &at)) != NULL) {
        int has = weft_http_etag_list_has(field->value, resource->etag, weak);
        if (has < 0)
            return MALFORMED;
        answer = (has && resource->exists) || answer == YES ? YES : NO;
    }
    return answer;
}

/* The only field of this name, or NULL: of two dates nobody can say which one is meant. */
static const struct weft_http_field *only(const struct weft_http_head *head, const char *name)
{
    size_t at = 0;
    const struct weft_http_field *field = weft_http_head_next(head, name, &at);
    return field != NULL && weft_http_head_next(head, name, &at) == NULL ? field : NULL;
}

/* Was it changed after the date in this field? */
static enum answer changed_since(const struct weft_http_head *head, const char *name,
                                 const struct resource *resource)
{
    const struct weft_http_field *field = only(head, name);
    int64_t date;
    if (field == NULL || resource->modified < 0 ||
        weft_http_date_parse(field->value, resource->now, &date) != 0)
        return ABSENT;
    return resource->modified > date ? YES : NO;
}

/* Some methods have no resource in view. */
static bool selects(enum weft_http_method method)
{
    return ((unsigned)method & (WEFT_HTTP_CONNECT | WEFT_HTTP_OPTIONS | WEFT_HTTP_TRACE)) == 0;
}

static bool only_reads(enum weft_http_method method)
{
    return ((unsigned)method & (WEFT_HTTP_GET | WEFT_HTTP_HEAD)) != 0;
}

static bool may_change(const struct weft_http_head *head, const struct resource *resource)
{
    enum answer match = tags_match(head, "If-Match", resource, false);
    if (match != ABSENT)
        return match == YES;
    return changed_since(head, "If-Unmodified-Since", resource) != YES;
}

enum weft_http_verdict weft_http_conditional(const struct weft_http_head *head,
                                             struct weft_text etag, int64_t modified, int64_t now)
{
    struct resource resource = {etag, modified, now, etag.size > 0 || modified >= 0};
    bool reads = only_reads(head->method);
    if (!selects(head->method))
        return WEFT_HTTP_PROCEED;
    if (!may_change(head, &resource))
        return WEFT_HTTP_PRECONDITION_FAILED;
    enum answer match = tags_match(head, "If-None-Match", &resource, true);
    if (match == YES && reads)
        return WEFT_HTTP_NOT_MODIFIED;
    if ((match == YES || match == MALFORMED) && !reads)
        return WEFT_HTTP_PRECONDITION_FAILED;
    if (match == ABSENT && reads && changed_since(head, "If-Modified-Since", &resource) == NO)
        return WEFT_HTTP_NOT_MODIFIED;
    return WEFT_HTTP_PROCEED;
}

/* A date is shorter than a tag's promise, so it has to be exactly the one that was sent. */
static bool still_the_same(struct weft_text validator, const struct resource *resource)
{
    int64_t date;
    if (weft_http_etag_ok(validator))
        return weft_http_etag_strong_same(validator, resource->etag);
    return resource->modified >= 0 && weft_http_date_parse(validator, resource->now, &date) == 0 &&
           date == resource->modified;
}

bool weft_http_range_applies(const struct weft_http_head *head, struct weft_text etag,
                             int64_t modified, int64_t now)
{
    struct resource resource = {.etag = etag, .modified = modified, .now = now};
    if (head->method != WEFT_HTTP_GET || only(head, "Range") == NULL)
        return false;
    if (weft_http_head_get(head, "If-Range").data == NULL)
        return true;
    const struct weft_http_field *condition = only(head, "If-Range");
    return condition != NULL && still_the_same(condition->value, &resource);
}
