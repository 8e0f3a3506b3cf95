/* Where a Location leads to, without curl: for those that need no second look.
 *
 * Those are what servers send: a whole URL, "//host/path", "/path", "page" or "../page", with a host
 * in lower case, in ASCII that stays as it is, and no "." or ".." within it. What comes of them is
 * a matter of putting two texts together, and the same as curl's answer. All others are left to curl:
 * so there is one place for what is odd, and it is loaded for that only. */
#include "direct.h"
#include "weft/alloc.h"
#include <string.h>

/* A URL whose parts are where they seem to be. */
struct plain_url {
    bool secure;
    struct direct_url at;
    size_t path; /* where it begins in the text; there may be none */
};

static bool plain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~%!$&'()*+,;=:@/?#", c) != NULL);
}

/* Only such characters; no part of the path that is dots; and neither a query nor a fragment that is
 * empty: curl's versions do not agree about those. */
static bool plain_target(const char *text)
{
    bool in_path = true, begins = true;
    for (const char *c = text; *c != '\0'; c++) {
        char next = c[1];
        if (!plain_char(*c) || ((*c == '?' || *c == '#') && (next == '\0' || next == '#')))
            return false;
        in_path = in_path && *c != '?' && *c != '#';
        if (in_path && begins && weft__http_is_dots(c))
            return false;
        begins = *c == '/';
    }
    return true;
}

/* host:port, and what follows is a path or nothing. How long that is; 0: it is not plain. */
static size_t read_place(const char *text, struct plain_url *url)
{
    size_t size = weft__http_direct_place(text, &url->at);
    size_t host = strlen(url->at.host);
    if (size == 0 || memcmp(text, url->at.host, host) != 0 ||
        (text[size] != '\0' && text[size] != '/'))
        return 0;
    if (size == host)
        url->at.port = url->secure ? 443 : 80;
    return size;
}

static bool read_plain(const char *text, struct plain_url *url)
{
    url->secure = strncmp(text, "https://", 8) == 0;
    if (!url->secure && strncmp(text, "http://", 7) != 0)
        return false;
    size_t before = url->secure ? 8 : 7, place = read_place(text + before, url);
    url->path = before + place;
    return place != 0;
}

/* ---- putting together ----------------------------------------------------------------------- */

/* The first so many bytes of base, location, and the '/' of a path that is missing. */
static int join(const char *base, size_t size, const char *location, bool slash, char **absolute)
{
    size_t rest = strlen(location);
    char *text = weft_alloc(size + rest + 2);
    if (text == NULL)
        return UV_ENOMEM;
    memcpy(text, base, size);
    memcpy(text + size, location, rest);
    text[size + rest] = '/';
    text[size + rest + slash] = '\0';
    *absolute = text;
    return 1;
}

/* How much of path is its folder, up to and with its last '/'. */
static size_t folder_of(const char *path, size_t size)
{
    while (path[size - 1] != '/')
        size--;
    return size;
}

/* "page": it takes the place of what is behind the last '/' of base's path; "../page" is one folder
 * up, if there is one. */
static int join_page(const char *base, const struct plain_url *url, const char *page,
                     char **absolute)
{
    const char *path = base + url->path;
    if (path[0] == '\0' || strchr(path, '#') != NULL || !plain_target(path))
        return 0;
    size_t size = folder_of(path, strcspn(path, "?"));
    while (strncmp(page, "./", 2) == 0 || strncmp(page, "../", 3) == 0) {
        bool up = page[1] == '.';
        if (up && size > 1)
            size = folder_of(path, size - 1);
        page += 2 + up;
    }
    if (page[strcspn(page, ":/?#")] == ':' || strchr("/?#", page[0]) != NULL || !plain_target(page))
        return 0;
    return join(base, url->path + size, page, false, absolute);
}

int weft__http_location(const char *base, const char *location, char **absolute)
{
    struct plain_url from, to;
    if (!read_plain(base, &from))
        return 0;
    if (read_plain(location, &to))
        return plain_target(location + to.path)
                   ? join("", 0, location, location[to.path] == '\0', absolute)
                   : 0;
    if (strncmp(location, "//", 2) == 0) {
        size_t place = read_place(location + 2, &from), scheme = from.secure ? 6 : 5;
        return place != 0 && plain_target(location + 2 + place)
                   ? join(base, scheme, location, location[2 + place] == '\0', absolute)
                   : 0;
    }
    if (location[0] != '/')
        return join_page(base, &from, location, absolute);
    return plain_target(location) ? join(base, from.path, location, false, absolute) : 0;
}

bool weft__http_origins(const char *one, const char *other, bool *same)
{
    struct plain_url first, second;
    if (!read_plain(one, &first) || !read_plain(other, &second))
        return false;
    *same = first.secure == second.secure && first.at.port == second.at.port &&
            strcmp(first.at.host, second.at.host) == 0;
    return true;
}
