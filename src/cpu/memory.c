/* Large payloads: a memfd is filled by one process and mapped by the other, and nothing is copied
 * on the way.
 *
 * A memory that came from a worker is sealed, or it is refused: a file that its writer can still
 * cut off kills whoever reads behind the new end (SIGBUS). Where there is no memfd there is a file
 * without a name, and no seals: there what comes in is not mapped. */
#include "memory.h"
#include "weft/procs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static int make(void)
{
    return memfd_create("weft payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static bool seal(int fd)
{
    return fcntl(fd, F_ADD_SEALS, SEALS) == 0;
}

static void seal_for_others(int fd)
{
    fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
}

static bool fix_size(int fd)
{
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
}

static bool is_sealed(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS;
}
#else
static int make(void)
{
    char name[] = "/tmp/weft-payload-XXXXXX";
    int fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool seal(int fd)
{
    (void)fd;
    return true;
}

static void seal_for_others(int fd)
{
    (void)fd;
}

static bool fix_size(int fd)
{
    (void)fd;
    return true;
}

static bool is_sealed(int fd)
{
    (void)fd;
    return false;
}
#endif

int weft__memory_make(size_t size)
{
    int fd = make();
    if (fd < 0)
        return uv_translate_sys_error(errno);
    if (ftruncate(fd, (off_t)size) == 0 && fix_size(fd))
        return fd;
    int err = uv_translate_sys_error(errno);
    close(fd);
    return err;
}

/* By write: the kernel puts the bytes into new pages without clearing them first. */
static int fill(int fd, const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t done = pwrite(fd, data + at, size - at, (off_t)at);
        if (done < 0 && errno != EINTR)
            return uv_translate_sys_error(errno);
        at += done > 0 ? (size_t)done : 0;
    }
    return seal(fd) ? 0 : uv_translate_sys_error(errno);
}

int weft__memory_of(const void *data, size_t size)
{
    int fd = make();
    if (fd < 0)
        return uv_translate_sys_error(errno);
    int err = fill(fd, data, size);
    if (err == 0)
        return fd;
    close(fd);
    return err;
}

static bool is_what_it_says(int fd, size_t size)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == size &&
           is_sealed(fd);
}

int weft__memory_map(int fd, size_t size, bool sealed, void **data)
{
    if (sealed && !is_what_it_says(fd, size))
        return UV_EPROTO;
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return uv_translate_sys_error(errno);
    *data = at;
    return 0;
}

void weft__memory_unmap(void *data, size_t size)
{
    munmap(data, size);
}

/* ---- payloads of the caller's --------------------------------------------------------------- */

int weft_payload_open(struct weft_payload *payload, size_t size)
{
    *payload = (struct weft_payload){.fd_ = -1};
    if (size == 0 || size > WEFT_PAYLOAD_MAX)
        return UV_EINVAL;
    int fd = weft__memory_make(size);
    if (fd < 0)
        return fd;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        int err = uv_translate_sys_error(errno);
        close(fd);
        return err;
    }
    seal_for_others(fd); /* this mapping can still be written to */
    *payload = (struct weft_payload){.data = at, .size = size, .fd_ = fd};
    return 0;
}

void weft_payload_close(struct weft_payload *payload)
{
    if (payload->data == NULL)
        return;
    munmap(payload->data, payload->size);
    close(payload->fd_);
    *payload = (struct weft_payload){.fd_ = -1};
}
