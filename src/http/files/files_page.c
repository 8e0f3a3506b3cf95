/* The page that lists a folder.
 *
 * Names come from the file system, and so from anybody: whatever they hold must stay text. There
 * are two ways for a name into the page, and each escapes everything that could end it: put_text
 * for what is read, put_link for what is clicked on. Links begin with "./", so that no name can be
 * taken for a scheme or a host. Bytes that are no UTF-8, and control characters, are shown as
 * U+FFFD; the link still has them. Should anything slip through all the same, the policy that goes
 * out with the page lets a browser run nothing, load nothing and send nothing: only the one style
 * sheet below, by its hash, is taken. (tests/http/files_listing.c sees to it that the hash is
 * right.) */
#include "files.h"
#include "weft/alloc.h"
#include <stdio.h>
#include <time.h>

#define STYLE                                                                                      \
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}"          \
    "h1{font-size:1.25rem;overflow-wrap:anywhere;padding:0 .5rem}"                                 \
    "table{border-collapse:collapse;width:100%}"                                                   \
    "th{font-weight:600;text-align:left}"                                                          \
    "th,td{border-bottom:1px solid #8884;padding:.4rem .5rem;vertical-align:top}"                  \
    "td:first-child{overflow-wrap:anywhere}"                                                       \
    "td+td{opacity:.7;white-space:nowrap;font-variant-numeric:tabular-nums}"                       \
    "th:nth-child(2),td:nth-child(2){text-align:right}"                                            \
    "a{text-decoration:none}a:hover,a:focus{text-decoration:underline}"                            \
    "@media(max-width:36rem){th:nth-child(3),td:nth-child(3){display:none}}"

const char weft__http_page_policy[] =
    "default-src 'none'; style-src 'sha256-fVqTmmseoxZ1IaarSmCMgv8W8EZNmKNVM/8fg2/yyVw='; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

enum { FIRST_ROOM = 8192, NAME_ROOM = 3 * 255 + 1 };

/* Grows into job->buffer; without the memory for it, it is `failed` and nothing more is added. */
struct page {
    struct weft_http_job *job;
    bool failed;
};

static bool make_room(struct page *page, size_t more)
{
    struct weft_http_job *job = page->job;
    size_t room = job->room != 0 ? job->room : FIRST_ROOM;
    while (room < job->size + more)
        room *= 2;
    if (page->failed || room == job->room)
        return !page->failed;
    char *larger = weft_realloc(job->buffer, room);
    page->failed = larger == NULL;
    if (page->failed)
        return false;
    job->buffer = larger;
    job->room = room;
    return true;
}

static void put_bytes(struct page *page, const char *bytes, size_t size)
{
    if (!make_room(page, size))
        return;
    memcpy(page->job->buffer + page->job->size, bytes, size);
    page->job->size += size;
}

static void put(struct page *page, const char *text)
{
    put_bytes(page, text, strlen(text));
}

/* ---- names ---------------------------------------------------------------------------------- */

/* How long the character at text is: 0 if it is none, by Unicode 15, table 3-7. */
static size_t utf8_length(const unsigned char *text, size_t size)
{
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first < 0x80)
        return first >= 0x20 && first != 0x7f ? 1 : 0;
    if (first < 0xc2 || first > 0xf4 || size < length)
        return 0;
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
        (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    return first == 0xc2 && text[1] < 0xa0 ? 0 : length; /* C1: control characters */
}

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_text(struct page *page, struct weft_text text)
{
    while (text.size > 0) {
        size_t length = utf8_length((const unsigned char *)text.data, text.size);
        if (length == 0)
            put(page, "\xef\xbf\xbd");
        else if (entity(text.data[0]) != NULL)
            put(page, entity(text.data[0]));
        else
            put_bytes(page, text.data, length);
        text.data += length > 0 ? length : 1;
        text.size -= length > 0 ? length : 1;
    }
}

static void put_link(struct page *page, const char *name, const char *ending)
{
    char escaped[NAME_ROOM];
    struct weft_text link;
    if (weft_http_percent_encode(weft_text_of(name), WEFT_HTTP_ESCAPE_SEGMENT, escaped,
                                 sizeof escaped, &link) != 0)
        return;
    put(page, "<a href=\"./");
    put_text(page, link);
    put(page, ending);
    put(page, "\"><bdi>");
    put_text(page, weft_text_of(name));
    put(page, "</bdi>");
    put(page, ending);
    put(page, "</a>");
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_size(struct page *page, uint64_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    char text[32];
    double shown = (double)size;
    size_t unit = 0;
    for (; shown >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        shown /= 1000;
    snprintf(text, sizeof text, unit > 0 && shown < 10 ? "%.1f %s" : "%.0f %s", shown, units[unit]);
    put(page, text);
}

static void put_time(struct page *page, int64_t seconds)
{
    char text[32];
    struct tm parts;
    time_t time = (time_t)seconds;
    if (gmtime_r(&time, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) > 0)
        put(page, text);
}

static void put_entry(struct page *page, const struct http_entry *entry)
{
    put(page, "<tr><td>");
    put_link(page, entry->name, entry->folder ? "/" : "");
    put(page, "</td><td>");
    if (!entry->folder)
        put_size(page, entry->size);
    put(page, "</td><td>");
    put_time(page, entry->modified);
    put(page, "</td></tr>\n");
}

static void put_head(struct page *page)
{
    struct weft_text path = page->job->path;
    put(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>/");
    put_text(page, path);
    put(page, "</title>\n<style>" STYLE "</style></head><body>\n<h1><bdi>/");
    put_text(page, path);
    put(page, "</bdi></h1>\n<table><thead><tr><th scope=\"col\">Name</th>"
              "<th scope=\"col\">Size</th><th scope=\"col\">Modified (UTC)</th></tr></thead>"
              "<tbody>\n");
    if (path.size > 0)
        put(page, "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
}

int weft__http_page(struct weft_http_job *job, const struct http_entry *entries, size_t count,
                    bool more)
{
    struct page page = {.job = job};
    size_t shown = 0;
    char note[80];
    put_head(&page);
    while (shown < count && job->size < WEFT_HTTP_FILES_PAGE && !page.failed)
        put_entry(&page, &entries[shown++]);
    put(&page, "</tbody></table>\n");
    if (more || shown < count) {
        snprintf(note, sizeof note, "<p>There is more: only %zu entries are shown.</p>\n", shown);
        put(&page, note);
    }
    put(&page, "</body></html>\n");
    return page.failed ? UV_ENOMEM : 0;
}
