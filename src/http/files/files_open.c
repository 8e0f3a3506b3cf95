/* Opening and reading below the folder.
 *
 * Paths come cleaned: no "..", no empty segment, relative. What could still lead out are links. The
 * kernel is asked to mind them (files_linux.c). Where it cannot, the path is walked by hand, one
 * segment after the other from the folder's descriptor, and no link is followed at all: each step
 * opens a name in a folder that is held open, so nobody can slip one in meanwhile.
 *
 * Everything is opened without waiting, because opening a pipe would wait for its other end. */
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { NAME_SIZE = 256, ON_THE_WAY = O_PATH | O_DIRECTORY };

/* openat of one segment, which is not terminated. */
static int open_segment(int folder, struct weft_text segment, int flags)
{
    char name[NAME_SIZE];
    if (segment.size >= sizeof name)
        return UV_ENAMETOOLONG;
    memcpy(name, segment.data, segment.size);
    name[segment.size] = '\0';
    int fd;
    do
        fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

static int walk(int root, const char *path, int flags)
{
    struct weft_text rest = weft_text_of(path);
    int folder = root;
    while (rest.data != NULL) {
        struct weft_text segment = weft_text_cut(&rest, '/');
        bool last = rest.size == 0; /* a '/' at the end adds nothing */
        int next = open_segment(folder, segment, last ? flags : ON_THE_WAY);
        if (folder != root)
            close(folder);
        if (next < 0 || last)
            return next;
        folder = next;
    }
    return UV_ENOENT;
}

static int follow(int root, const char *path, int flags)
{
    int fd = openat(root, path, flags | O_CLOEXEC);
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

int weft__http_open_below(const struct weft_http_files *files, const char *path, int flags,
                          bool cached)
{
    if (!(flags & O_PATH))
        flags |= O_NONBLOCK | O_NOCTTY;
    if (path[0] == '\0')
        path = ".";
    if (cached && (files->slow_ || files->walk_))
        return UV_EAGAIN;
    if (!files->walk_)
        return weft__http_openat2(files->root_, path, flags, files->links, cached);
    if (files->links == WEFT_HTTP_LINKS_ALL)
        return follow(files->root_, path, flags);
    return walk(files->root_, path, flags);
}

static ssize_t read_waiting(int fd, void *buffer, size_t size, uint64_t offset)
{
    ssize_t got;
    do
        got = pread(fd, buffer, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got >= 0 ? got : uv_translate_sys_error(errno);
}

ssize_t weft__http_read_at(const struct weft_http_job *job, void *buffer, size_t size,
                           uint64_t offset, bool cached)
{
    int fd = job->found.fd;
    if (!cached || (job->found.in_memory && !job->files->slow_))
        return read_waiting(fd, buffer, size, offset);
    return job->files->slow_ ? UV_EAGAIN : weft__http_read_cached(fd, buffer, size, offset);
}
