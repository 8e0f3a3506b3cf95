/* Statuses as text. libuv allocates for codes it does not know and never frees that; so ours, and
 * the unknown ones, are told apart first. */
#include "weft/error.h"
#include <stdio.h>
#include <uv.h>

const char *weft_version(void)
{
    return WEFT_VERSION_STRING;
}

static const struct {
    int status;
    const char *name, *text;
} ours[] = {
    {0, "OK", "success"},
    {UV_ETIMEDOUT, "ETIMEDOUT", "timed out"}, /* not only connections do */
    {WEFT_EABI, "EABI", "the weft header and the weft library are of different versions"},
    {WEFT_ESTUCK, "ESTUCK", "operations are left that nothing can finish"},
    {WEFT_ESTOPPED, "ESTOPPED", "it was stopped and takes no more"},
    {WEFT_EEXIT, "EEXIT", "a child process ended with an error"},
    {WEFT_ETLS, "ETLS", "no secure connection to that peer"},
    {WEFT_EHTTP, "EHTTP", "the peer does not speak HTTP as it should"},
    {WEFT_EREFUSED, "EREFUSED", "a policy refused it"},
    {WEFT_EDAMAGED, "EDAMAGED", "what was stored is not what was written"},
    {WEFT_ECYCLE, "ECYCLE", "tasks wait for one another in a circle"},
    {WEFT_ESTATUS, "ESTATUS", "the server answered, but not with what was asked for"},
    {WEFT_ENOANSWER, "ENOANSWER", "the load ended without an answer"},
    {WEFT_EJOB, "EJOB", "the job failed"},
    {WEFT_ECRASHED, "ECRASHED", "the worker died"},
    {WEFT_EBROKEN, "EBROKEN", "workers die all the time: none is started for now"},
    {WEFT_EPOISON, "EPOISON", "its workers have died of it, or vanished, too often"},
    {WEFT_ECHANGED, "ECHANGED", "it changed while it was read"},
};

#define UV_TEXT(name, text)                                                                        \
    case UV_##name:                                                                                \
        return text;
#define UV_NAME(name, text)                                                                        \
    case UV_##name:                                                                                \
        return #name;

const char *weft_strerror(int status)
{
    static _Thread_local char unknown[32];
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (ours[i].status == status)
            return ours[i].text;
    }
    switch (status) {
        UV_ERRNO_MAP(UV_TEXT)
    default:
        snprintf(unknown, sizeof unknown, "unknown error %d", status);
        return unknown;
    }
}

const char *weft_error_name(int status)
{
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (ours[i].status == status)
            return ours[i].name;
    }
    switch (status) {
        UV_ERRNO_MAP(UV_NAME)
    default:
        return "UNKNOWN";
    }
}
