/* The archive as a whole: made, gone on with, marked, closed.
 *
 *     nothing ──open──► FILE.<id>.part, with its warcinfo ──publish──► FILE
 *     FILE ──open──► repaired ──publish──► as it is ──the first put──► with one more warcinfo
 *
 * A new one gets its name when its first record is complete: so there is never a FILE that does not say
 * whose it is. It is a second name for the same file, which never takes the place of another one: of
 * two that are made at the same time one is told that there is one. Whoever writes it holds a lock on it,
 * until it is closed. */
#include "warc/inside.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/error.h>

/* ---- names ---------------------------------------------------------------------------------- */

static bool ends_in(const char *path, size_t size, const char *ending)
{
    size_t its = strlen(ending);
    return size > its && memcmp(path + size - its, ending, its) == 0;
}

static char *joined(const char *path, size_t size, const char *ending)
{
    char *name = weft_alloc(size + strlen(ending) + 1);
    if (name != NULL)
        snprintf(name, size + strlen(ending) + 1, "%.*s%s", (int)size, path, ending);
    return name;
}

char *warc_beside(struct warc *warc, const char *path, const char *ending)
{
    char id[WARC_ID], last[WARC_ID + 16];
    warc_id_make(warc, id);
    snprintf(last, sizeof last, ".%s%s", strrchr(id, ':') + 1, ending);
    return path != NULL ? joined(path, strlen(path), last) : NULL;
}

/* site.warc.gz and site.warc have site.cdxj; anything else has it behind its name. */
char *warc_index_of(const char *path)
{
    size_t size = strlen(path), stem = size;
    if (ends_in(path, size, ".gz") && ends_in(path, size - 3, ".warc"))
        stem = size - 8;
    else if (ends_in(path, size, ".warc"))
        stem = size - 5;
    return joined(path, stem, ".cdxj");
}

static bool set_names(struct warc *warc, const char *path)
{
    size_t size = strlen(path);
    warc->packed = ends_in(path, size, ".gz");
    warc->path = joined(path, size, "");
    warc->part_path = warc_beside(warc, warc->path, ".part");
    warc->index_path = warc_index_of(path);
    if (warc->path == NULL || warc->part_path == NULL || warc->index_path == NULL)
        return false;
    const char *slash = strrchr(warc->path, '/');
    warc->name = slash != NULL ? slash + 1 : warc->path;
    return true;
}

/* ---- warcinfo ------------------------------------------------------------------------------- */

/* As it will be written. */
static int make_info(struct warc *warc, struct weft_text info)
{
    struct warc_desk *desk = warc_desk_take(warc);
    if (desk == NULL)
        return UV_ENOMEM;
    warc_add_info(warc, &desk->request, time(NULL), info);
    struct weft_text record = weft_text(desk->request.data, desk->request.used);
    int err = desk->request.starved ? UV_ENOMEM : 0;
    if (err == 0 && warc->packed) {
        err = warc_desk_pack(desk, record, true);
        record = weft_text(desk->packed.data, desk->packed.used);
    }
    if (err == 0)
        warc_add_text(&warc->info, record);
    warc_desk_give(warc, desk);
    return err == 0 && warc->info.starved ? UV_ENOMEM : err;
}

int warc_write_info(struct warc *warc, uint64_t *at)
{
    struct warc_piece piece = {warc->info.data, -1, warc->info.used};
    return piece.size > 0 ? warc_pieces_write(warc->fd, &piece, 1, at) : 0;
}

/* ---- open ----------------------------------------------------------------------------------- */

/* File systems that know no locks do without. */
static int lock(const struct warc *warc)
{
    if (flock(warc->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0;
    return UV_EBUSY;
}

static int make(struct warc *warc, struct weft_text info)
{
    struct stat there;
    if (stat(warc->index_path, &there) == 0 && there.st_size > 0)
        return UV_EEXIST;
    warc->index = open(warc->index_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (warc->index < 0)
        return warc_error();
    warc->fd = open(warc->part_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (warc->fd < 0)
        return warc_error();
    int err = lock(warc);
    if (err == 0)
        err = make_info(warc, info);
    if (err == 0)
        err = warc_write_info(warc, &warc->end);
    warc_buffer_free(&warc->info);
    snprintf(warc->id, sizeof warc->id, "%s", warc->info_id);
    return err;
}

static int go_on(struct warc *warc, const struct warc_mark *mark, struct weft_text info)
{
    weft_free(warc->part_path);
    warc->part_path = NULL;
    if (mark == NULL || mark->id[0] == '\0')
        return UV_EEXIST;
    int err = lock(warc);
    if (err != 0)
        return err;
    warc->index = open(warc->index_path, O_RDWR | O_CLOEXEC);
    if (warc->index < 0)
        return errno == ENOENT ? WEFT_EDAMAGED : warc_error();
    err = warc_repair(warc, mark);
    return err == 0 ? make_info(warc, info) : err;
}

int warc_open(struct warc *warc, const char *path, int level, const struct warc_mark *mark,
              struct weft_text info)
{
    *warc = (struct warc){.level = level, .fd = -1, .index = -1};
    int err = uv_mutex_init(&warc->lock);
    if (err != 0)
        return err;
    warc->open = true;
    err = uv_random(NULL, NULL, warc->seed, sizeof warc->seed, 0, NULL);
    if (err == 0)
        err = set_names(warc, path) ? 0 : UV_ENOMEM;
    if (err == 0) {
        warc->fd = open(path, O_RDWR | O_CLOEXEC);
        err = warc->fd >= 0     ? go_on(warc, mark, info)
              : errno == ENOENT ? make(warc, info)
                                : warc_error();
    }
    if (err != 0)
        warc_close(warc);
    return err;
}

/* So that not only its bytes last, but its name, too. */
static int sync_folder(const struct warc *warc)
{
    char *folder = joined(warc->path, (size_t)(warc->name - warc->path), ".");
    int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int err = folder == NULL ? UV_ENOMEM : fd < 0 || fsync(fd) != 0 ? warc_error() : 0;
    if (fd >= 0)
        close(fd);
    weft_free(folder);
    return err;
}

/* Where a file has one name only it is renamed, if there is none of that name yet. */
static int give_name(const struct warc *warc)
{
    if (link(warc->part_path, warc->path) == 0)
        return unlink(warc->part_path) == 0 ? 0 : warc_error();
    bool one_only = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
    struct stat there;
    if (!one_only)
        return warc_error();
    if (lstat(warc->path, &there) == 0)
        return UV_EEXIST;
    return rename(warc->part_path, warc->path) == 0 ? 0 : warc_error();
}

int warc_publish(struct warc *warc)
{
    if (warc->part_path == NULL)
        return 0;
    int err = give_name(warc);
    if (err != 0)
        return err;
    weft_free(warc->part_path);
    warc->part_path = NULL;
    return sync_folder(warc);
}

void warc_close(struct warc *warc)
{
    if (!warc->open)
        return;
    if (warc->part_path != NULL && warc->fd >= 0)
        unlink(warc->part_path);
    if (warc->fd >= 0)
        close(warc->fd);
    if (warc->index >= 0)
        close(warc->index);
    warc_desks_free(warc);
    seen_free(&warc->seen);
    seen_free(&warc->answers);
    warc_buffer_free(&warc->info);
    uv_mutex_destroy(&warc->lock);
    weft_free(warc->path);
    weft_free(warc->part_path);
    weft_free(warc->index_path);
    *warc = (struct warc){.fd = -1, .index = -1};
}

/* ---- how far ------------------------------------------------------------------------------- */

int warc_sync(struct warc *warc)
{
    return fdatasync(warc->fd) == 0 && fdatasync(warc->index) == 0 ? 0 : warc_error();
}

void warc_mark(struct warc *warc, struct warc_mark *mark)
{
    uv_mutex_lock(&warc->lock);
    memcpy(mark->id, warc->id, sizeof mark->id);
    mark->end = warc->end;
    mark->index_end = warc->index_end;
    uv_mutex_unlock(&warc->lock);
}

void warc_mark_show(const struct warc_mark *mark, char text[WARC_MARK])
{
    snprintf(text, WARC_MARK, "%s %" PRIu64 " %" PRIu64, mark->id, mark->end, mark->index_end);
}

bool warc_mark_read(struct weft_text text, struct warc_mark *mark)
{
    char copy[WARC_MARK];
    *mark = (struct warc_mark){0};
    if (text.size >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%.*s", WEFT_TEXT_ARGS(text));
    return sscanf(copy, "%47s %" SCNu64 " %" SCNu64, mark->id, &mark->end, &mark->index_end) == 3;
}

/* ---- reading back --------------------------------------------------------------------------- */

/* The body is what follows the empty line. */
static int take_body(const struct warc_record *record, char **data, size_t *size)
{
    struct weft_text rest = weft_text(record->block.data, record->block.used);
    while (rest.size > 0) {
        struct weft_text line = weft_text_cut(&rest, '\n');
        if (line.size == 0 || (line.size == 1 && line.data[0] == '\r'))
            break;
    }
    *data = weft_alloc(rest.size + 1);
    if (*data == NULL)
        return UV_ENOMEM;
    if (rest.size > 0)
        memcpy(*data, rest.data, rest.size);
    (*data)[rest.size] = '\0';
    *size = rest.size;
    return 0;
}

int warc_get(struct warc *warc, uint64_t place, size_t limit, char **data, size_t *size)
{
    struct warc_record record = {0};
    struct warc_reader *reader = weft_calloc(1, sizeof *reader);
    int err = reader == NULL ? UV_ENOMEM : warc_reader_init(reader, warc->fd, warc->packed);
    if (err != 0) {
        weft_free(reader);
        return err;
    }
    err = warc_read_head(reader, place, &record);
    if (err == WEFT_EDAMAGED ||
        (err == 0 && !weft_text_is(warc_record_get(&record, "WARC-Type"), "response")))
        err = UV_ENOENT;
    if (err == 0 && record.block_size > limit)
        err = UV_EFBIG;
    if (err == 0)
        err = warc_read_whole(reader, place, limit, &record);
    if (err == 0)
        err = take_body(&record, data, size);
    warc_record_free(&record);
    warc_reader_free(reader);
    weft_free(reader);
    return err;
}
