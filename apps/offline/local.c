/* Ways between files: what both names begin with is left out, each folder that is left over on this side
 * is a "../", and the rest is on the other. */
#include "offline/local.h"
#include <string.h>
#include <weft/http_message.h>

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

/* Where the last part of a name ends with one: the dot; or the end. Something has to stand before it. */
static size_t dot_of(struct weft_text name)
{
    size_t dot = name.size;
    while (dot > 0 && name.data[dot - 1] != '.' && name.data[dot - 1] != '/')
        dot--;
    return dot < 2 || name.data[dot - 1] != '.' ? name.size : dot - 1;
}

/* Endings are of small letters and digits. */
static bool ends_with_one(struct weft_text name, const char *const *endings)
{
    size_t dot = dot_of(name);
    if (name.size - dot < 2)
        return false;
    struct weft_text ending = weft_text(name.data + dot + 1, name.size - dot - 1);
    for (; *endings != NULL; endings++) {
        if (**endings == weft_text_lower(*ending.data) &&
            weft_text_same(ending, weft_text_of(*endings)))
            return true;
    }
    return false;
}

static bool is_html(struct weft_text name)
{
    static const char *const endings[] = {"html", "htm", "shtml", "shtm", NULL};
    return ends_with_one(name, endings);
}

/* A browser reads it as XML: one mistake, or a name that XML does not have, and nothing is shown. */
static bool is_xhtml(struct weft_text name)
{
    static const char *const endings[] = {"xht", "xhtml", NULL};
    return ends_with_one(name, endings);
}

bool local_is_page(struct weft_text name)
{
    return is_html(name) || is_xhtml(name);
}

bool local_is_program(struct weft_text path)
{
    static const char *const endings[] = {"php", "php3", "php5", "phtml", "asp",    "aspx",
                                          "jsp", "jspx", "cgi",  "pl",    "cfm",    "do",
                                          "dll", "py",   "rb",   "fcgi",  "action", NULL};
    return ends_with_one(path, endings);
}

/* ---- what types say ------------------------------------------------------------------------- */

/* Pages first, then what browsers take for nothing else, whatever is in it; the rest they recognise. */
enum { HTML, XHTML, STRICT = 4 };
static const struct {
    const char *type, *ending;
} kinds[] = {
    {"text/html", ".html"},
    {"application/xhtml+xml", ".xhtml"},
    {"text/css", ".css"},
    {"image/svg+xml", ".svg"},
    {"text/plain", ".txt"},
    {"text/javascript", ".js"},
    {"application/javascript", ".js"},
    {"application/json", ".json"},
    {"application/xml", ".xml"},
    {"text/xml", ".xml"},
    {"application/rss+xml", ".xml"},
    {"application/atom+xml", ".xml"},
    {"application/pdf", ".pdf"},
    {"application/zip", ".zip"},
    {"application/wasm", ".wasm"},
    {"application/octet-stream", ".bin"},
    {"image/png", ".png"},
    {"image/jpeg", ".jpg"},
    {"image/gif", ".gif"},
    {"image/webp", ".webp"},
    {"image/avif", ".avif"},
    {"image/x-icon", ".ico"},
    {"image/vnd.microsoft.icon", ".ico"},
    {"font/woff", ".woff"},
    {"font/woff2", ".woff2"},
    {"font/ttf", ".ttf"},
    {"font/otf", ".otf"},
    {"audio/mpeg", ".mp3"},
    {"audio/ogg", ".ogg"},
    {"video/mp4", ".mp4"},
    {"video/webm", ".webm"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool has_ending(struct weft_text name, const char *ending)
{
    const char *const one[] = {ending + 1, NULL};
    return ends_with_one(name, one);
}

const char *local_ending(struct weft_text name, struct weft_text content_type)
{
    struct weft_http_content_type parsed;
    size_t i = 0;
    if (weft_http_content_type_parse(content_type, &parsed) != 0)
        return NULL;
    while (i < KINDS && !weft_http_content_type_is(&parsed, kinds[i].type))
        i++;
    if (i == KINDS || has_ending(name, kinds[i].ending))
        return NULL;
    bool misleads = local_is_page(name) || local_is_program(name);
    bool needs_one = i == HTML    ? !is_html(name)
                     : i == XHTML ? !is_xhtml(name)
                                  : i < STRICT || misleads;
    return needs_one ? kinds[i].ending : NULL;
}

static bool put_ending(struct weft_text stem, const char *ending, char *buffer, size_t size)
{
    size_t more = strlen(ending) + 1;
    if (stem.size + more > size)
        return false;
    memmove(buffer, stem.data, stem.size);
    memcpy(buffer + stem.size, ending, more);
    return true;
}

bool local_end_with(const char *name, const char *ending, char *buffer, size_t size)
{
    struct weft_text stem = weft_text(name, strlen(name));
    if (local_is_page(stem))
        stem.size = dot_of(stem);
    return put_ending(stem, ending, buffer, size);
}

/* ---- the beginning of a page ---------------------------------------------------------------- */

static bool begins(struct weft_text text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && weft_text_same(weft_text(text.data, size), weft_text(word, size));
}

/* Behind the first `end` in it; NULL: there is none. */
static const char *behind(struct weft_text text, const char *end)
{
    const char *at = memmem(text.data, text.size, end, strlen(end));
    return at != NULL ? at + strlen(end) : NULL;
}

/* Behind a comment, whose "<!--" is where text begins, as browsers see it; NULL: it has no end. */
static const char *behind_comment(struct weft_text text)
{
    struct weft_text rest = weft_text(text.data + 4, text.size - 4);
    if (begins(rest, ">") || begins(rest, "->"))
        return behind(rest, ">");
    const char *usual = behind(rest, "-->"), *odd = behind(rest, "--!>");
    return odd != NULL && (usual == NULL || odd < usual) ? odd : usual;
}

/* Blanks, comments and declarations of XML may stand before it. */
size_t local_head(struct weft_text page)
{
    struct weft_text rest = page;
    for (const char *next = rest.data; next != NULL;) {
        rest = weft_text(next, page.size - (size_t)(next - page.data));
        while (rest.size > 0 && strchr(" \t\r\n\f", *rest.data) != NULL && *rest.data != '\0')
            rest = weft_text(rest.data + 1, rest.size - 1);
        if (begins(rest, "<!doctype")) {
            next = behind(rest, ">");
            return next != NULL ? (size_t)(next - page.data) : 0;
        }
        bool comment = begins(rest, "<!--");
        if (!comment && !begins(rest, "<?"))
            return 0;
        next = comment ? behind_comment(rest) : behind(rest, ">");
    }
    return 0;
}
