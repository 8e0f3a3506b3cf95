/* Writing a file of settings.
 *
 * Above each setting stands what the command's help says about it: the one place where options are
 * explained, so that the file cannot say anything else. What has no place in a line (a value with a
 * line end in it, or with blanks around it) is refused: a file that is read back as something else
 * would be worse than none.
 *
 * A neighbour of the file is written and moved into its place: who reads it meanwhile sees the old one
 * or the new one. */
#include "command.h"
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_TEXT = 32 };

/* ---- what help says ------------------------------------------------------------------------- */

/* Is this line of the help the one of an option? Returns what stands behind its name. */
static const char *behind_name(const char *line, const char *name)
{
    size_t length = strlen(name);
    line += strspn(line, " ");
    if (line[0] == '-' && line[1] != '-' && line[1] != '\0' && strncmp(line + 2, ", ", 2) == 0)
        line += 4;
    if (strncmp(line, "--", 2) != 0 || strncmp(line + 2, name, length) != 0)
        return NULL;
    line += 2 + length;
    return *line == ' ' || *line == '\n' ? line : NULL;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line == '\n' ? line + 1 : line;
}

/* The explanation begins behind two blanks, or in the next line; further lines are indented by more
 * than an option is. */
static void explain(FILE *file, const char *usage, const char *name)
{
    enum { INDENTED = 10 };
    const char *line = usage, *text = NULL;
    for (; *line != '\0' && text == NULL; line = next_line(line))
        text = behind_name(line, name);
    if (text == NULL)
        return;
    const char *end = text + strcspn(text, "\n"), *gap = strstr(text, "  ");
    if (gap != NULL && gap < end) {
        gap += strspn(gap, " ");
        fprintf(file, "# %.*s\n", (int)(end - gap), gap);
    }
    for (; strspn(line, " ") > INDENTED && line[strspn(line, " ")] != '-'; line = next_line(line)) {
        size_t blanks = strspn(line, " ");
        fprintf(file, "# %.*s\n", (int)(strcspn(line, "\n") - blanks), line + blanks);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static bool fits_a_line(const char *value)
{
    size_t size = value != NULL ? strlen(value) : 0;
    return size > 0 && strpbrk(value, "\r\n") == NULL && strchr(" \t", value[0]) == NULL &&
           strchr(" \t", value[size - 1]) == NULL;
}

static bool write_text(FILE *file, const char *name, const char *value)
{
    if (!fits_a_line(value)) {
        complain("'%s' cannot be the value of %s in a file", value != NULL ? value : "", name);
        return false;
    }
    fprintf(file, "%s = %s\n", name, value);
    return true;
}

static void write_number(FILE *file, const struct option *option)
{
    char text[NUMBER_TEXT];
    if (option->show != NULL)
        option->show(*option->number, text, sizeof text);
    else
        snprintf(text, sizeof text, "%llu", (unsigned long long)*option->number);
    fprintf(file, "%s = %s\n", option->name, text);
}

static bool same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static bool is_changed(const struct option *option, const struct option *usual)
{
    if (option->flag != NULL)
        return *option->flag != *usual->flag;
    if (option->text != NULL)
        return !same_text(*option->text, *usual->text);
    if (option->list != NULL)
        return option->list->count > 0;
    if (option->words != NULL)
        return *option->word != *usual->word;
    return *option->number != *usual->number;
}

static bool write_option(FILE *file, const struct option *option)
{
    bool good = true;
    if (option->flag != NULL)
        fprintf(file, "%s\n", option->name);
    else if (option->secret)
        fprintf(file, "# %s: secrets are not written\n", option->name);
    else if (option->text != NULL)
        good = write_text(file, option->name, *option->text);
    else if (option->words != NULL)
        fprintf(file, "%s = %s\n", option->name, option->words[*option->word]);
    else if (option->number != NULL)
        write_number(file, option);
    for (size_t i = 0; good && option->list != NULL && i < option->list->count; i++)
        good = write_text(file, option->name, option->list->items[i]);
    return good;
}

static bool write_all(FILE *file, const char *command, const char *usage,
                      const struct option *options, const struct option *defaults)
{
    fprintf(file, "# settings of weft %s: what is not here is as it always is\n", command);
    for (size_t i = 0; options[i].name != NULL; i++) {
        if (options[i].outside || !is_changed(&options[i], &defaults[i]))
            continue;
        fputc('\n', file);
        explain(file, usage, options[i].name);
        if (!write_option(file, &options[i]))
            return false;
    }
    return true;
}

/* ---- the file ------------------------------------------------------------------------------- */

static int cannot_write(const char *path)
{
    complain("cannot write '%s': %s", path, strerror(errno));
    return EXIT_FAILED;
}

int config_write(const char *path, const char *command, const char *usage,
                 const struct option *options, const struct option *defaults)
{
    char temporary[CONFIG_PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    errno = ENAMETOOLONG;
    int fd = length < (int)sizeof temporary ? mkstemp(temporary) : -1; /* its mode is 0600 */
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL) {
        int status = cannot_write(path);
        if (fd >= 0) {
            close(fd);
            unlink(temporary);
        }
        return status;
    }
    bool fits = write_all(file, command, usage, options, defaults);
    bool good = fflush(file) == 0 && !ferror(file) && fsync(fd) == 0;
    good = fclose(file) == 0 && good;
    if (fits && good && rename(temporary, path) == 0)
        return EXIT_OK;
    if (fits)
        cannot_write(path);
    unlink(temporary);
    return EXIT_FAILED;
}
