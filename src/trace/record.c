/* A recording: from start to stop.
 *
 *     idle ──start──► recording ──stop, or the end of the process──► written ──► idle
 *
 * Recordings are numbered; weft__recording is the number of the one that runs, and everything else
 * about it is under the lock. Nobody waits for that lock in an event: only those who make or close a
 * loop, start, stop, and a pool thread the first time it works.
 *
 * A forked child finds itself with a copy of all this and without the threads. It is not recorded.
 * What the rings of its parent hold stays where it is until it starts one of its own. */
#include "ring.h"
#include "core/locks.h"
#include "core/observe.h"
#include "io/file.h"
#include "weft/alloc.h"
#include "weft/trace.h"
#include "writer.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uv_once_t once = UV_ONCE_INIT;
static uint64_t recordings; /* so many were started: while it is 0, no loop has a ring */
static bool looked;         /* at the environment */
static char path[PATH_MAX];

void weft__trace_forked(void)
{
    atomic_store(&weft__recording, 0);
    weft__rings_forked();
    looked = false;
}

static void write_at_exit(void);

static void set_up(void)
{
    atexit(write_at_exit);
}

void weft__trace_lock(void)
{
    uv_once(&once, set_up);
    weft__lock(LOCK_TRACE);
}

void weft__trace_unlock(void)
{
    weft__unlock(LOCK_TRACE);
}

/* ---- where it goes -------------------------------------------------------------------------- */

/* Append size bytes to the length that are in to, PATH_MAX large; false: too long. */
static bool append(char *to, size_t *length, const char *text, size_t size)
{
    if (size >= PATH_MAX - *length)
        return false;
    memcpy(to + *length, text, size);
    *length += size;
    to[*length] = '\0';
    return true;
}

/* From the root, and with the process's id for "%p". */
static int full_path(char to[PATH_MAX], const char *name)
{
    size_t length = 0;
    char pid[16];
    int digits = snprintf(pid, sizeof pid, "%u", (unsigned)uv_os_getpid());
    if (name[0] != '/' && getcwd(to, PATH_MAX - 1) != NULL) {
        length = strlen(to);
        append(to, &length, "/", 1);
    }
    while (*name != '\0') {
        const char *mark = strstr(name, "%p");
        size_t plain = mark != NULL ? (size_t)(mark - name) : strlen(name);
        if (!append(to, &length, name, plain))
            return UV_ENAMETOOLONG;
        name += plain;
        if (mark == NULL)
            continue;
        if (!append(to, &length, pid, (size_t)digits))
            return UV_ENAMETOOLONG;
        name += 2;
    }
    return 0;
}

static bool is_below(const char *folder, const char *top)
{
    size_t size = strlen(top);
    return strncmp(folder, top, size) == 0 && (folder[size] == '/' || folder[size] == '\0');
}

/* /dev/stdout leads to a regular file, if that is where the output goes. To put a trace there would
 * be to take the output away. */
static bool is_of_the_system(const char *folder)
{
    char real[PATH_MAX];
    if (realpath(folder, real) == NULL)
        return false;
    return is_below(real, "/proc") || (is_below(real, "/dev") && !is_below(real, "/dev/shm"));
}

/* Could a file be put there? Found out now, when there is still somebody to tell. */
static int check_path(const char *at)
{
    char folder[PATH_MAX];
    struct stat found;
    size_t length = strlen(at);
    while (length > 1 && at[length - 1] != '/')
        length--;
    memcpy(folder, at, length);
    folder[length] = '\0';
    if (is_of_the_system(folder))
        return UV_EINVAL;
    bool there = stat(at, &found) == 0;
    if (!there && errno != ENOENT)
        return sys_error();
    if (!there && lstat(at, &found) == 0)
        return UV_ELOOP; /* a link, and nothing where it leads */
    if (there && !S_ISREG(found.st_mode))
        return S_ISDIR(found.st_mode) ? UV_EISDIR : UV_EINVAL;
    return access(folder, W_OK | X_OK) == 0 ? 0 : sys_error();
}

#ifdef WEFT_NO_HOOKS
enum { HOOKS_BUILT_IN = 0 };
#else
enum { HOOKS_BUILT_IN = 1 };
#endif

int weft_trace_check(const char *name)
{
    char at[PATH_MAX];
    if (name == NULL || name[0] == '\0')
        return UV_EINVAL;
    if (!HOOKS_BUILT_IN)
        return UV_ENOTSUP;
    int err = full_path(at, name);
    return err != 0 ? err : check_path(at);
}

/* ---- start, stop ---------------------------------------------------------------------------- */

static int prepare(const struct weft_trace_options *options)
{
    if (options == NULL || options->path == NULL || options->path[0] == '\0' ||
        options->events > WEFT_TRACE_EVENTS_MOST)
        return UV_EINVAL;
    if (!HOOKS_BUILT_IN)
        return UV_ENOTSUP;
    if (trace_on())
        return UV_EBUSY;
    weft__tape.pid = (uint32_t)uv_os_getpid();
    int err = full_path(path, options->path);
    return err != 0 ? err : check_path(path);
}

/* With the lock held. */
static int start(const struct weft_trace_options *options)
{
    int err = prepare(options);
    if (err != 0)
        return err;
    weft__rings_empty(); /* of what a fork has left */
    weft__rings_detach();
    weft__tape.size = options->events != 0 ? options->events : WEFT_TRACE_EVENTS;
    weft__tape.spare = weft__ring_events(weft__tape.size);
    if (weft__tape.spare == NULL)
        return UV_ENOMEM;
    atomic_store(&weft__tape.lost, 0);
    weft__tape.unrecorded = 0;
    weft__tape.began_ns = uv_hrtime();
    atomic_store(&weft__recording, ++recordings);
    return 0;
}

/* With the lock held. */
static int stop(void)
{
    if (!trace_on())
        return UV_EINVAL;
    atomic_store(&weft__recording, 0);
    weft__rings_settle();
    weft__tape.ended_ns = uv_hrtime();
    int status = weft__trace_write(path);
    weft__rings_empty();
    return status;
}

int weft_trace_start(const struct weft_trace_options *options)
{
    weft__trace_lock();
    int status = start(options);
    weft__trace_unlock();
    return status;
}

int weft_trace_stop(void)
{
    weft__trace_lock();
    bool recorded = trace_on();
    int status = stop();
    if (recorded)
        weft__rings_detach();
    weft__trace_unlock();
    return status;
}

bool weft_trace_recording(void)
{
    return trace_on();
}

/* A program may leave main without closing its loops, which lay on the stack there: their hooks stay
 * where they are. They do nothing any more. */
static void write_at_exit(void)
{
    weft__trace_lock();
    int status = trace_on() ? stop() : 0;
    if (status != 0)
        fprintf(stderr, "weft: cannot write the trace '%s': %s\n", path, weft_strerror(status));
    weft__trace_unlock();
}

/* ---- loops ---------------------------------------------------------------------------------- */

int weft_trace_loop(struct weft_loop *loop)
{
    if (loop == NULL || loop->handles_ == NULL || !trace_on())
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    weft__trace_lock();
    int status = trace_on() ? weft__ring_attach(loop, false) : UV_EINVAL;
    weft__trace_unlock();
    return status;
}

void weft__trace_loop_made(struct weft_loop *loop)
{
    weft__trace_lock();
    if (!looked) {
        looked = true;
        weft__trace_environment(start);
    }
    struct weft_ring *ring = recordings != 0 ? weft__ring_of(loop) : NULL;
    if (ring != NULL) /* of one that stood there and was never closed */
        weft__ring_release(ring);
    if (trace_on() && weft__ring_attach(loop, true) != 0)
        weft__tape.unrecorded++;
    weft__trace_unlock();
}

void weft__trace_loop_closed(struct weft_loop *loop)
{
    weft__trace_lock();
    struct weft_ring *ring = recordings != 0 ? weft__ring_of(loop) : NULL;
    if (ring != NULL)
        weft__ring_release(ring);
    weft__trace_unlock();
}
