/* Redirects: where an answer leads to, and what the next request looks like.
 *
 * Each hop is a request of its own, made here and not by curl, so that the caller can look at it
 * before it is made, and so that the host of each is resolved and checked as the first one's was.
 * What RFC 9110 says of methods: after 303 everything but HEAD becomes GET; after 301 and 302 POST
 * does, as everybody has always done it; 307 and 308 repeat the request, body included. What names
 * the sender (passwords, cookies given by hand) does not leave the first origin, and does not come
 * back with a later hop. */
#include "client.h"
#include "weft/alloc.h"
#include <string.h>

bool weft__http_is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool weft__http_is_web(const char *url)
{
    struct weft_text text = weft_text_of(url);
    return weft_text_starts(text, "http://") || weft_text_starts(text, "https://");
}

static char *copy_of(struct weft_text text)
{
    char *copy = weft_alloc(text.size + 1);
    if (copy == NULL)
        return NULL;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return copy;
}

/* curl leaves some blanks and controls as they are, as in a user's name. No request can be made
 * with them. */
static bool has_blanks(const char *url)
{
    for (; *url != '\0'; url++) {
        if ((unsigned char)*url <= ' ' || *url == 0x7f)
            return true;
    }
    return false;
}

static bool in_scheme(char c)
{
    char lower = weft_text_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || strchr("+-.", c) != NULL;
}

/* Does everybody see the same host in it? What curl takes to be a scheme has to be followed by two
 * slashes; a third one is only for the URL of a file; and '\\' is '/' to some. */
static bool is_clear(const char *location)
{
    size_t scheme = 0;
    if (strchr(location, '\\') != NULL)
        return false;
    while (location[scheme] != '\0' && in_scheme(location[scheme]))
        scheme++;
    struct weft_text rest = weft_text_of(location + scheme);
    if (scheme == 0 || rest.data[0] != ':')
        return !weft_text_starts(weft_text_of(location), "///");
    return weft_text_starts(rest, "://") &&
           (rest.data[3] != '/' ||
            weft_text_same(weft_text(location, scheme), weft_text_of("file")));
}

/* url becomes what location says. Of one that is only a fragment curl would make the folder. */
static CURLUcode move(CURLU *url, const char *location)
{
    if (location[0] == '#')
        return curl_url_set(url, CURLUPART_FRAGMENT, location[1] != '\0' ? location + 1 : NULL,
                            CURLU_URLENCODE);
    return curl_url_set(url, CURLUPART_URL, location,
                        CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME);
}

/* location, seen from url; *absolute is NULL if it leads nowhere. */
static int resolve(CURLU *url, const char *location, char **absolute)
{
    char *got = NULL;
    *absolute = NULL;
    CURLU *next = curl_url_dup(url);
    if (next == NULL)
        return UV_ENOMEM;
    CURLUcode code = move(next, location);
    if (code == CURLUE_OK)
        code = curl_url_get(next, CURLUPART_URL, &got, 0);
    if (code == CURLUE_OK && has_blanks(got))
        code = CURLUE_MALFORMED_INPUT;
    if (code == CURLUE_OK)
        *absolute = copy_of(weft_text_of(got));
    curl_free(got);
    curl_url_cleanup(next);
    bool starved = code == CURLUE_OK ? *absolute == NULL : weft__http_starved();
    return starved ? UV_ENOMEM : 0;
}

/* The URL that was asked for, for curl to reckon with; *made if it has to be cleaned up. 0,
 * UV_ENOMEM, UV_ENOSYS. */
static int base_of(struct weft_http_fetch *fetch, CURLU **url, CURLU **made)
{
    *made = NULL;
    if (fetch->handle_ != NULL) {
        *url = fetch->handle_->url;
        return 0;
    }
    int err = weft__http_curl_load(fetch->text_);
    if (err != 0)
        return err;
    *url = *made = curl_url();
    if (*made != NULL && curl_url_set(*made, CURLUPART_URL, fetch->effective_url, 0) == CURLUE_OK)
        return 0;
    curl_url_cleanup(*made);
    return UV_ENOMEM;
}

static int ask_curl(struct weft_http_fetch *fetch, const char *location)
{
    CURLU *url, *made;
    int err = base_of(fetch, &url, &made);
    if (err != 0)
        return err;
    err = resolve(url, location, &fetch->moved_);
    if (made != NULL)
        curl_url_cleanup(made);
    return err;
}

int weft__http_redirect_find(struct weft_http_fetch *fetch)
{
    struct weft_text value = weft_http_fetch_get(fetch, "Location");
    if (value.size == 0)
        return 0;
    char *location = copy_of(value);
    if (location == NULL)
        return UV_ENOMEM;
    weft_free(fetch->moved_);
    fetch->moved_ = NULL;
    int err = 0;
    if (is_clear(location)) {
        err = fetch->handle_ == NULL
                  ? weft__http_location(fetch->effective_url, location, &fetch->moved_)
                  : 0;
        err = err == 0 ? ask_curl(fetch, location) : err < 0 ? err : 0;
    }
    weft_free(location);
    fetch->location = fetch->moved_;
    return err;
}

/* ---- the next request ----------------------------------------------------------------------- */

static bool same_part(CURLU *one, CURLU *other, CURLUPart part)
{
    char *first = NULL, *second = NULL;
    bool same = curl_url_get(one, part, &first, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                curl_url_get(other, part, &second, CURLU_DEFAULT_PORT) == CURLUE_OK &&
                weft_text_same(weft_text_of(first), weft_text_of(second));
    curl_free(first);
    curl_free(second);
    return same;
}

static bool curl_same_origin(CURLU *from, const char *url)
{
    CURLU *to = curl_url();
    bool same = to != NULL && curl_url_set(to, CURLUPART_URL, url, 0) == CURLUE_OK &&
                same_part(from, to, CURLUPART_SCHEME) && same_part(from, to, CURLUPART_HOST) &&
                same_part(from, to, CURLUPART_PORT);
    curl_url_cleanup(to);
    return same;
}

/* In doubt, also without memory or without curl, it is another one. */
static bool same_origin(struct weft_http_fetch *fetch, const char *next)
{
    CURLU *url, *made;
    bool same;
    if (fetch->handle_ == NULL && weft__http_origins(fetch->effective_url, next, &same))
        return same;
    if (base_of(fetch, &url, &made) != 0)
        return false;
    same = curl_same_origin(url, next);
    if (made != NULL)
        curl_url_cleanup(made);
    return same;
}

static bool becomes_get(const struct weft_http_fetch *fetch)
{
    bool has_body = fetch->data != NULL || fetch->pull != NULL;
    const char *method = fetch->method != NULL ? fetch->method : has_body ? "POST" : "GET";
    if (fetch->status == 303)
        return strcmp(method, "HEAD") != 0;
    return (fetch->status == 301 || fetch->status == 302) && strcmp(method, "POST") == 0;
}

int weft__http_redirect_take(struct weft_http_fetch *fetch)
{
    fetch->stranger_ |= !same_origin(fetch, fetch->moved_);
    fetch->as_get_ |= becomes_get(fetch);
    weft_free(fetch->target_);
    fetch->effective_url = fetch->target_ = fetch->moved_;
    fetch->location = fetch->moved_ = NULL;
    fetch->redirects++;
    fetch->asks_ = 0;
    fetch->told_ = fetch->follows_ = false;
    fetch->head_total_ = fetch->dropped_ = 0;
    weft__http_head_reset(fetch);
    weft__http_heads_begin(fetch);
    if (fetch->pull == NULL || fetch->as_get_)
        return 0;
    return weft__http_rewound(fetch) ? 0 : UV_ESPIPE;
}
