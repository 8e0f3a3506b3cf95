/* weft/error.h: statuses.
 *
 * A status is 0 or negative. Negative ones are libuv's (UV_ENOENT, UV_ETIMEDOUT, …) or weft's
 * own, from -10000 downwards, where libuv has no name for what happened. */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include "version.h"

enum weft_error {
    WEFT_EABI = -10000,      /* the header and the library are of different versions */
    WEFT_ESTUCK = -10001,    /* operations are left that nothing can finish */
    WEFT_ESTOPPED = -10002,  /* it was stopped and takes no more */
    WEFT_EEXIT = -10003,     /* a child process ended with an error */
    WEFT_ETLS = -10004,      /* TLS: no secure connection to that peer */
    WEFT_EHTTP = -10005,     /* the peer does not speak HTTP as it should */
    WEFT_EREFUSED = -10006,  /* a policy of the caller's refused it */
    WEFT_EDAMAGED = -10007,  /* what was stored is not what was written */
    WEFT_ECYCLE = -10008,    /* tasks wait for one another in a circle */
    WEFT_ESTATUS = -10009,   /* the server answered, but not with what was asked for */
    WEFT_ENOANSWER = -10010, /* the load ended without an answer */
    WEFT_EJOB = -10011,      /* the worker says that the job failed */
    WEFT_ECRASHED = -10012,  /* the worker died */
    WEFT_EBROKEN = -10013,   /* workers die all the time: none is started for now */
    WEFT_EPOISON = -10014,   /* its workers have died of it, or vanished, too often */
    WEFT_ECHANGED = -10015   /* it changed while it was read */
};

#ifdef __cplusplus
extern "C" {
#endif

/* A sentence for people, for any int at all. Static or thread-local storage, never freed: the text
 * for an unknown status is overwritten by the thread's next unknown one. */
WEFT_API const char *weft_strerror(int status);

/* The constant's name: "ENOENT", "ESTUCK", "UNKNOWN". Static storage. */
WEFT_API const char *weft_error_name(int status);

/* Called with the whole text when a rule of the contract is broken (see weft/op.h) or an error
 * was handled by nobody: what was wrong, in which operation, where that was begun, and the chain
 * above it. The library ends the process only here. */
typedef void weft_fatal_fn(const char *text);

/* Replace what a broken rule does; returns the function that was set before, NULL for the default
 * (write the text to stderr). When fn returns, abort() follows: there is no going on. NULL sets the
 * default again. For the whole process; set it before other threads have loops. */
WEFT_API weft_fatal_fn *weft_on_fatal(weft_fatal_fn *fn);

#ifdef __cplusplus
}
#endif
#endif
