/* The URL of a server, read strictly: the whole of it and nothing else, so that a slip of the pen is not
 * a connection to somewhere else. The text is cut from both ends: database behind the first '/', user and
 * password before the last '@', port behind the last ':' of what is left. An error repeats what it is about
 * only if that cannot be a piece of a password: see is_public. */
#include "url.h"
#include <stdio.h>

static int wrong(char why[WEFT_REDIS_WHY], int status, const char *text)
{
    if (why != NULL)
        snprintf(why, WEFT_REDIS_WHY, "%s", text);
    return status;
}

/* Passwords stand before an '@', or, where that was left out, behind a ':'. So what has an '@' behind it, or
 * a ':' and no '@' before it, is kept to ourselves. */
static bool is_public(const char *url, struct weft_text part)
{
    size_t before = (size_t)(part.data - url);
    if (strchr(part.data, '@') != NULL)
        return false;
    return memchr(url, '@', before) != NULL || memchr(url, ':', before) == NULL;
}

/* The same with the part that is wrong, as far as there is room for it and it can be printed. */
static int wrong_part(char why[WEFT_REDIS_WHY], const char *url, struct weft_text part,
                      const char *text)
{
    enum { SHOWN = 64 };
    if (why == NULL || part.data == NULL || part.size == 0 || !is_public(url, part))
        return wrong(why, UV_EINVAL, text);
    int size = snprintf(why, WEFT_REDIS_WHY, "%s: \"%.*s\"", text,
                        part.size < SHOWN ? (int)part.size : SHOWN, part.data);
    for (int i = 0; i < size; i++) {
        if (why[i] < ' ' || why[i] > '~')
            why[i] = '?';
    }
    return UV_EINVAL;
}

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (weft_text_lower(c) >= 'a' && weft_text_lower(c) <= 'z');
}

static bool is_plain(char c)
{
    return c != '\0' && (is_letter_or_digit(c) || strchr("-._~!$&'()*+,;=:", c) != NULL);
}

static int digit_of(char c)
{
    c = weft_text_lower(c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode into to. A NUL in it would be an end for some and not for others. */
static bool unescape(struct weft_text text, char *to, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size && size + 1 < room; i++) {
        char c = text.data[i];
        if (c == '%' && i + 2 < text.size && digit_of(text.data[i + 1]) >= 0 &&
            digit_of(text.data[i + 2]) >= 0) {
            c = (char)(digit_of(text.data[i + 1]) * 16 + digit_of(text.data[i + 2]));
            i += 2;
            if (c == '\0')
                return false;
        } else if (!is_plain(c)) {
            return false;
        }
        to[size++] = c;
    }
    to[size] = '\0';
    return true;
}

static bool number(struct weft_text text, unsigned max, unsigned *value)
{
    *value = 0;
    if (text.size == 0 || text.size > 5 || (text.size > 1 && text.data[0] == '0'))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        *value = *value * 10 + (unsigned)(text.data[i] - '0');
    }
    return *value <= max;
}

static int read_login(struct redis_place *place, struct weft_text login, char *why)
{
    struct weft_text user = weft_text_cut(&login, ':');
    if (user.size >= REDIS_USER || login.size >= REDIS_PASSWORD)
        return wrong(why, UV_ENAMETOOLONG, "the user or the password is too long");
    if (login.data == NULL)
        return wrong(why, UV_EINVAL,
                     "a user without a password: it is user:password@, or :password@");
    if (!unescape(user, place->user, sizeof place->user) ||
        !unescape(login, place->password, sizeof place->password))
        return wrong(why, UV_EINVAL, "a byte in the user or the password has to be written as %XX");
    place->has_user = user.size > 0;
    place->has_password = true;
    return 0;
}

static bool is_host(struct weft_text host)
{
    for (size_t i = 0; i < host.size; i++) {
        if (!is_letter_or_digit(host.data[i]) && strchr("-._", host.data[i]) == NULL)
            return false;
    }
    return host.size > 0;
}

static bool is_ip6(struct weft_text host)
{
    char text[REDIS_HOST + 8];
    struct weft_address address;
    snprintf(text, sizeof text, "[%.*s]:0", WEFT_TEXT_ARGS(host));
    return weft_address_parse(&address, text) == 0;
}

static int read_host(struct redis_place *place, const char *url, struct weft_text host, char *why)
{
    if (host.size >= REDIS_HOST)
        return wrong(why, UV_ENAMETOOLONG, "the host is too long");
    bool bracketed = host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    if (bracketed)
        host = weft_text(host.data + 1, host.size - 2);
    if (bracketed ? !is_ip6(host) : !is_host(host))
        return wrong_part(why, url, host, "the host is neither a name nor an address");
    memcpy(place->host, host.data, host.size);
    return 0;
}

/* Where the host ends and ":port" begins. */
static int read_server(struct redis_place *place, const char *url, struct weft_text server,
                       char *why)
{
    unsigned port = 6379;
    size_t at = server.size;
    while (at > 0 && server.data[at - 1] != ':' && server.data[at - 1] != ']')
        at--;
    if (at > 0 && server.data[at - 1] == ':') {
        struct weft_text text = weft_text(server.data + at, server.size - at);
        if (!number(text, 65535, &port) || port == 0)
            return wrong_part(why, url, text, "the port is no number from 1 to 65535");
        server.size = at - 1;
    }
    snprintf(place->port, sizeof place->port, "%u", port & 0xffff);
    return read_host(place, url, server, why);
}

static int read_database(struct redis_place *place, const char *url, struct weft_text text,
                         char *why)
{
    if (text.data == NULL || text.size == 0)
        return 0;
    if (memchr(text.data, '@', text.size) != NULL)
        return wrong(why, UV_EINVAL, "a / in the user or the password has to be written as %2F");
    if (!number(text, 65535, &place->database))
        return wrong_part(why, url, text,
                          "the database, behind the host, is no number from 0 to 65535");
    place->has_database = true;
    return 0;
}

/* url is what stands behind redis:// */
static int read_network(struct redis_place *place, const char *url, char *why)
{
    struct weft_text rest = weft_text_of(url);
    struct weft_text server = weft_text_cut(&rest, '/');
    int status = read_database(place, url, rest, why);
    if (status != 0)
        return status;
    size_t at = server.size;
    while (at > 0 && server.data[at - 1] != '@')
        at--;
    if (at > 0)
        status = read_login(place, weft_text(server.data, at - 1), why);
    if (status != 0)
        return status;
    return read_server(place, url, weft_text(server.data + at, server.size - at), why);
}

int weft__redis_url_read(const char *url, struct redis_place *place, char why[WEFT_REDIS_WHY])
{
    struct weft_text text = weft_text_of(url);
    memset(place, 0, sizeof *place);
    if (url == NULL)
        return wrong(why, UV_EINVAL, "there is no URL");
    if (weft_text_starts(text, "unix:")) {
        int status = weft_address_parse(&place->local, url);
        return status == 0 ? 0 : wrong(why, status, "that is no path of a Unix socket");
    }
    if (weft_text_starts(text, "rediss:"))
        return wrong(why, UV_EINVAL, "TLS (rediss:) is not supported");
    if (!weft_text_starts(text, "redis://"))
        return wrong(why, UV_EINVAL, "it begins neither with redis:// nor with unix:");
    return read_network(place, url + 8, why);
}

int weft_redis_url_check(const char *url, char why[WEFT_REDIS_WHY])
{
    struct redis_place place;
    int status = weft__redis_url_read(url, &place, why);
    memset(place.password, 0, sizeof place.password);
    return status;
}
