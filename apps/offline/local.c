/* Ways between files: what both names begin with is left out, each folder that is left over on this side
 * is a "../", and the rest is on the other. */
#include "offline/local.h"
#include <string.h>

/* How many bytes of both are the same folders, with the last slash. */
static size_t common_folders(struct weft_text one, struct weft_text other)
{
    size_t common = 0;
    for (size_t i = 0; i < one.size && i < other.size && one.data[i] == other.data[i]; i++) {
        if (one.data[i] == '/')
            common = i + 1;
    }
    return common;
}

static void put_escaped(struct out *out, struct weft_text name)
{
    while (name.size > 0) {
        const char *percent = memchr(name.data, '%', name.size);
        size_t plain = percent != NULL ? (size_t)(percent - name.data) : name.size;
        out_text(out, weft_text(name.data, plain));
        if (percent == NULL)
            return;
        out_string(out, "%25");
        name = weft_text(percent + 1, name.size - plain - 1);
    }
}

void local_way(struct out *out, struct weft_text from, struct weft_text to)
{
    size_t common = common_folders(from, to);
    for (size_t i = common; i < from.size; i++) {
        if (from.data[i] == '/')
            out_string(out, "../");
    }
    put_escaped(out, weft_text(to.data + common, to.size - common));
}

/* ---- back ----------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = weft_text_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One part of a path, unescaped, behind what is in buffer; false: it does not fit, or holds what no name
 * does. */
static bool append_part(struct weft_text part, char *buffer, size_t size, size_t *used)
{
    for (size_t i = 0; i < part.size; i++) {
        char c = part.data[i];
        if (c == '%' && i + 2 < part.size && hex_digit(part.data[i + 1]) >= 0 &&
            hex_digit(part.data[i + 2]) >= 0) {
            c = (char)(hex_digit(part.data[i + 1]) * 16 + hex_digit(part.data[i + 2]));
            i += 2;
        }
        if (c == '\0' || c == '/' || *used + 1 >= size)
            return false;
        buffer[(*used)++] = c;
    }
    return true;
}

/* Up to the folder above; false: there is none. */
static bool step_up(const char *buffer, size_t *used)
{
    if (*used == 0)
        return false;
    do {
        --*used;
    } while (*used > 0 && buffer[*used - 1] != '/');
    return true;
}

static bool is_elsewhere(struct weft_text link)
{
    if (link.size > 0 && (link.data[0] == '/' || link.data[0] == '\\'))
        return true;
    for (size_t i = 0; i < link.size && link.data[i] != '/'; i++) {
        if (link.data[i] == ':')
            return true;
    }
    return false;
}

static struct weft_text without_rest(struct weft_text link)
{
    size_t size = 0;
    while (size < link.size && link.data[size] != '#' && link.data[size] != '?')
        size++;
    return weft_text(link.data, size);
}

/* A folder on the way, or the file at its end. */
static bool take_part(struct weft_text part, bool last, char *buffer, size_t size, size_t *used)
{
    if (weft_text_is(part, ".."))
        return step_up(buffer, used);
    if (part.size == 0 || weft_text_is(part, "."))
        return true;
    if (!append_part(part, buffer, size, used))
        return false;
    if (last)
        return true;
    if (*used + 1 >= size)
        return false;
    buffer[(*used)++] = '/';
    return true;
}

bool local_name(struct weft_text from, struct weft_text link, char *buffer, size_t size)
{
    link = without_rest(link);
    if (is_elsewhere(link) || from.size >= size)
        return false;
    size_t used = from.size;
    memcpy(buffer, from.data, from.size);
    while (link.size > 0 && used > 0 && buffer[used - 1] != '/')
        used--; /* from the file to its folder */
    for (bool more = link.size > 0; more;) {
        struct weft_text part = weft_text_cut(&link, '/');
        more = link.data != NULL;
        if (!take_part(part, !more, buffer, size, &used))
            return false;
    }
    buffer[used] = '\0';
    return used > 0 && buffer[used - 1] != '/';
}

/* ---- what names say ------------------------------------------------------------------------- */

/* Endings are of small letters and digits, behind a dot; something has to stand before it. */
static bool ends_with_one(struct weft_text name, const char *const *endings)
{
    size_t dot = name.size;
    while (dot > 0 && name.data[dot - 1] != '.' && name.data[dot - 1] != '/')
        dot--;
    if (dot < 2 || dot == name.size || name.data[dot - 1] != '.')
        return false;
    struct weft_text ending = weft_text(name.data + dot, name.size - dot);
    for (; *endings != NULL; endings++) {
        if (**endings == weft_text_lower(*ending.data) &&
            weft_text_same(ending, weft_text_of(*endings)))
            return true;
    }
    return false;
}

bool local_is_page(struct weft_text name)
{
    static const char *const endings[] = {"html", "htm", "shtml", "shtm", "xht", "xhtml", NULL};
    return ends_with_one(name, endings);
}

bool local_is_program(struct weft_text path)
{
    static const char *const endings[] = {"php", "php3", "php5", "phtml", "asp",    "aspx",
                                          "jsp", "jspx", "cgi",  "pl",    "cfm",    "do",
                                          "dll", "py",   "rb",   "fcgi",  "action", NULL};
    return ends_with_one(path, endings);
}
