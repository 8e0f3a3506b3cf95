/* The lines of the display.
 *
 *     ──  1 min 12 s  about 40 s left  ─────────────────────────────────
 *      1234 saved  45.3 MB  567 waiting  8 under way  2 failed  3 skipped
 *      ▁▂▃▅▇█▇▅▃▂▁▂▃▅▇█  124 pages/s  3.2 MB/s
 *      http://127.0.0.1:8080   8 under way    560 waiting  one each 100ms
 *         2.1 s    1.2 MB  http://127.0.0.1:8080/p/12.html
 *
 * What matters most comes first, because lines are cut from the right and the block from below: a
 * terminal of one line shows the figures. An item is shown as a whole or not at all, a URL is cut.
 * Colour only says what is unusual, or what may be overlooked. */
#include "spider/display.h"
#include "spider/columns.h"
#include "units.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    ITEM = 64,
    RULED = 5, /* lines from which on there is a rule above them, */
    RULE = 72  /* of so many columns at most */
};

enum style { PLAIN, BOLD, DIM, RED, YELLOW, GREEN };

/* ---- a line --------------------------------------------------------------------------------- */

struct pen {
    struct display_frame *frame;
    const struct display_view *view;
    unsigned columns; /* of a line */
    unsigned lines;   /* at most */
    char *line;       /* that is drawn, */
    size_t used;      /* its bytes, */
    unsigned at;      /* and its columns */
    bool full;        /* an item did not fit: none behind it is shown */
};

/* Where a text is cut. */
static const char *mark_of(const struct pen *pen)
{
    return pen->view->ascii ? "~" : "…";
}

static bool line_begin(struct pen *pen)
{
    if (pen->frame->count >= pen->lines)
        return false;
    pen->line = pen->frame->line[pen->frame->count];
    pen->line[0] = '\0';
    pen->used = 0;
    pen->at = 0;
    pen->full = false;
    return true;
}

static void line_end(struct pen *pen)
{
    pen->frame->count++;
}

/* What takes no columns; whoever puts it has seen that there is room. */
static void put_raw(struct pen *pen, const char *text)
{
    size_t size = strlen(text);
    memcpy(pen->line + pen->used, text, size + 1);
    pen->used += size;
}

/* Colours are put around, never into what is cut: a line never ends in the middle of one. */
static void put(struct pen *pen, enum style style, const char *text)
{
    static const char *const begins[] = {"",         "\033[1m",  "\033[2m",
                                         "\033[31m", "\033[33m", "\033[32m"};
    static const char end[] = "\033[m";
    bool styled = pen->view->colour && style != PLAIN;
    size_t behind = styled ? sizeof end - 1 : 0, bytes;
    size_t extra = behind + (styled ? strlen(begins[style]) : 0);
    if (pen->used + extra + 1 >= DISPLAY_BYTES || pen->at >= pen->columns)
        return;
    if (styled)
        put_raw(pen, begins[style]);
    pen->at += columns_cut(pen->line + pen->used, DISPLAY_BYTES - pen->used - behind, text,
                           strlen(text), pen->columns - pen->at, mark_of(pen), &bytes);
    pen->used += bytes;
    if (styled)
        put_raw(pen, end);
}

static void fill(struct pen *pen, unsigned until)
{
    while (pen->at < until && pen->at < pen->columns && pen->used + 2 < DISPLAY_BYTES)
        put(pen, PLAIN, " ");
}

/* An item stands two columns behind the one before, and is not cut, but for the first one. */
__attribute__((format(printf, 3, 4))) static void item(struct pen *pen, enum style style,
                                                       const char *format, ...)
{
    char text[ITEM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned gap = pen->at > 0 ? 2 : 1, width = columns_of(text, strlen(text));
    pen->full = pen->full || (pen->at > 0 && pen->at + gap + width > pen->columns);
    if (pen->full)
        return;
    if (pen->at > 0 || width < pen->columns)
        fill(pen, pen->at + gap);
    put(pen, style, text);
}

/* ---- what stands in one --------------------------------------------------------------------- */

/* The tenths of a second that is still to come are nothing that anybody knows. */
static char *show_left(uint64_t ms, char *text, size_t size)
{
    char time[UNITS_TIME_MAX];
    if (ms < 60000)
        snprintf(text, size, "about %u s left", (unsigned)((ms + 999) / 1000));
    else
        snprintf(text, size, "about %s left", units_show_time(ms, time));
    return text;
}

static char *show_rate(uint64_t rate, char *text, size_t size)
{
    if (rate < 100000)
        snprintf(text, size, "%u.%u pages/s", (unsigned)(rate / 1000),
                 (unsigned)(rate % 1000 / 100));
    else
        snprintf(text, size, "%" PRIu64 " pages/s", rate / 1000);
    return text;
}

/* How long it will take, if that is known; "" if it is not. */
static const char *show_end(const struct display_view *view, char *text, size_t size)
{
    if (view->stopping)
        return "finishing what is under way";
    if (view->left_ms < 0 || view->waiting + view->running == 0)
        return "";
    return show_left((uint64_t)view->left_ms, text, size);
}

static void put_dashes(struct pen *pen, unsigned count)
{
    const char *dash = pen->view->ascii ? "-" : "─";
    char text[DISPLAY_COLUMNS * 3 + 1];
    size_t used = 0, size = strlen(dash);
    for (unsigned i = 0; i < count && i < DISPLAY_COLUMNS; i++, used += size)
        memcpy(text + used, dash, size);
    text[used] = '\0';
    put(pen, DIM, text);
}

static void draw_rule(struct pen *pen)
{
    const struct display_view *view = pen->view;
    char text[ITEM];
    if (pen->lines < RULED || !line_begin(pen))
        return;
    put_dashes(pen, 2);
    item(pen, PLAIN, "%s", units_show_time(view->elapsed_ms, text));
    const char *end = show_end(view, text, sizeof text);
    if (*end != '\0')
        item(pen, view->stopping ? YELLOW : PLAIN, "%s", end);
    unsigned width = pen->columns < RULE ? pen->columns : RULE;
    if (pen->at + 2 < width) {
        fill(pen, pen->at + 2);
        put_dashes(pen, width - pen->at);
    }
    line_end(pen);
}

static const char *word_of(const struct display_view *view)
{
    return view->checks ? "read" : "saved";
}

static void draw_figures(struct pen *pen)
{
    const struct display_view *view = pen->view;
    char size[UNITS_SIZE_MAX];
    if (!line_begin(pen))
        return;
    item(pen, BOLD, "%" PRIu64 " %s", view->saved, word_of(view));
    item(pen, PLAIN, "%s", units_show_size(view->bytes, size));
    if (view->same > 0)
        item(pen, PLAIN, "%" PRIu64 " the same", view->same);
    item(pen, PLAIN, "%" PRIu64 " waiting", view->waiting);
    item(pen, PLAIN, "%u under way", view->running);
    item(pen, view->failed > 0 ? RED : PLAIN, "%" PRIu64 " failed", view->failed);
    item(pen, PLAIN, "%" PRIu64 " skipped", view->skipped);
    if (view->moved > 0)
        item(pen, PLAIN, "%" PRIu64 " moved", view->moved);
    if (view->found > view->same)
        item(pen, PLAIN, "%" PRIu64 " were there", view->found - view->same);
    line_end(pen);
}

static void draw_bars(struct pen *pen)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const signs[] = {" ", ".", ".", ":", ":", "-", "=", "+", "#"};
    const struct display_view *view = pen->view;
    char text[RATES_BARS * 4 + 1] = "";
    uint32_t most = 1;
    size_t used = 0;
    int from = pen->columns >= 76 ? 0 : RATES_BARS / 2;
    if (pen->columns < 50)
        return;
    for (int i = from; i < RATES_BARS; i++)
        most = view->bars[i] > most ? view->bars[i] : most;
    for (int i = from; i < RATES_BARS; i++) {
        uint64_t height = ((uint64_t)view->bars[i] * 8 + most - 1) / most;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 view->ascii ? signs[height] : blocks[height]);
    }
    fill(pen, 1);
    put(pen, GREEN, text);
}

static void draw_speed(struct pen *pen)
{
    const struct display_view *view = pen->view;
    char text[ITEM], size[UNITS_SIZE_MAX];
    if (!line_begin(pen))
        return;
    draw_bars(pen);
    item(pen, PLAIN, "%s", show_rate(view->pages_rate, text, sizeof text));
    item(pen, PLAIN, "%s/s", units_show_size(view->bytes_rate, size));
    if (pen->lines < RULED) {
        item(pen, PLAIN, "%s", units_show_time(view->elapsed_ms, text));
        item(pen, PLAIN, "%s", show_end(view, text, sizeof text));
    }
    line_end(pen);
}

/* ---- hosts and URLs ------------------------------------------------------------------------- */

static void draw_state(struct pen *pen, const struct display_host *host)
{
    char text[ITEM];
    switch (host->state) {
    case DISPLAY_GONE:
        item(pen, RED, "given up");
        return;
    case DISPLAY_RESTS:
        item(pen, YELLOW, "rests for %s", units_show_time(host->rest_ms, text));
        return;
    case DISPLAY_READING_ROBOTS:
        item(pen, PLAIN, "robots.txt first");
        return;
    default:
        if (host->gap_ms > 0) {
            units_write_duration(host->gap_ms, text, sizeof text);
            item(pen, PLAIN, "one each %s", text);
        }
    }
}

/* The names get as much as the longest needs, but no more than half of the line. */
static unsigned width_of_names(const struct pen *pen, size_t count)
{
    unsigned width = 0;
    for (size_t i = 0; i < count; i++) {
        const char *origin = pen->view->hosts[i].origin;
        unsigned its = columns_of(origin, strlen(origin));
        width = its > width ? its : width;
    }
    return width < pen->columns / 2 ? width : pen->columns / 2;
}

static void draw_host(struct pen *pen, const struct display_host *host, unsigned width)
{
    char name[DISPLAY_COLUMNS * 4 + 1];
    if (!line_begin(pen))
        return;
    columns_cut(name, sizeof name, host->origin, strlen(host->origin), width, mark_of(pen), NULL);
    fill(pen, 1);
    put(pen, PLAIN, name);
    fill(pen, 1 + width);
    item(pen, PLAIN, "%3u under way", host->running);
    item(pen, PLAIN, "%6" PRIu64 " waiting", host->waiting);
    draw_state(pen, host);
    line_end(pen);
}

static void draw_hosts(struct pen *pen, size_t count)
{
    unsigned width = width_of_names(pen, count);
    for (size_t i = 0; i < count; i++)
        draw_host(pen, &pen->view->hosts[i], width);
}

static void draw_url(struct pen *pen, const struct display_url *url)
{
    char text[ITEM], time[UNITS_TIME_MAX], size[UNITS_SIZE_MAX];
    if (!line_begin(pen))
        return;
    snprintf(text, sizeof text, " %8s %9s  ", units_show_time(url->age_ms, time),
             url->bytes > 0 ? units_show_size(url->bytes, size) : "");
    if (pen->columns >= 40)
        put(pen, DIM, text);
    put(pen, PLAIN, url->url);
    line_end(pen);
}

void display_draw(const struct display_view *view, unsigned columns, unsigned lines,
                  struct display_frame *frame)
{
    struct pen pen = {.frame = frame,
                      .view = view,
                      .columns = columns < DISPLAY_COLUMNS ? columns : DISPLAY_COLUMNS,
                      .lines = lines < DISPLAY_LINES ? lines : DISPLAY_LINES};
    frame->count = 0;
    if (columns == 0)
        return;
    draw_rule(&pen);
    draw_figures(&pen);
    draw_speed(&pen);
    size_t left = pen.lines - frame->count, third = left < 3 ? left : left / 3;
    size_t spare = left > view->urls_count ? left - view->urls_count : 0;
    size_t hosts = third > spare ? third : spare;
    draw_hosts(&pen, hosts < view->hosts_count ? hosts : view->hosts_count);
    for (size_t i = 0; i < view->urls_count; i++)
        draw_url(&pen, &view->urls[i]);
}

/* ---- in one line ---------------------------------------------------------------------------- */

char *display_sentence(const struct display_view *view, char *buffer, size_t size)
{
    char elapsed[UNITS_TIME_MAX], bytes[UNITS_SIZE_MAX], speed[UNITS_SIZE_MAX];
    char rate[ITEM], left[ITEM] = "", same[ITEM] = "";
    if (view->same > 0)
        snprintf(same, sizeof same, ", %" PRIu64 " the same", view->same);
    if (view->left_ms >= 0 && view->waiting + view->running > 0)
        show_left((uint64_t)view->left_ms, left, sizeof left);
    snprintf(buffer, size,
             "%s: %" PRIu64 " %s (%s)%s, %" PRIu64 " waiting, %u under way, %" PRIu64
             " failed, %" PRIu64 " skipped; %s, %s/s%s%s",
             units_show_time(view->elapsed_ms, elapsed), view->saved, word_of(view),
             units_show_size(view->bytes, bytes), same, view->waiting, view->running, view->failed,
             view->skipped, show_rate(view->pages_rate, rate, sizeof rate),
             units_show_size(view->bytes_rate, speed), left[0] != '\0' ? "; " : "", left);
    return buffer;
}
