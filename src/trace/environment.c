/* WEFT_TRACE and WEFT_TRACE_EVENTS: a recording that the program knows nothing of. So what is wrong
 * with them cannot be told to it, and is said to whoever has set them. */
#include "weft/trace.h"
#include "writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A file that the caller names must not be written with rights that are not his. */
static const char *variable(const char *name)
{
#ifdef __GLIBC__
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

/* 0: that is no number of events. */
static size_t number_of_events(const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || number > WEFT_TRACE_EVENTS_MOST)
        return 0;
    return (size_t)number;
}

void weft__trace_environment(weft__trace_start_fn *start)
{
    const char *path = variable("WEFT_TRACE"), *events = variable("WEFT_TRACE_EVENTS");
    struct weft_trace_options options = {.path = path};
    if (path == NULL || path[0] == '\0')
        return;
    if (events != NULL && events[0] != '\0') {
        options.events = number_of_events(events);
        if (options.events == 0) {
            fprintf(stderr,
                    "weft: nothing is recorded: WEFT_TRACE_EVENTS must be a number from 1 to %d, "
                    "not '%s'\n",
                    WEFT_TRACE_EVENTS_MOST, events);
            return;
        }
    }
    int err = start(&options);
    if (err == UV_EINVAL)
        fprintf(stderr, "weft: nothing is recorded: '%s' is no regular file\n", path);
    else if (err == UV_ELOOP)
        fprintf(stderr, "weft: nothing is recorded: '%s' is a link that leads nowhere\n", path);
    else if (err == UV_ENOTSUP)
        fputs("weft: nothing is recorded: this library is built without hooks\n", stderr);
    else if (err != 0 && err != UV_EBUSY) /* the program was faster: it records itself */
        fprintf(stderr, "weft: nothing is recorded: '%s': %s\n", path, weft_strerror(err));
}
