/* What a scanner reported, as one text that can be compared. */
#ifndef TESTS_WEB_DUMP_H
#define TESTS_WEB_DUMP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dump {
    char *text; /* always terminated once something was put; free() it */
    size_t size, room;
    unsigned count; /* of what was reported */
};

static inline void dump_bytes(struct dump *dump, const char *data, size_t size)
{
    if (dump->text == NULL || dump->size + size + 1 > dump->room) {
        dump->room = (dump->size + size + 1) * 2;
        dump->text = realloc(dump->text, dump->room);
        if (dump->text == NULL)
            abort();
    }
    if (size > 0)
        memcpy(dump->text + dump->size, data, size);
    dump->size += size;
    dump->text[dump->size] = 0;
}

__attribute__((format(printf, 2, 3))) static inline void dump_print(struct dump *dump,
                                                                    const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof text)
        abort();
    dump_bytes(dump, text, (size_t)size);
}

static inline bool dump_equal(const struct dump *one, const struct dump *other)
{
    return one->size == other->size && one->count == other->count &&
           (one->size == 0 || memcmp(one->text, other->text, one->size) == 0);
}

static inline void dump_clear(struct dump *dump)
{
    dump->size = 0;
    dump->count = 0;
    dump_bytes(dump, "", 0);
}

static inline void dump_free(struct dump *dump)
{
    free(dump->text);
    memset(dump, 0, sizeof *dump);
}

#endif
