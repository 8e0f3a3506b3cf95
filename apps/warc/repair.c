/* Going on with an archive whose writer was killed, or whose machine stopped.
 *
 * The mark says up to where both files were good when it was kept. Behind it the records are walked,
 * each one to its end: what was written by a process that was killed is whole but for the last, and
 * after a power failure anything may stand there. The first that is not whole ends the walk.
 *
 * A record counts if the index has its line, which is written last; who wrote it was told so only
 * after that. So the end of both files is the last whole line whose record is whole: what the archive
 * has and the index has not was never called done, and is cut off.
 *
 * The index before the mark is read too, whatever its order: it tells which bodies are there, and which
 * answers. */
#include "warc/inside.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/error.h>

/* ---- the records ---------------------------------------------------------------------------- */

/* The id of the first record; "": it is no archive. */
static int read_id(struct warc_reader *reader, char to[WARC_ID])
{
    struct warc_record record = {0};
    to[0] = '\0';
    int err = warc_read_head(reader, 0, &record);
    struct weft_text id = warc_record_get(&record, "WARC-Record-ID"); /* "<urn:uuid:…>" */
    if (err == 0 && id.size > 2 && id.size - 2 < WARC_ID)
        snprintf(to, WARC_ID, "%.*s", (int)(id.size - 2), id.data + 1);
    warc_record_free(&record);
    return err == WEFT_EDAMAGED ? 0 : err;
}

/* Is it the archive of the mark? */
static int check_first(struct warc *warc, struct warc_reader *reader, const struct warc_mark *mark)
{
    char id[WARC_ID];
    int err = read_id(reader, id);
    if (err == 0 && strcmp(id, mark->id) != 0)
        err = UV_EEXIST;
    if (err == 0)
        snprintf(warc->id, sizeof warc->id, "%s", mark->id);
    return err;
}

int warc_id_of(const char *path, char id[WARC_ID])
{
    struct weft_text name = weft_text_of(path);
    bool packed = name.size > 3 && strcmp(path + name.size - 3, ".gz") == 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe has nobody at its end */
    id[0] = '\0';
    if (fd < 0)
        return 0; /* whoever opens it for writing finds out why */
    struct warc_reader *reader = weft_calloc(1, sizeof *reader);
    int err = reader == NULL ? UV_ENOMEM : warc_reader_init(reader, fd, packed);
    if (err == 0) {
        err = read_id(reader, id);
        warc_reader_free(reader);
    }
    weft_free(reader);
    close(fd);
    return err;
}

/* *end moves to behind the last one that is whole. */
static int walk(struct warc_reader *reader, uint64_t *end)
{
    struct warc_record record = {0};
    int err;
    while ((err = warc_read_whole(reader, *end, 0, &record)) == 0)
        *end += record.length;
    warc_record_free(&record);
    return err == WEFT_EDAMAGED ? 0 : err;
}

static int look(struct warc *warc, const struct warc_mark *mark, uint64_t *whole)
{
    struct warc_reader *reader = weft_calloc(1, sizeof *reader);
    int err = reader == NULL ? UV_ENOMEM : warc_reader_init(reader, warc->fd, warc->packed);
    if (err == 0) {
        err = check_first(warc, reader, mark);
        *whole = mark->end;
        if (err == 0)
            err = walk(reader, whole);
        warc_reader_free(reader);
    }
    weft_free(reader);
    return err;
}

/* ---- the index ------------------------------------------------------------------------------ */

static bool counts(const struct warc *warc, const struct warc_line *line, uint64_t whole)
{
    return line->offset >= warc->end && line->length > 0 && line->length <= whole &&
           line->offset <= whole - line->length;
}

/* A line that begins at index_end. false: nothing behind it counts. */
static bool take_line(struct warc *warc, const char *text, size_t size, uint64_t marked,
                      uint64_t whole)
{
    struct warc_line line;
    bool before = warc->index_end < marked;
    bool good = strlen(text) == size && warc_line_read(text, &line);
    if (!before && (!good || !counts(warc, &line, whole)))
        return false;
    if (good && line.has_body)
        seen_add(&warc->seen, line.digest, line.offset);
    if (good && line.is_good)
        seen_add(&warc->answers, line.key, line.offset);
    if (!before)
        warc->end = line.offset + line.length;
    warc->index_end += size;
    return true;
}

static int read_index(struct warc *warc, const struct warc_mark *mark, uint64_t whole)
{
    FILE *file = fopen(warc->index_path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    if (file == NULL)
        return warc_error();
    warc->index_end = 0;
    warc->end = mark->end;
    while ((size = getline(&line, &room, file)) > 0) {
        if (!take_line(warc, line, (size_t)size, mark->index_end, whole))
            break;
    }
    int err = ferror(file) ? UV_EIO : 0;
    free(line); /* getline's own */
    fclose(file);
    return err == 0 && warc->index_end < mark->index_end ? WEFT_EDAMAGED : err;
}

int warc_repair(struct warc *warc, const struct warc_mark *mark)
{
    struct stat file;
    uint64_t whole = 0;
    if (fstat(warc->fd, &file) != 0)
        return warc_error();
    int err = look(warc, mark, &whole);
    if (err == 0 && (uint64_t)file.st_size < mark->end)
        err = WEFT_EDAMAGED;
    if (err == 0)
        err = read_index(warc, mark, whole);
    if (err != 0)
        return err;
    bool cut = ftruncate(warc->fd, (off_t)warc->end) == 0 &&
               ftruncate(warc->index, (off_t)warc->index_end) == 0;
    return cut ? 0 : warc_error();
}
