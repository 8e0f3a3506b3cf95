/* Listing a directory.
 *
 * The thread packs what it finds into one growing block: a byte for the kind, then the name with
 * its NUL. When all is there, and the block no longer moves, an array of entries is made that
 * points into it. So a listing of any length is two blocks, not one a name. */
#include "file.h"
#include "weft/alloc.h"
#include "weft/dir.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROOM = 4096 };

struct dir_hop {
    struct weft_hop hop;
    size_t max;
    bool as_found;
    char *names;
    size_t used, room, count;
    struct weft_dir_entry *entries;
};

static enum weft_file_kind kind_of(DIR *dir, const struct dirent *found)
{
#ifdef DT_UNKNOWN
    if (found->d_type != DT_UNKNOWN)
        return weft__file_kind((mode_t)DTTOIF(found->d_type));
#endif
    struct stat st;
    if (fstatat(dirfd(dir), found->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return WEFT_KIND_UNKNOWN;
    return weft__file_kind(st.st_mode);
}

static int add(struct dir_hop *its, const char *name, enum weft_file_kind kind)
{
    size_t length = strlen(name) + 1;
    if (its->count == its->max)
        return UV_E2BIG;
    if (its->room - its->used < length + 1) { /* a name is shorter than the first room */
        size_t room = its->room != 0 ? its->room * 2 : FIRST_ROOM;
        char *names = weft_realloc(its->names, room);
        if (names == NULL)
            return UV_ENOMEM;
        its->names = names;
        its->room = room;
    }
    its->names[its->used] = (char)kind;
    memcpy(its->names + its->used + 1, name, length);
    its->used += length + 1;
    its->count++;
    return 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int collect(struct dir_hop *its, DIR *dir)
{
    for (;;) {
        if (hop_stopped(&its->hop))
            return UV_ECANCELED;
        errno = 0;
        const struct dirent *found = readdir(dir);
        if (found == NULL)
            return errno == 0 ? 0 : sys_error();
        if (is_dots(found->d_name))
            continue;
        int err = add(its, found->d_name, kind_of(dir, found));
        if (err != 0)
            return err;
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct weft_dir_entry *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static int unpack(struct dir_hop *its)
{
    if (its->count == 0)
        return 0;
    its->entries = weft_calloc(its->count, sizeof *its->entries);
    if (its->entries == NULL)
        return UV_ENOMEM;
    const char *record = its->names;
    for (size_t i = 0; i < its->count; i++) {
        its->entries[i].kind = (enum weft_file_kind)record[0];
        its->entries[i].name = record + 1;
        record += strlen(record + 1) + 2;
    }
    if (!its->as_found)
        qsort(its->entries, its->count, sizeof *its->entries, by_bytes);
    return 0;
}

static int dir_work(struct weft_hop *hop)
{
    struct dir_hop *its = weft_owner(hop, struct dir_hop, hop);
    DIR *dir = opendir(hop->path);
    if (dir == NULL)
        return sys_error();
    int status = collect(its, dir);
    closedir(dir);
    return status == 0 ? unpack(its) : status;
}

static void dir_give(struct weft_hop *hop, struct weft_op *op)
{
    struct dir_hop *its = weft_owner(hop, struct dir_hop, hop);
    struct weft_dir_read *read = weft_owner(op, struct weft_dir_read, op);
    read->entries = its->entries;
    read->count = its->count;
    read->names_ = its->names;
    its->entries = NULL;
    its->names = NULL;
}

static void dir_drop(struct weft_hop *hop)
{
    struct dir_hop *its = weft_owner(hop, struct dir_hop, hop);
    weft_free(its->entries);
    weft_free(its->names);
}

static const struct hop_kind dir_kind = {.size = sizeof(struct dir_hop),
                                         .paths = 1,
                                         .work = dir_work,
                                         .give = dir_give,
                                         .drop = dir_drop};
HOPPER(weft_dir_read);

void weft_dir_read_begin(struct weft_op *op)
{
    struct weft_dir_read *read = weft_owner(op, struct weft_dir_read, op);
    read->entries = NULL;
    read->count = 0;
    read->names_ = NULL;
    struct weft_hop *hop = weft__hop_make(op, &dir_kind, read->path, NULL);
    if (hop == NULL)
        return;
    struct dir_hop *its = weft_owner(hop, struct dir_hop, hop);
    its->max = read->max != 0 ? read->max : WEFT_DIR_READ_MAX;
    its->as_found = read->as_found;
    weft__hop_go(hop);
}

void weft_dir_read_at(const struct weft_site *site, struct weft_op *parent,
                      struct weft_dir_read *read, const char *path, weft_then_fn *then)
{
    op_check_start(parent, &read->op);
    read->path = path;
    weft_run_at(site, parent, &read->op, weft_dir_read_begin, then);
}

void weft_dir_free(struct weft_dir_read *read)
{
    weft_free(read->entries);
    weft_free(read->names_);
    read->entries = NULL;
    read->names_ = NULL;
    read->count = 0;
}
