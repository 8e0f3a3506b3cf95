/* Cookies: how many are kept.
 *
 * curl takes 50 of an answer, and keeps all it has taken: a server that thinks of new names with
 * every answer would have it remember them for ever, and look through them with every request. So
 * what comes is counted, and when it is WEFT_FETCH_COOKIES curl is asked what it really has. If that
 * is half as many, they are thinned out: of each domain those that came first stay, because what
 * matters, who we are, is set at the beginning.
 *
 * After that at least half as many have to come until somebody looks again. Heads are counted inside
 * curl, and what it has is looked at before the next request, when nobody is. */
#include "client.h"
#include "weft/alloc.h"

enum { OF_A_DOMAIN = 200, DOMAINS = 4096, LEFT = WEFT_FETCH_COOKIES / 2 };

/* The domain is what stands before the first tab of a line. Two may share a number: then they share
 * their 200. */
static unsigned domain_of(const char *line)
{
    uint32_t hash = 2166136261u;
    for (; *line != '\0' && *line != '\t'; line++)
        hash = (hash ^ (unsigned char)*line) * 16777619u;
    return hash % DOMAINS;
}

static unsigned length_of(const struct curl_slist *list)
{
    unsigned length = 0;
    for (; list != NULL; list = list->next)
        length++;
    return length;
}

/* All are forgotten, and some remembered. What there is no memory for is lost. */
static unsigned thin_out(CURL *easy, const struct curl_slist *list)
{
    unsigned kept = 0, *counts = weft_calloc(DOMAINS, sizeof *counts);
    curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");
    for (; list != NULL && counts != NULL && kept < LEFT; list = list->next) {
        if (counts[domain_of(list->data)]++ < OF_A_DOMAIN &&
            curl_easy_setopt(easy, CURLOPT_COOKIELIST, list->data) == CURLE_OK)
            kept++;
    }
    weft_free(counts);
    return kept;
}

void weft__http_cookies_thin_out(struct weft_http_engine *engine)
{
    struct curl_slist *list = NULL;
    CURL *easy = engine->cookies > WEFT_FETCH_COOKIES ? curl_easy_init() : NULL;
    if (easy == NULL)
        return;
    if (curl_easy_setopt(easy, CURLOPT_SHARE, engine->share) == CURLE_OK &&
        curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK) {
        engine->cookies = length_of(list);
        if (engine->cookies > LEFT)
            engine->cookies = thin_out(easy, list);
    }
    curl_slist_free_all(list);
    curl_easy_cleanup(easy);
}

void weft__http_cookies_came(const struct weft_http_fetch *fetch)
{
    struct weft_http_engine *engine = fetch->engine_;
    size_t at = 0;
    while (engine->share != NULL && weft_http_fetch_next(fetch, "Set-Cookie", &at) != NULL)
        engine->cookies++;
}
