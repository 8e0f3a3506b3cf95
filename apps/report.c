/* What goes wrong, said in one way: on stderr, after the program's name.
 *
 * A line goes out in one piece. Other threads have something to say at the same time, and the
 * access log writes to the same descriptor without asking stdio: whatever is written in several
 * pieces may come out with a line of the log in the middle of it. */
#include "command.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 4096 }; /* bytes, with its end: what every pipe takes at once; more is cut off */

static void complain_with(const char *format, va_list arguments)
{
    static const char name[] = "weft: ";
    char line[LINE_SIZE];
    size_t length = sizeof name - 1, room = LINE_SIZE - length;
    memcpy(line, name, sizeof name);
    int wanted = vsnprintf(line + length, room, format, arguments);
    if (wanted > 0)
        length += (size_t)wanted < room ? (size_t)wanted : room - 1;
    line[length++] = '\n';
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
