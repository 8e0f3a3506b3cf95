/* What a thread is called, for top and for debuggers. Where threads have no names, nothing. */
#include "threads.h"
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <pthread.h>

/* The kernel keeps 15 bytes; the number is what tells them apart, so the name gives way. */
void weft__thread_name(const char *name, unsigned number)
{
    char text[16], suffix[12];
    int length = snprintf(suffix, sizeof suffix, "-%u", number);
    int room = (int)sizeof text - 1 - length;
    snprintf(text, sizeof text, "%.*s%s", room, name, suffix);
    pthread_setname_np(pthread_self(), text);
}
#else
void weft__thread_name(const char *name, unsigned number)
{
    (void)name;
    (void)number;
}
#endif
