/* A folder to serve from: opened once, so that its path is never looked up again, and read-only
 * from then on, so that all threads may share it. */
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

static bool value_ok(const char *value)
{
    return value == NULL || weft_http_value_ok(weft_text_of(value));
}

static bool index_ok(const char *const *index)
{
    for (; index != NULL && *index != NULL; index++) {
        if ((*index)[0] == '\0' || strchr(*index, '/') != NULL)
            return false;
    }
    return true;
}

static bool options_ok(const struct weft_http_files *files)
{
    return files->links >= WEFT_HTTP_LINKS_INSIDE && files->links <= WEFT_HTTP_LINKS_ALL &&
           value_ok(files->cache_control) && value_ok(files->type_by_default) &&
           index_ok(files->index);
}

int weft_http_files_open(struct weft_http_files *files, const char *root)
{
    struct stat st;
    if (files == NULL || root == NULL || root[0] == '\0' || !options_ok(files))
        return UV_EINVAL;
    if (files->open_)
        return UV_EALREADY;
    int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    if (fstat(fd, &st) != 0) {
        int err = uv_translate_sys_error(errno);
        close(fd);
        return err;
    }
    int probe = weft__http_openat2(fd, ".", O_PATH | O_DIRECTORY, files->links, false);
    if (probe >= 0)
        close(probe);
    files->root_ = fd;
    files->walk_ = probe < 0; /* an old kernel, or one that is told to refuse the call */
    files->in_memory_ = weft__http_in_memory(fd);
    files->device_ = (uint64_t)st.st_dev;
    files->open_ = true;
    return 0;
}

void weft_http_files_close(struct weft_http_files *files)
{
    if (files == NULL || !files->open_)
        return;
    close(files->root_);
    files->open_ = false;
}
