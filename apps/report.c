/* What goes wrong, said in one way: on stderr, after the program's name.
 *
 * A line goes out in one piece. Other threads have something to say at the same time, and the
 * access log writes to the same descriptor without asking stdio: whatever is written in several
 * pieces may come out with a line of the log in the middle of it.
 *
 * What is said has names of others in it, of files and hosts: nothing of them drives a terminal. Of what is
 * too long the middle is left out, since the reason stands at the end. */
#include "command.h"
#include "trace/utf8.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <weft/alloc.h>

enum { LINE_SIZE = 4096 }; /* bytes, with its end: what every pipe takes at once */

static complaint_fn *hears; /* NULL: stderr does */
static void *hears_context;

void complain_to(complaint_fn *hear, void *context)
{
    hears = hear;
    hears_context = context;
}

/* The first part is in text, of room bytes with a NUL: put the last part of all size bytes behind it. */
static void leave_out_middle(char *text, size_t room, size_t size, const char *format,
                             va_list arguments)
{
    static const char mark[] = " ... ";
    char *all = weft_alloc(size + 1);
    if (all == NULL)
        return;
    vsnprintf(all, size + 1, format, arguments);
    size_t end = room / 2;
    char *behind = text + (room - end);
    memcpy(behind, all + (size + 1 - end), end);
    memcpy(behind - (sizeof mark - 1), mark, sizeof mark - 1);
    weft_free(all);
}

/* How many bytes it has. */
static size_t put_message(char *text, size_t room, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int wanted = vsnprintf(text, room, format, arguments);
    size_t size = wanted > 0 ? (size_t)wanted : 0;
    if (size >= room) {
        leave_out_middle(text, room, size, format, again);
        size = room - 1;
    }
    va_end(again);
    return utf8_make_harmless(text, size, true);
}

static void complain_with(const char *format, va_list arguments)
{
    static const char name[] = "weft: ";
    char line[LINE_SIZE];
    size_t length = sizeof name - 1;
    memcpy(line, name, sizeof name);
    length += put_message(line + length, LINE_SIZE - length, format, arguments);
    line[length++] = '\n';
    if (hears != NULL) {
        hears(line, length, hears_context);
        return;
    }
    fflush(stdout); /* keep the two in order where they share a terminal */
    fwrite(line, 1, length, stderr);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(format, arguments);
    va_end(arguments);
}

int misused(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(format, arguments);
    va_end(arguments);
    if (command != NULL)
        fprintf(stderr, "see weft help %s\n", command);
    else
        fputs("see weft --help\n", stderr);
    return EXIT_USAGE;
}

int unknown_command(const char *name)
{
    complain("unknown command '%s'", name);
    const char *meant = suggest_command(name);
    if (meant != NULL)
        fprintf(stderr, "did you mean '%s'?\n", meant);
    fputs("see weft --help\n", stderr);
    return EXIT_USAGE;
}

bool finish_output(void)
{
    /* An earlier write may have failed and left only its mark: errno is then another's. */
    bool failed_before = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed_before)
        return true;
    if (errno != 0)
        complain("cannot write to standard output: %s", strerror(errno));
    else
        complain("cannot write to standard output");
    return false;
}
