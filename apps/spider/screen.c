/* The block at the bottom.
 *
 * One rule makes it survive what is done to a terminal: what stands from the cursor on is ours, and
 * nothing above it is. So the cursor rests at the beginning of the block, visible, and a frame is drawn
 * from wherever the cursor is: line by line over what stands, then the rest of the screen is cleared, and
 * the cursor goes back.
 *
 * Nothing has to be known of what a resize has done. A terminal that becomes narrower breaks our lines
 * over more rows, one that becomes lower drops some, and both keep the cursor where it was in the text:
 * what is below it goes with the next frame. A frame that was made for another size does no harm either:
 * its lines are not broken where they are too long (DECAWM), nothing is scrolled unless there has to be
 * more room, and the cursor goes back to where it was, not up by so many rows.
 *
 * Only while the cursor is away must there be no resize, because where it was is then a place on the screen
 * and not in the text. So a frame goes out in pieces, each from the cursor back to the cursor, and each small
 * enough to be handed to the terminal as one.
 *
 * Only what is pushed out of the top is out of reach. Rows that broken lines bring with them push the block
 * up, and nothing pulls it down again but what is said above it: what is free below it then is as much in the
 * way of the next push. So it takes a third of the rows at most (half of a low terminal's), that twice as
 * many may be needed twice, and lines leave a margin, a larger one while a terminal is being narrowed: few are
 * broken at all.
 *
 * What others write, and a ^C, stands where the cursor was: whole lines of it stay. Who stops us gets
 * the terminal wiped; who kills us finds the last frame below the prompt, and nothing to restore.
 *
 * Only the row that is written next is cleared before: nothing flickers. What is said above is collected and
 * goes out with the next frame.
 *
 * A terminal may take nothing for a while: after Ctrl-S, or over a line that hangs. Nobody waits for it. What
 * it has not taken is kept, and goes out before anything else; until then no frame is made. */
#include "spider/screen.h"
#include "spider/columns.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    USUAL_COLUMNS = 80,
    USUAL_ROWS = 24,
    PATIENCE_MS = 1000,
    PIECE = 1500, /* bytes: Linux hands over what is written to a terminal in pieces of 1792 */
    CALM = 6,     /* looks until a terminal that was narrowed is taken to be done */
    FEW = 5       /* lines that are shown wherever they are no more than half of the rows */
};

void screen_look(struct screen *screen)
{
    struct winsize size;
    bool known = ioctl(screen->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    unsigned columns = known ? size.ws_col : USUAL_COLUMNS;
    unsigned rows = known ? size.ws_row : USUAL_ROWS;
    if (columns != screen->columns || rows != screen->rows)
        screen->room_ = 0;
    screen->restless_ -= screen->restless_ > 0;
    if (columns < screen->columns)
        screen->restless_ = CALM;
    screen->columns = columns;
    screen->rows = rows;
}

/* Who draws at the edge of a window narrows it in many steps, and we hear of them late: the others should
 * break no lines. One column is always free: not all terminals agree on when a line is full. */
unsigned screen_width(const struct screen *screen)
{
    unsigned columns = screen->columns;
    return columns - 1 - (screen->restless_ > 0 ? columns / 4 : columns / 12);
}

unsigned screen_lines(const struct screen *screen)
{
    unsigned half = screen->rows / 2, third = screen->rows / 3;
    unsigned lines = half < FEW ? half : third < FEW ? FEW : third;
    if (screen->columns <= 1)
        return 0;
    return lines < DISPLAY_LINES ? lines : DISPLAY_LINES;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* What does not fit is left out: only a frame is as large as the buffer was made for. */
static void add(struct screen *screen, const char *text, size_t size)
{
    if (size > SCREEN_OUT - screen->out_used_)
        return;
    memcpy(screen->out_ + screen->out_used_, text, size);
    screen->out_used_ += size;
}

static void add_text(struct screen *screen, const char *text)
{
    add(screen, text, strlen(text));
}

static void add_up(struct screen *screen, unsigned rows)
{
    char up[24];
    snprintf(up, sizeof up, "\033[%uA", rows);
    if (rows > 0)
        add_text(screen, up);
}

static bool is_ready(const struct screen *screen, int ms)
{
    struct pollfd ready = {.fd = screen->fd, .events = POLLOUT};
    return poll(&ready, 1, ms) > 0;
}

/* As much as the terminal takes, or has taken after so many milliseconds without any; all of it? What is left
 * goes out the next time. An error that is none of time is no reason to try again. */
static bool send_out(struct screen *screen, int ms)
{
    size_t at = 0;
    while (at < screen->out_used_ && is_ready(screen, ms)) {
        ssize_t sent = write(screen->fd, screen->out_ + at, screen->out_used_ - at);
        if (sent >= 0)
            at += (size_t)sent;
        else if (errno != EINTR && errno != EAGAIN)
            at = screen->out_used_;
    }
    screen->out_used_ -= at;
    memmove(screen->out_, screen->out_ + at, screen->out_used_);
    return screen->out_used_ == 0;
}

/* ---- the block ------------------------------------------------------------------------------ */

/* The blank is for tmux, which keeps in its history what is cleared from the very first column of a
 * screen on. A row is cleared as a whole: one that was broken has a mark that it goes on in the next. */
static void erase(struct screen *screen)
{
    if (screen->stands_)
        add_text(screen, "\r\033[K \033[J\r\033[K");
    screen->stands_ = false;
}

static void say_now(struct screen *screen)
{
    if (screen->above_used_ > 0)
        screen->room_ = 0;
    add(screen, screen->above_, screen->above_used_);
    screen->above_used_ = 0;
}

/* By IND, not by line ends: the kernel hands over each of those alone, and a resize may come in between. */
static void make_room(struct screen *screen, unsigned lines)
{
    for (unsigned i = 1; i < lines; i++)
        add_text(screen, "\033D");
    add_up(screen, lines - 1);
    screen->room_ = lines;
}

/* The cursor is at the beginning of the block; it goes away, to line i. */
static void leave(struct screen *screen, unsigned i)
{
    char down[24];
    snprintf(down, sizeof down, "\033[%uB", i);
    add_text(screen, "\0337\033[?7l");
    if (i > 0)
        add_text(screen, down);
}

static void come_back(struct screen *screen)
{
    add_text(screen, "\033[?7h\0338");
}

static void draw_block(struct screen *screen, const struct display_frame *frame)
{
    add_text(screen, "\r");
    if (frame->count > screen->room_)
        make_room(screen, frame->count);
    leave(screen, 0);
    for (unsigned i = 0; i < frame->count; i++) {
        bool full = i > 0 && screen->out_used_ + strlen(frame->line[i]) > PIECE;
        if (full) {
            come_back(screen);
            send_out(screen, 0);
            leave(screen, i);
        }
        add_text(screen, i == 0 || full ? "\033[K" : "\r\033[B\033[K");
        add_text(screen, frame->line[i]);
    }
    add_text(screen, "\033[J");
    come_back(screen);
    send_out(screen, 0);
    screen->stands_ = true;
}

void screen_draw(struct screen *screen, const struct display_frame *frame)
{
    if (!send_out(screen, 0))
        return;
    if (screen->above_used_ > 0 || frame->count == 0)
        erase(screen);
    say_now(screen);
    send_out(screen, 0);
    if (frame->count > 0)
        draw_block(screen, frame);
}

/* Here somebody does wait, a little: then what is left is lost. */
void screen_wipe(struct screen *screen)
{
    send_out(screen, PATIENCE_MS);
    screen->out_used_ = 0;
    erase(screen);
    say_now(screen);
    send_out(screen, PATIENCE_MS);
    screen->out_used_ = 0;
}

void screen_forget(struct screen *screen)
{
    screen->stands_ = false;
    screen->room_ = 0;
}

/* Line by line, because a line end is the one control that means something. */
void screen_say(struct screen *screen, const char *text, size_t size)
{
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t line = end != NULL ? (size_t)(end - text) : size, bytes;
        if (line + 3 > SCREEN_ABOVE - screen->above_used_)
            screen_wipe(screen);
        columns_cut(screen->above_ + screen->above_used_, SCREEN_ABOVE - screen->above_used_ - 2,
                    text, line, UINT16_MAX, "~", &bytes);
        screen->above_used_ += bytes;
        memcpy(screen->above_ + screen->above_used_, "\r\n", 2);
        screen->above_used_ += 2;
        text += line + (end != NULL);
        size -= line + (end != NULL);
    }
}
