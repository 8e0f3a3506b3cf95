/* Replacing a file in one step: write a temporary one beside it, rename it over.
 *
 *     look ──► open ──► (the caller writes to fd) ──► close: mode, fsync, rename, fsync directory
 *                                                       └ or, after any error: close, unlink
 *
 * Invariants: until the rename the target is not touched in any way; after close, whatever it says,
 * the temporary file is gone; its name is 128 random bits and O_EXCL, so that nobody can put
 * something else in its place beforehand and no two writers ever share one.
 *
 * Rights. Until it is complete a file that will replace another can be read by nobody else. Then it
 * gets the old one's list of rights, owner and group, if the system lets us, and its mode. If the owner
 * cannot be kept the set-id bits go; if the group cannot, the new group gets what everybody has, and if
 * the list cannot, nobody on it and no group gets anything: a file for one group must not become
 * readable to another. */
#include "file_replace.h"
#include "file_acl.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that a link leads to. What is open and has no name, such as the pipe that /dev/stdout may be,
 * is there although no path leads to it: it cannot be replaced. */
static int follow(struct replace *replace, const char *path)
{
    if (realpath(path, replace->target) != NULL && stat(replace->target, &replace->old) == 0)
        return 0;
    int err = sys_error();
    return err == UV_ENOENT && stat(path, &replace->old) == 0 ? UV_EINVAL : err;
}

int weft__replace_look(struct replace *replace, const char *path)
{
    struct stat *old = &replace->old;
    size_t length = strlen(path);
    if (length >= sizeof replace->target)
        return UV_ENAMETOOLONG;
    memcpy(replace->target, path, length + 1);
    if (lstat(path, old) != 0) {
        old->st_mode = 0;
        return errno == ENOENT ? 0 : sys_error();
    }
    int err = S_ISLNK(old->st_mode) ? follow(replace, path) : 0;
    if (err != 0)
        return err;
    if (S_ISDIR(old->st_mode))
        return UV_EISDIR;
    return S_ISREG(old->st_mode) ? 0 : UV_EINVAL; /* a device must not turn into a file */
}

/* How much of target is its directory, with the slash; 0: it has none. */
static size_t directory_length(const char *target)
{
    const char *slash = strrchr(target, '/');
    return slash != NULL ? (size_t)(slash - target) + 1 : 0;
}

static int name_temporary(struct replace *replace)
{
    static const char prefix[] = ".weft-", digits[] = "0123456789abcdef";
    unsigned char random[16];
    int err = uv_random(NULL, NULL, random, sizeof random, 0, NULL);
    if (err != 0)
        return err;
    size_t length = directory_length(replace->target);
    if (length + sizeof prefix + 2 * sizeof random > sizeof replace->temporary)
        return UV_ENAMETOOLONG;
    memcpy(replace->temporary, replace->target, length);
    char *end = replace->temporary + length;
    memcpy(end, prefix, sizeof prefix - 1);
    end += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof random; i++) {
        *end++ = digits[random[i] >> 4];
        *end++ = digits[random[i] & 15];
    }
    *end = '\0';
    return 0;
}

static int open_directory(const struct replace *replace)
{
    char path[PATH_MAX] = ".";
    size_t length = directory_length(replace->target);
    if (length != 0) {
        memcpy(path, replace->target, length);
        path[length] = '\0';
    }
    return weft__file_open(path, O_RDONLY | O_DIRECTORY, 0);
}

int weft__replace_open(struct replace *replace, mode_t new_mode, bool durable)
{
    replace->dir = -1;
    if (durable) {
        replace->dir = open_directory(replace);
        if (replace->dir < 0)
            return replace->dir;
    }
    int err = name_temporary(replace);
    if (err == 0) {
        mode_t mode = replace->old.st_mode != 0 ? 0600 : new_mode;
        replace->fd = weft__file_open(replace->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        err = replace->fd < 0 ? replace->fd : 0;
    }
    if (err != 0 && replace->dir >= 0)
        close(replace->dir);
    return err;
}

/* Last, because a write takes the set-id bits away. */
static int inherit(const struct replace *replace)
{
    const struct stat *old = &replace->old;
    struct stat new;
    int fd = replace->fd;
    if (old->st_mode == 0)
        return 0;
    if (fstat(fd, &new) != 0)
        return sys_error();
    bool same_list = weft__file_acl_copy(replace->target, fd);
    mode_t mode = old->st_mode & 07777;
    bool same_user = new.st_uid == old->st_uid, same_group = new.st_gid == old->st_gid;
    if (!same_group && fchown(fd, (uid_t)-1, old->st_gid) == 0)
        same_group = true;
    if (!same_user && fchown(fd, old->st_uid, (gid_t)-1) == 0)
        same_user = true;
    if (!same_user || !same_group)
        mode &= 0777;
    if (!same_group)
        mode = (mode & 0707) | ((mode & 07) << 3 & mode);
    if (!same_list)
        mode &= 07707;
    return fchmod(fd, mode) == 0 ? 0 : sys_error();
}

static int sync_now(int fd)
{
    int status;
    do {
        status = fsync(fd) == 0 ? 0 : sys_error();
    } while (status == UV_EINTR);
    return status;
}

/* The new file as it shall be, under its temporary name. */
static int complete(struct replace *replace, int status, const atomic_bool *stop)
{
    if (status == 0)
        status = inherit(replace);
    if (status == 0 && replace->dir >= 0)
        status = sync_now(replace->fd);
    int err = weft__file_close(replace->fd);
    if (status == 0)
        status = err;
    if (status == 0 && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
        status = UV_ECANCELED;
    return status;
}

int weft__replace_close(struct replace *replace, int status, const atomic_bool *stop)
{
    status = complete(replace, status, stop);
    if (status == 0 && rename(replace->temporary, replace->target) != 0)
        status = sys_error();
    if (status != 0) {
        unlink(replace->temporary);
    } else if (replace->dir >= 0) {
        status = sync_now(replace->dir);
        if (status == UV_EINVAL)
            status = 0; /* a file system whose directories cannot be synced has done what it can */
    }
    if (replace->dir >= 0)
        close(replace->dir);
    return status;
}
