/* Looking into one file, in pieces.
 *
 * A window slides over it: a piece is read behind what is left of the one before, at least as much as the
 * longest keyword less one, so that a keyword on the edge is seen whole. One piece is a step of the
 * explorer's: between two of them a cancel is heard, and the next visit can go on. Reading, not mapping: a file
 * that is cut off while it is mapped kills whoever looks at it.
 *
 * Which file is asked for is known at the first keyword; its lines, if they are asked for, are the
 * matter of lines.c. All keywords at once: each is looked for until it was found; if all were, the file is
 * read once more for its lines. */
#include "find.h"
#include "io/file.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What a file costs, and a unit of its bytes, in entries (see explorer.c). */
enum { COST_FILE = 8, COST_BYTES = 1024 };

static struct finder *finder_of(struct explorer *explorer)
{
    return weft_owner(explorer, struct finder, explorer);
}

/* A piece, and what may be left before it: of a line that is waited for, or of a keyword. */
static size_t window_room(const struct weft_find_plan *plan)
{
    size_t before = plan->what == WEFT_FIND_FILES ? 0 : (size_t)WEFT_FIND_LINE_SIZE;
    return SEARCH_PIECE + before + plan->reach;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static int prepare(struct finder *finder)
{
    const struct weft_find_plan *plan = plan_of(finder);
    if (finder->window == NULL)
        finder->window = weft_alloc(window_room(plan));
    if (finder->missing == NULL && plan->all)
        finder->missing = weft_calloc(plan->count, sizeof *finder->missing);
    return finder->window == NULL || (finder->missing == NULL && plan->all) ? UV_ENOMEM : 0;
}

static int keep_path(struct finder *finder, const struct weft_tree_entry *entry)
{
    if (entry->size >= finder->path_room) {
        size_t room = entry->size * 2 + 256;
        char *path = weft_realloc(finder->path, room);
        if (path == NULL)
            return UV_ENOMEM;
        finder->path = path;
        finder->path_room = room;
    }
    memcpy(finder->path, entry->path, entry->size + 1);
    finder->path_size = entry->size;
    return 0;
}

static void start_reading(struct finder *finder)
{
    finder->held = finder->at = 0;
    finder->offset = 0;
    finder->ended = finder->unlooked = false;
    finder->line = 1;
    finder->line_offset = 0;
    finder->matched = 0;
    finder->told = false;
}

/* What has another kind by now, or is gone, was never there; so it is with what a process in /proc had. */
static bool is_no_file_any_more(const struct finder *finder, int status)
{
    bool link = status == UV_ELOOP && !finder->explorer.walk->tree.follow;
    return link || status == UV_ENOENT || status == UV_ENOTDIR || status == UV_ENXIO ||
           status == UV_EISDIR || status == UV_ENODEV || status == UV_ESRCH;
}

/* What was a file when its folder was read may be a pipe or a device by now: those are not read from, since
 * somebody else may wait for what is in them. And who writes what he finds to a file below the folder would
 * find it there again, without an end. */
static bool is_to_be_read(const struct finder *finder, const struct stat *st)
{
    const struct weft_find_plan *plan = plan_of(finder);
    bool excepted = plan->except_ino != 0 && st->st_ino == plan->except_ino &&
                    st->st_dev == (dev_t)plan->except_dev;
    return S_ISREG(st->st_mode) && !excepted;
}

static int fail(struct finder *finder, int status)
{
    if (is_no_file_any_more(finder, status))
        return 0;
    return weft__explorer_error(&finder->explorer, finder->path, finder->path_size, status);
}

/* Who holds a lease on it has a moment to let go (see weft__file_lease_wait). */
static int open_file(struct explorer *explorer, const struct weft_tree_entry *entry)
{
    int fd;
    unsigned turn = 0;
    do
        fd = weft__explorer_open(explorer, entry, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd == UV_EAGAIN && !weft_work_stopped(&explorer->work) && weft__file_lease_wait(&turn));
    return fd;
}

int weft__search_begin(struct explorer *explorer, const struct weft_tree_entry *entry)
{
    struct finder *finder = finder_of(explorer);
    if (entry->kind != WEFT_KIND_FILE)
        return 0;
    int err = prepare(finder);
    if (err == 0)
        err = keep_path(finder, entry);
    if (err != 0)
        return err;
    explorer->cost += COST_FILE;
    int fd = open_file(explorer, entry);
    if (fd < 0)
        return fail(finder, fd);
    struct stat st;
    if (fstat(fd, &st) != 0 || !is_to_be_read(finder, &st)) {
        close(fd);
        return 0;
    }
    finder->fd = fd;
    /* What says 0 is read to its end: below /proc that may be anything, elsewhere all that was added. */
    finder->size = st.st_size > 0 ? (uint64_t)st.st_size : UINT64_MAX;
    finder->explorer.busy = true;
    finder->rewound = false;
    finder->missing_count = plan_of(finder)->count;
    for (size_t i = 0; i < finder->missing_count; i++)
        finder->missing[i] = i;
    finder->files++;
    start_reading(finder);
    return 0;
}

static void close_file(struct finder *finder)
{
    close(finder->fd);
    finder->explorer.busy = false;
}

void weft__search_drop(struct explorer *explorer)
{
    struct finder *finder = finder_of(explorer);
    if (explorer->busy)
        close_file(finder);
    weft_free(finder->window);
    weft_free(finder->path);
    weft_free(finder->missing);
}

/* ---- what was found ------------------------------------------------------------------------- */

int weft__search_tell(struct finder *finder, const struct weft_find_match *match)
{
    size_t size = finder->path_size, text = match->text.size;
    struct find_record *record =
        weft__block_add(&finder->explorer.block, BLOCK_FOUND, sizeof *record + size + 1 + text);
    if (record == NULL)
        return UV_ENOMEM;
    record->line = match->line;
    record->offset = match->offset;
    record->size = size;
    record->text_size = text;
    record->at = match->at;
    record->cut = match->cut;
    memcpy(record->path, finder->path, size + 1);
    if (text > 0)
        memcpy(record->path + size + 1, match->text.data, text);
    return 0;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Of what was just read only that counts which belongs to the beginning of the file. */
static bool is_binary(const struct finder *finder, size_t got)
{
    uint64_t from = finder->offset + finder->held;
    if (from >= WEFT_FIND_TEXT_SIZE || got == 0)
        return false;
    size_t rest = (size_t)(WEFT_FIND_TEXT_SIZE - from);
    return memchr(finder->window + finder->held, '\0', got < rest ? got : rest) != NULL;
}

/* Behind what is held: how much, or a negative status. A read may bring little, of /proc or over a network;
 * but nothing is looked at before it is known whether the file is text. What is added meanwhile is not waited
 * for: it might be what was found. */
static ssize_t fill(struct finder *finder)
{
    char *to = finder->window + finder->held;
    uint64_t from = finder->offset + finder->held;
    uint64_t left = finder->size - from;
    size_t room = left < SEARCH_PIECE ? (size_t)left : SEARCH_PIECE, got = 0;
    while (!finder->ended && got < room) {
        ssize_t more = weft__file_read_some(finder->fd, to + got, room - got);
        if (more < 0)
            return more;
        got += (size_t)more;
        finder->ended = more == 0 || from + got == finder->size;
        if (from + got >= WEFT_FIND_TEXT_SIZE)
            break;
    }
    return (ssize_t)got;
}

/* Read on behind what is left. 1: there is something to look at; 0: the file is none of ours; a negative
 * status. */
static int read_piece(struct finder *finder)
{
    memmove(finder->window, finder->window + finder->at, finder->held - finder->at);
    finder->offset += finder->at;
    finder->held -= finder->at;
    finder->at = 0;
    ssize_t got = fill(finder);
    if (got < 0)
        return (int)got;
    if (is_binary(finder, (size_t)got)) {
        finder->binary++;
        return 0;
    }
    finder->held += (size_t)got;
    finder->bytes += (uint64_t)got;
    finder->explorer.cost += (unsigned)got / COST_BYTES;
    return 1;
}

/* Leave before at all that is not needed to see a keyword on the edge. */
static void keep_edge(struct finder *finder)
{
    size_t edge = plan_of(finder)->reach - 1;
    finder->at = finder->held > edge ? finder->held - edge : 0;
}

/* Look for those that are missing; true: none is. */
static bool look_for_missing(struct finder *finder)
{
    const struct weft_find_plan *plan = plan_of(finder);
    struct match match;
    for (size_t i = 0; i < finder->missing_count;) {
        const struct matcher *one = plan->each[finder->missing[i]].matcher;
        if (weft__matcher_find(one, finder->window, finder->held, &match))
            finder->missing[i] = finder->missing[--finder->missing_count];
        else
            i++;
    }
    return finder->missing_count == 0;
}

/* Is it one of the files that are asked for, as far as it was read? */
static bool is_asked_for(struct finder *finder)
{
    struct match match;
    if (plan_of(finder)->all)
        return look_for_missing(finder);
    return weft__matcher_find(plan_of(finder)->any, finder->window, finder->held, &match);
}

/* 1: more has to be read; 0: this file is over; a negative status. */
static int look_at_file(struct finder *finder)
{
    if (!is_asked_for(finder)) {
        keep_edge(finder);
        return !finder->ended;
    }
    if (plan_of(finder)->what == WEFT_FIND_FILES)
        return weft__search_tell(finder, &(struct weft_find_match){0});
    if (lseek(finder->fd, 0, SEEK_SET) != 0)
        return sys_error();
    finder->rewound = true;
    start_reading(finder);
    return 1;
}

static bool looks_for_lines(const struct finder *finder)
{
    const struct weft_find_plan *plan = plan_of(finder);
    return plan->what != WEFT_FIND_FILES && (!plan->all || finder->rewound);
}

static int finish_lines(struct finder *finder)
{
    if (plan_of(finder)->what != WEFT_FIND_COUNTS || finder->matched == 0)
        return 0;
    return weft__search_tell(finder, &(struct weft_find_match){.line = finder->matched});
}

/* The same results: of the whole file. A block that is full leaves the window as it is, to be looked
 * at again on the next visit. */
static int look(struct finder *finder)
{
    if (!looks_for_lines(finder))
        return look_at_file(finder);
    int more = weft__lines_look(finder);
    if (more < 0)
        return more;
    finder->unlooked = more == 0;
    if (finder->unlooked || !finder->ended)
        return 1;
    return finish_lines(finder);
}

int weft__search_on(struct explorer *explorer)
{
    struct finder *finder = finder_of(explorer);
    int more = finder->unlooked ? 1 : read_piece(finder);
    if (more > 0)
        more = look(finder);
    if (more > 0)
        return 0;
    close_file(finder);
    if (more == UV_ENOMEM)
        return more;
    bool waits =
        more == UV_EAGAIN; /* /proc/kmsg has nothing to say now, and nobody waits for that */
    return more < 0 && !waits ? fail(finder, more) : 0;
}
