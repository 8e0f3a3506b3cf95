/* The index in order, however long it is: pieces that fit into memory are sorted and written one behind
 * the other to a file, then merged into another one, which takes the name of the index. There are never
 * more than a few pieces: they are larger if it is very long.
 *
 * Lines are compared byte by byte, as those who search it by halves do. What is in order already is
 * left alone. */
#include "warc/inside.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weft/alloc.h>

enum { RUN = 8 << 20, RUNS = 128 }; /* bytes of lines that are sorted in memory; so many times */

struct run {
    FILE *file; /* NULL: it is over */
    uint64_t end;
    uint64_t at;
    char *line;
    size_t room;
    ssize_t size;
};

struct sorting {
    char *runs_path, *sorted_path; /* NULL: there is no such file */
    size_t piece;                  /* so much is sorted in memory */
    FILE *from, *to;
    struct run *runs;
    size_t count, room;
};

/* A new file beside the index: *path is its name. */
static int make_file(struct warc *warc, const char *ending, char **path, FILE **file)
{
    char *name = warc_beside(warc, warc->index_path, ending);
    if (name == NULL)
        return UV_ENOMEM;
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        int err = warc_error();
        weft_free(name);
        return err;
    }
    *path = name;
    *file = fdopen(fd, "w");
    if (*file != NULL)
        return 0;
    close(fd);
    return UV_ENOMEM;
}

static void remove_file(char *path)
{
    if (path != NULL)
        unlink(path);
    weft_free(path);
}

static int order(const char *one, size_t one_size, const char *other, size_t other_size)
{
    int by = memcmp(one, other, one_size < other_size ? one_size : other_size);
    return by != 0 ? by : one_size < other_size ? -1 : one_size > other_size;
}

static int in_order(const void *one, const void *other)
{
    const struct weft_text *a = one, *b = other;
    return order(a->data, a->size, b->data, b->size);
}

/* ---- is there anything to do? --------------------------------------------------------------- */

static int is_sorted(struct sorting *sorting, bool *sorted)
{
    char *lines[2] = {NULL, NULL};
    size_t rooms[2] = {0, 0};
    ssize_t sizes[2] = {0, 0};
    *sorted = true;
    for (unsigned turn = 0; *sorted; turn ^= 1) {
        sizes[turn] = getline(&lines[turn], &rooms[turn], sorting->from);
        if (sizes[turn] <= 0)
            break;
        *sorted = lines[turn ^ 1] == NULL || order(lines[turn ^ 1], (size_t)sizes[turn ^ 1],
                                                   lines[turn], (size_t)sizes[turn]) <= 0;
    }
    free(lines[0]);
    free(lines[1]);
    rewind(sorting->from);
    return ferror(sorting->from) ? UV_EIO : 0;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* As many lines as fit, at least one; they follow each other in text. */
static int read_piece(struct sorting *sorting, struct warc_buffer *text, size_t *lines)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size = 0;
    *lines = 0;
    text->used = 0;
    while (text->used < sorting->piece && (size = getline(&line, &room, sorting->from)) > 0) {
        warc_add(text, line, (size_t)size);
        ++*lines;
    }
    free(line);
    return text->starved ? UV_ENOMEM : ferror(sorting->from) ? UV_EIO : 0;
}

static int write_line(const char *line, size_t size, FILE *to)
{
    return fwrite(line, 1, size, to) == size ? 0 : warc_error();
}

static int write_sorted(struct weft_text text, size_t count, FILE *to)
{
    struct weft_text *lines = weft_calloc(count, sizeof *lines);
    if (lines == NULL)
        return UV_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end != NULL ? (size_t)(end + 1 - text.data) : text.size;
        lines[i] = weft_text(text.data, size);
        text = weft_text(text.data + size, text.size - size);
    }
    qsort(lines, count, sizeof *lines, in_order);
    int err = 0;
    for (size_t i = 0; err == 0 && i < count; i++)
        err = write_line(lines[i].data, lines[i].size, to);
    weft_free(lines);
    return err;
}

static bool add_run(struct sorting *sorting, size_t size)
{
    if (sorting->count == sorting->room) {
        size_t room = 2 * sorting->room + 8;
        struct run *runs = weft_realloc(sorting->runs, room * sizeof *runs);
        if (runs == NULL)
            return false;
        sorting->runs = runs;
        sorting->room = room;
    }
    uint64_t begin = sorting->count > 0 ? sorting->runs[sorting->count - 1].end : 0;
    sorting->runs[sorting->count++] = (struct run){.at = begin, .end = begin + size};
    return true;
}

static int make_runs(struct warc *warc, struct sorting *sorting)
{
    struct warc_buffer text = {0};
    FILE *to = NULL;
    int err = make_file(warc, ".runs", &sorting->runs_path, &to);
    size_t lines = 1;
    while (err == 0 && lines > 0) {
        err = read_piece(sorting, &text, &lines);
        if (err == 0 && lines > 0)
            err = write_sorted(weft_text(text.data, text.used), lines, to);
        if (err == 0 && lines > 0 && !add_run(sorting, text.used))
            err = UV_ENOMEM;
    }
    warc_buffer_free(&text);
    if (to != NULL && fclose(to) != 0 && err == 0)
        err = warc_error();
    return err;
}

/* ---- merged --------------------------------------------------------------------------------- */

static int next_line(struct run *run)
{
    run->size = 0;
    if (run->at < run->end)
        run->size = getline(&run->line, &run->room, run->file);
    if (run->size > 0) {
        run->at += (uint64_t)run->size;
        return 0;
    }
    int err = run->at < run->end ? UV_EIO : 0;
    fclose(run->file);
    run->file = NULL;
    return err;
}

static int begin_run(struct sorting *sorting, struct run *run)
{
    run->file = fopen(sorting->runs_path, "re");
    if (run->file == NULL || fseeko(run->file, (off_t)run->at, SEEK_SET) != 0)
        return warc_error();
    return next_line(run);
}

static struct run *least(struct sorting *sorting)
{
    struct run *best = NULL;
    for (struct run *run = sorting->runs; run < sorting->runs + sorting->count; run++) {
        if (run->file != NULL && (best == NULL || order(run->line, (size_t)run->size, best->line,
                                                        (size_t)best->size) < 0))
            best = run;
    }
    return best;
}

static int merge(struct warc *warc, struct sorting *sorting)
{
    struct run *run;
    int err = 0;
    for (size_t i = 0; err == 0 && i < sorting->count; i++)
        err = begin_run(sorting, &sorting->runs[i]);
    if (err == 0)
        err = make_file(warc, ".sorted", &sorting->sorted_path, &sorting->to);
    while (err == 0 && (run = least(sorting)) != NULL) {
        err = write_line(run->line, (size_t)run->size, sorting->to);
        if (err == 0)
            err = next_line(run);
    }
    if (err == 0 && (fflush(sorting->to) != 0 || fsync(fileno(sorting->to)) != 0))
        err = warc_error();
    return err;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The index has its name from now on, and is written through another descriptor. */
static int replace(struct warc *warc, struct sorting *sorting)
{
    int fd = open(sorting->sorted_path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return warc_error();
    if (rename(sorting->sorted_path, warc->index_path) != 0) {
        int err = warc_error();
        close(fd);
        return err;
    }
    weft_free(sorting->sorted_path);
    sorting->sorted_path = NULL;
    close(warc->index);
    warc->index = fd;
    return 0;
}

static int sort_all(struct warc *warc, struct sorting *sorting)
{
    bool sorted = false;
    uint64_t share = warc->index_end / RUNS;
    sorting->piece = share > RUN ? (size_t)share : RUN;
    sorting->from = fopen(warc->index_path, "re");
    int err = sorting->from != NULL ? is_sorted(sorting, &sorted) : warc_error();
    if (err != 0 || sorted)
        return err;
    err = make_runs(warc, sorting);
    if (err == 0)
        err = merge(warc, sorting);
    return err == 0 ? replace(warc, sorting) : err;
}

int warc_sort(struct warc *warc)
{
    struct sorting sorting = {0};
    int err = sort_all(warc, &sorting);
    for (size_t i = 0; i < sorting.count; i++) {
        if (sorting.runs[i].file != NULL)
            fclose(sorting.runs[i].file);
        free(sorting.runs[i].line);
    }
    if (sorting.from != NULL)
        fclose(sorting.from);
    if (sorting.to != NULL)
        fclose(sorting.to);
    remove_file(sorting.runs_path);
    remove_file(sorting.sorted_path);
    weft_free(sorting.runs);
    return err;
}
