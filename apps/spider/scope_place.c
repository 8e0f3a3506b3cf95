/* A host that somebody has typed, "*.Example.org" or "host:8080".
 *
 * The URL parser says what it is: it knows about capitals, numbers, IPv6 and other alphabets, and
 * links go through it too. What would be more than a host to it is refused before. */
#include "spider/scope_inside.h"
#include <stdio.h>
#include <string.h>
#include <uv.h>
#include <weft/url.h>

enum { HTTPS_PORT = 443 };

int scope_place_read(struct scope_place *place, const char *text)
{
    struct weft_url url = {0};
    char href[512];
    bool below = strncmp(text, "*.", 2) == 0;
    if (below)
        text += 2;
    size_t size = strlen(text);
    if (size == 0 || text[strcspn(text, "/\\?#@*")] != '\0' || size > sizeof href - 16)
        return UV_EINVAL;
    snprintf(href, sizeof href, "http://%s/", text);
    int err = weft_url_parse(&url, weft_text_of(href), NULL);
    struct weft_text name = weft_url_hostname(&url);
    if (err == 0 && name.size >= sizeof place->name)
        err = UV_EINVAL;
    if (err == 0) {
        snprintf(place->name, sizeof place->name, "%.*s", WEFT_TEXT_ARGS(name));
        place->port = url.port == HTTPS_PORT ? -1 : url.port;
        place->below = below;
    }
    weft_url_free(&url);
    return err == 0 || err == UV_ENOMEM ? err : UV_EINVAL;
}
