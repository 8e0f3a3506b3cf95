/* Who is reached through the proxy. curl is only told "this one" or "none", request by request, so
 * that there is one answer to the question whose name has to be looked up: the host's or the
 * proxy's. A proxy that would have us look up the host's name all the same (socks5, socks4) is not
 * taken: socks5h and socks4a are what they are called when they do it themselves. */
#include "client.h"
#include <stdlib.h>
#include <string.h>

static bool scheme_ok(const char *scheme)
{
    static const char *const known[] = {"http", "https", "socks5h", "socks4a"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(scheme, known[i]) == 0)
            return true;
    }
    return false;
}

/* A part of a URL into text; false: it has none, or it does not fit. */
static bool get_part(CURLU *url, CURLUPart part, char *text, size_t size)
{
    char *got = NULL;
    if (curl_url_get(url, part, &got, 0) != CURLUE_OK)
        return false;
    bool fits = strlen(got) < size;
    if (fits)
        memcpy(text, got, strlen(got) + 1);
    curl_free(got);
    return fits;
}

int weft__http_proxy_read(struct weft_http_engine *engine)
{
    const char *proxy = engine->client->proxy;
    char scheme[16], port[8];
    if (proxy == NULL)
        return 0;
    CURLU *url = curl_url();
    if (url == NULL)
        return UV_ENOMEM;
    CURLUcode code = curl_url_set(url, CURLUPART_URL, proxy, CURLU_NON_SUPPORT_SCHEME);
    int err = code == CURLUE_OUT_OF_MEMORY ? UV_ENOMEM : code != CURLUE_OK ? UV_EINVAL : 0;
    if (err == 0 &&
        (!get_part(url, CURLUPART_SCHEME, scheme, sizeof scheme) ||
         !get_part(url, CURLUPART_HOST, engine->proxy_host, HOST_TEXT) || !scheme_ok(scheme)))
        err = UV_EINVAL;
    if (err == 0 && get_part(url, CURLUPART_PORT, port, sizeof port))
        engine->proxy_port = (unsigned)strtoul(port, NULL, 10);
    else if (err == 0) /* what curl takes then */
        engine->proxy_port = strcmp(scheme, "https") == 0 ? 443 : 1080;
    curl_url_cleanup(url);
    return err;
}

/* Is host this domain, or below it? */
static bool within(struct weft_text host, struct weft_text domain)
{
    if (domain.size > 0 && domain.data[0] == '.')
        domain = weft_text(domain.data + 1, domain.size - 1);
    if (domain.size == 0 || host.size < domain.size)
        return false;
    size_t before = host.size - domain.size;
    return weft_text_same(weft_text(host.data + before, domain.size), domain) &&
           (before == 0 || host.data[before - 1] == '.');
}

/* "[::1]" and "::1" are the same host. */
static struct weft_text without_brackets(struct weft_text host)
{
    if (host.size >= 2 && host.data[0] == '[' && host.data[host.size - 1] == ']')
        return weft_text(host.data + 1, host.size - 2);
    return host;
}

bool weft__http_proxy_used(const struct weft_http_engine *engine, const char *host)
{
    struct weft_text rest = weft_text_of(engine->client->no_proxy);
    if (engine->client->proxy == NULL)
        return false;
    while (rest.data != NULL) {
        struct weft_text domain = without_brackets(weft_text_trim(weft_text_cut(&rest, ',')));
        if (weft_text_is(domain, "*") || within(without_brackets(weft_text_of(host)), domain))
            return false;
    }
    return true;
}
