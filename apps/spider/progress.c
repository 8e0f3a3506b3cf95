/* From a crawl to what people see of it.
 *
 * Live is for a terminal that can be drawn on; in the background, where a shell has the terminal, it
 * says its lines and draws nothing. Plain is for logs: a line at the beginning and every few seconds. */
#include "spider/progress.h"
#include "command.h"
#include "spider/crawl.h"
#include "terminal.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- how ------------------------------------------------------------------------------------ */

/* "" if it is not set: that is the same. */
static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static bool is_dumb(void)
{
    const char *terminal = value_of("TERM");
    return terminal[0] == '\0' || strcmp(terminal, "dumb") == 0;
}

/* The first of these that is set says it for all. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0] && locale[0] == '\0'; i++)
        locale = value_of(names[i]);
    return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL;
}

static enum settings_progress choose(const struct settings *settings)
{
    bool on_terminal = isatty(STDERR_FILENO) == 1;
    if (settings->progress == PROGRESS_AUTO)
        return on_terminal && !is_dumb() && !settings->quiet ? PROGRESS_LIVE : PROGRESS_NONE;
    if (settings->progress == PROGRESS_LIVE && !on_terminal)
        return PROGRESS_NONE;
    return (enum settings_progress)settings->progress;
}

/* ---- what is said --------------------------------------------------------------------------- */

static void say_above(const char *line, size_t size, void *context)
{
    struct progress *progress = context;
    screen_say(&progress->screen, line, size);
}

/* The terminal once more, for us alone: that can be made non-blocking without a change for those who share the
 * other one. */
static int open_terminal(void)
{
    char name[256];
    if (ttyname_r(STDERR_FILENO, name, sizeof name) != 0)
        return STDERR_FILENO;
    int fd = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd >= 0 ? fd : STDERR_FILENO;
}

void show_begin(struct progress *progress, const struct settings *settings)
{
    progress->kind = choose(settings);
    progress->view.colour = value_of("NO_COLOR")[0] == '\0' && !is_dumb();
    progress->view.ascii = !speaks_utf8();
    if (progress->kind != PROGRESS_LIVE)
        return;
    progress->screen.fd = open_terminal();
    progress->shares = isatty(STDOUT_FILENO) == 1;
    complain_to(say_above, progress);
}

/* ---- what is shown -------------------------------------------------------------------------- */

static void show_live(struct progress *progress)
{
    struct screen *screen = &progress->screen;
    screen_look(screen);
    if (terminal_is_anothers(screen->fd)) {
        screen_forget(screen);
        screen_wipe(screen);
        return;
    }
    display_draw(&progress->view, screen_width(screen), screen_lines(screen), &progress->frame);
    screen_draw(screen, &progress->frame);
}

static void show_plain(struct progress *progress)
{
    char line[512];
    uint64_t now = progress->view.elapsed_ms;
    if (now < progress->next_ms)
        return;
    progress->next_ms = now + PROGRESS_PLAIN_MS;
    complain("%s", display_sentence(&progress->view, line, sizeof line));
}

static void sample(struct progress *progress)
{
    struct display_view *view = &progress->view;
    struct rates_sample now = {.ms = view->elapsed_ms,
                               .pages = view->saved + view->found,
                               .settled = view->settled,
                               .there = view->there,
                               .bytes = view->bytes,
                               .waiting = view->waiting + view->running};
    rates_add(&progress->rates, &now);
    view->pages_rate = rates_pages(&progress->rates);
    view->bytes_rate = rates_bytes(&progress->rates);
    view->left_ms = rates_left_ms(&progress->rates, &view->limits, view->endless);
    memcpy(view->bars, progress->rates.bars, sizeof view->bars);
}

void show_now(struct crawl *crawl)
{
    struct progress *progress = &crawl->progress;
    if (progress->kind != PROGRESS_LIVE && progress->kind != PROGRESS_PLAIN)
        return;
    gather_view(crawl, &progress->view);
    sample(progress);
    if (progress->kind == PROGRESS_LIVE)
        show_live(progress);
    else
        show_plain(progress);
}

void show_pause(struct progress *progress)
{
    if (progress->kind == PROGRESS_LIVE)
        screen_wipe(&progress->screen);
}

void show_again(struct crawl *crawl)
{
    screen_forget(&crawl->progress.screen);
    show_now(crawl);
}

void show_end(struct progress *progress)
{
    show_pause(progress);
    if (progress->kind == PROGRESS_LIVE) {
        complain_to(NULL, NULL);
        if (progress->screen.fd != STDERR_FILENO)
            close(progress->screen.fd);
    }
    progress->kind = PROGRESS_AUTO;
    progress->shares = false;
}
