/* Listing a folder: what is in it, in the order in which people look for things.
 *
 * On the pool, from the descriptor that was opened with all due care; a path would be looked up
 * again, past the rules for links. A link is shown as what it leads to, if it may be followed;
 * otherwise, as with pipes and devices, a click on it would be refused, so it is left out.
 *
 * Memory is bounded: so many entries, each a name of at most 255 bytes and some numbers, and a page
 * of so many bytes. */
#include "files.h"
#include "weft/alloc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { FIRST_ENTRIES = 64, FIRST_NAMES = 4096, PATH_SIZE = 4096 };

struct listing {
    struct http_entry *entries;
    size_t count, room;
    char *names; /* moves while it grows: entries point into it only at the end */
    size_t used, names_room;
};

/* ---- the order ------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count]))
        count++;
    return count;
}

/* Two numbers of any length; moves both texts behind them. */
static int by_number(const char **left, const char **right)
{
    while (**left == '0' && is_digit((*left)[1]))
        (*left)++;
    while (**right == '0' && is_digit((*right)[1]))
        (*right)++;
    size_t left_digits = digits(*left), right_digits = digits(*right);
    if (left_digits != right_digits)
        return left_digits < right_digits ? -1 : 1;
    int order = memcmp(*left, *right, left_digits);
    *left += left_digits;
    *right += left_digits;
    return order;
}

/* "page 2" comes before "Page 10". */
static int naturally(const char *left, const char *right)
{
    while (*left != '\0' && *right != '\0') {
        int order;
        if (is_digit(*left) && is_digit(*right)) {
            order = by_number(&left, &right);
        } else {
            order =
                (unsigned char)weft_text_lower(*left++) - (unsigned char)weft_text_lower(*right++);
        }
        if (order != 0)
            return order;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

static int by_name(const void *one, const void *other)
{
    const struct http_entry *left = one, *right = other;
    if (left->folder != right->folder)
        return left->folder ? -1 : 1;
    int order = naturally(left->name, right->name);
    return order != 0 ? order : strcmp(left->name, right->name);
}

/* ---- collecting ----------------------------------------------------------------------------- */

static bool grow(void **block, size_t *room, size_t needed, size_t first, size_t size)
{
    if (needed <= *room)
        return true;
    size_t more = *room != 0 ? *room * 2 : first;
    void *larger = weft_realloc(*block, more * size);
    if (larger == NULL)
        return false;
    *block = larger;
    *room = more;
    return true;
}

static int add(struct listing *listing, const char *name, const struct stat *st)
{
    size_t length = strlen(name) + 1; /* shorter than the first room */
    void *entries = listing->entries, *names = listing->names;
    bool grown =
        grow(&entries, &listing->room, listing->count + 1, FIRST_ENTRIES, sizeof *listing->entries);
    listing->entries = entries;
    grown = grown && grow(&names, &listing->names_room, listing->used + length, FIRST_NAMES, 1);
    listing->names = names;
    if (!grown)
        return UV_ENOMEM;
    memcpy(listing->names + listing->used, name, length);
    listing->used += length;
    struct http_entry *entry = &listing->entries[listing->count++];
    entry->size = (uint64_t)st->st_size;
    entry->modified = st->st_mtime;
    entry->folder = S_ISDIR(st->st_mode);
    return 0;
}

/* Where a link leads to, by the same rules by which it would be opened. */
static bool look_through(struct weft_http_job *job, const char *name, struct stat *st)
{
    char path[PATH_SIZE];
    size_t length = strlen(name) + 1;
    if (job->path.size + length > sizeof path)
        return false;
    memcpy(path, job->path.data, job->path.size);
    memcpy(path + job->path.size, name, length);
    int fd = weft__http_open_below(job->files, path, O_PATH, false);
    if (fd < 0)
        return false;
    bool known = fstat(fd, st) == 0;
    close(fd);
    return known;
}

static bool is_shown(struct weft_http_job *job, const char *name, struct stat *st)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (name[0] == '.' && !job->files->hidden)
        return false;
    if (strchr(name, '\\') != NULL)
        return false; /* no path leads to it: see weft_http_path_clean */
    if (fstatat(job->found.fd, name, st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (S_ISLNK(st->st_mode) && !look_through(job, name, st))
        return false;
    return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
}

static int collect(struct weft_http_job *job, DIR *dir, struct listing *listing, bool *more)
{
    size_t max = job->files->listed_max != 0 ? job->files->listed_max : WEFT_HTTP_FILES_LISTED;
    struct stat st;
    for (;;) {
        if (atomic_load_explicit(&job->stop, memory_order_relaxed))
            return UV_ECANCELED;
        errno = 0;
        const struct dirent *found = readdir(dir);
        if (found == NULL)
            return errno == 0 ? 0 : uv_translate_sys_error(errno);
        if (!is_shown(job, found->d_name, &st))
            continue;
        *more = listing->count == max;
        if (*more)
            return 0;
        int err = add(listing, found->d_name, &st);
        if (err != 0)
            return err;
    }
}

static void sort(struct listing *listing)
{
    const char *name = listing->names;
    if (listing->count == 0)
        return;
    for (size_t i = 0; i < listing->count; i++) {
        listing->entries[i].name = name;
        name += strlen(name) + 1;
    }
    qsort(listing->entries, listing->count, sizeof *listing->entries, by_name);
}

/* A reader of its own for the folder: closedir takes the descriptor with it. NULL: see errno. */
static DIR *open_reader(int folder)
{
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL && fd >= 0) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return dir;
}

int weft__http_list(struct weft_http_job *job, bool cached)
{
    struct listing listing = {0};
    bool more = false;
    if (cached)
        return UV_EAGAIN;
    DIR *dir = open_reader(job->found.fd);
    if (dir == NULL)
        return uv_translate_sys_error(errno);
    int err = collect(job, dir, &listing, &more);
    closedir(dir);
    if (err == 0) {
        sort(&listing);
        err = weft__http_page(job, listing.entries, listing.count, more);
    }
    weft_free(listing.entries);
    weft_free(listing.names);
    return err;
}
