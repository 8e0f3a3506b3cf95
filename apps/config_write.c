/* Writing a file of settings.
 *
 * Above each setting stands what the command's help says about it: the one place where options are
 * explained, so that the file cannot say anything else. What has no place in a line (a value with a
 * line end in it, or with blanks around it) is refused: a file that is read back as something else
 * would be worse than none. So all of it is in memory before any of it is written.
 *
 * A neighbour of the file is written and moved into its place: who reads it meanwhile sees the old one
 * or the new one. That is for files only. A device or a pipe is written to as it is, and of a symbolic
 * link what it leads to is replaced: neither is ever taken away. */
#include "command.h"
#include "config.h"
#include "trace/output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>
#include <weft/error.h>

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

static void put_comment(struct out *out, const char *text, size_t size)
{
    out_string(out, "# ");
    out_text(out, weft_text(text, size));
    out_string(out, "\n");
}

/* The explanation begins behind two blanks, or in the next line; further lines are indented by more
 * than an option is. */
static void explain(struct out *out, const char *usage, const char *name)
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
        put_comment(out, gap, (size_t)(end - gap));
    }
    for (; strspn(line, " ") > INDENTED && line[strspn(line, " ")] != '-'; line = next_line(line)) {
        size_t blanks = strspn(line, " ");
        put_comment(out, line + blanks, strcspn(line, "\n") - blanks);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static bool fits_a_line(const char *value)
{
    size_t size = value != NULL ? strlen(value) : 0;
    return size > 0 && strpbrk(value, "\r\n") == NULL && strchr(" \t", value[0]) == NULL &&
           strchr(" \t", value[size - 1]) == NULL;
}

static void put_setting(struct out *out, const char *name, const char *value)
{
    out_string(out, name);
    out_string(out, " = ");
    out_string(out, value);
    out_string(out, "\n");
}

static bool put_text(struct out *out, const char *name, const char *value)
{
    if (!fits_a_line(value)) {
        complain("'%s' cannot be the value of %s in a file", value != NULL ? value : "", name);
        return false;
    }
    put_setting(out, name, value);
    return true;
}

static void put_number(struct out *out, const struct option *option)
{
    char text[NUMBER_TEXT];
    if (option->show != NULL)
        option->show(*option->number, text, sizeof text);
    else
        snprintf(text, sizeof text, "%llu", (unsigned long long)*option->number);
    put_setting(out, option->name, text);
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

static bool put_option(struct out *out, const struct option *option)
{
    bool good = true;
    if (option->flag != NULL)
        out_format(out, "%s\n", option->name);
    else if (option->secret)
        out_format(out, "# %s: secrets are not written\n", option->name);
    else if (option->text != NULL)
        good = put_text(out, option->name, *option->text);
    else if (option->words != NULL)
        put_setting(out, option->name, option->words[*option->word]);
    else if (option->number != NULL)
        put_number(out, option);
    for (size_t i = 0; good && option->list != NULL && i < option->list->count; i++)
        good = put_text(out, option->name, option->list->items[i]);
    return good;
}

static bool put_all(struct out *out, const char *command, const char *usage,
                    const struct option *options, const struct option *defaults)
{
    out_format(out, "# settings of weft %s: what is not here is as it always is\n", command);
    for (size_t i = 0; options[i].name != NULL; i++) {
        if (options[i].outside || !is_changed(&options[i], &defaults[i]))
            continue;
        out_string(out, "\n");
        explain(out, usage, options[i].name);
        if (!put_option(out, &options[i]))
            return false;
    }
    return true;
}

/* ---- where it goes -------------------------------------------------------------------------- */

static int last_error(void)
{
    return uv_translate_sys_error(errno);
}

/* And close it. */
static int fill(int fd, const struct out *out, bool durable)
{
    int err = out_write(out, fd);
    if (err == 0 && durable && fsync(fd) != 0)
        err = last_error();
    return close(fd) == 0 || err != 0 ? err : last_error();
}

/* A device or a pipe. */
static int write_plainly(const char *path, const struct out *out)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 ? fill(fd, out, false) : last_error();
}

static int replace(const char *path, const struct out *out)
{
    char temporary[CONFIG_PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length >= (int)sizeof temporary)
        return UV_ENAMETOOLONG;
    int fd = mkstemp(temporary); /* its mode is 0600 */
    if (fd < 0)
        return last_error();
    int err = fill(fd, out, true);
    if (err == 0 && rename(temporary, path) != 0)
        err = last_error();
    if (err != 0)
        unlink(temporary);
    return err;
}

/* A link that leads to nothing is an error: what it was meant for is not ours to guess. */
static int replace_target(const char *path, const struct out *out)
{
    char *target = realpath(path, NULL);
    int err = target == NULL ? last_error() : replace(target, out);
    free(target); /* realpath's own */
    return err;
}

/* By whatever name: /dev/stdout is one, also where that is a file. */
static bool is_standard_output(const char *path)
{
    struct stat file, output;
    return strcmp(path, "-") == 0 ||
           (stat(path, &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
            file.st_dev == output.st_dev && file.st_ino == output.st_ino);
}

static int deliver(const char *path, const struct out *out)
{
    struct stat info;
    if (out->failed)
        return UV_ENOMEM;
    if (is_standard_output(path))
        return out_write(out, STDOUT_FILENO);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return write_plainly(path, out);
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return replace_target(path, out);
    return replace(path, out);
}

int config_write(const char *path, const char *command, const char *usage,
                 const struct option *options, const struct option *defaults)
{
    struct out out = {0};
    bool fits = put_all(&out, command, usage, options, defaults);
    int err = fits ? deliver(path, &out) : 0;
    if (err != 0)
        complain("cannot write '%s': %s", path, weft_strerror(err));
    out_free(&out);
    return !fits ? EXIT_USAGE : err != 0 ? EXIT_FAILED : EXIT_OK;
}
