/* Reading a file of settings.
 *
 * The file is read as a whole and cut up where it lies: names and values end where their line or
 * their blanks end, so that what options point to needs no copies and lives as long as the config.
 *
 * A file that the user names has to be there. Of the user's own nobody spoke: one that cannot even be
 * looked for, because a folder on the way is closed to us (HOME is another's), is as good as none. One
 * that is there and cannot be read is an error, because what it forbids would happen. */
#include "config.h"
#include "command.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/alloc.h>

/* ---- the file ------------------------------------------------------------------------------- */

static int cannot_read(const struct config *config, const char *path, const char *why)
{
    complain("cannot read '%s': %s%s", path, why,
             config->own_ ? " (--no-config does without it)" : "");
    return EXIT_USAGE;
}

char *config_behind_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t size = sizeof mark - 1;
    return strncmp(text, mark, size) == 0 ? text + size : text;
}

static int load(struct config *config, FILE *file, const char *path)
{
    config->text_ = weft_alloc(CONFIG_SIZE_MAX + 1);
    if (config->text_ == NULL)
        return cannot_read(config, path, strerror(ENOMEM));
    size_t size = fread(config->text_, 1, CONFIG_SIZE_MAX + 1, file);
    if (ferror(file))
        return cannot_read(config, path, strerror(errno));
    if (size > CONFIG_SIZE_MAX)
        return cannot_read(config, path, "it is too large for a file of settings");
    if (memchr(config->text_, '\0', size) != NULL)
        return cannot_read(config, path, "there is a zero byte in it");
    config->text_[size] = '\0';
    return EXIT_OK;
}

/* ---- its lines ------------------------------------------------------------------------------ */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]) != NULL)
        size--;
    text[size] = '\0';
    return text;
}

static int take_line(const struct option_source *source, const struct option *options, char *line)
{
    char *name = trim(line), *value = NULL;
    if (*name == '\0' || *name == '#')
        return EXIT_OK;
    char *equals = strchr(name, '=');
    if (equals != NULL) {
        *equals = '\0';
        value = trim(equals + 1);
        name = trim(name);
    }
    return options_take(source, options, name, value);
}

static int take_lines(const char *command, const char *path, const struct option *options,
                      char *text)
{
    struct option_source source = {command, path, 0};
    int status = EXIT_OK;
    for (char *line = text, *next; status == EXIT_OK && line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        source.line++;
        status = take_line(&source, options, line);
    }
    return status;
}

static int read_open(struct config *config, const char *command, const char *path, FILE *file,
                     const struct option *options)
{
    int status = load(config, file, path);
    fclose(file);
    if (status == EXIT_OK)
        status = take_lines(command, path, options, config_behind_mark(config->text_));
    return status;
}

int config_read(struct config *config, const char *command, const char *path,
                const struct option *options)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return cannot_read(config, path, strerror(errno));
    return read_open(config, command, path, file, options);
}

/* ---- the user's own ------------------------------------------------------------------------- */

/* A folder that is not absolute is none, says the specification. */
static bool own_path(const char *command, char *path, size_t size)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *below = "";
    if (folder == NULL || folder[0] != '/') {
        folder = getenv("HOME");
        below = "/.config";
    }
    if (folder == NULL || folder[0] != '/')
        return false;
    int length = snprintf(path, size, "%s%s/weft/%s.conf", folder, below, command);
    return length > 0 && (size_t)length < size;
}

/* It could not be opened; why: an errno. */
static bool is_none(const char *path, int why)
{
    struct stat info;
    if (why == ENOENT || why == ENOTDIR)
        return true;
    return why == EACCES && lstat(path, &info) != 0 && errno == EACCES;
}

int config_read_own(struct config *config, const char *command, const struct option *options)
{
    char path[CONFIG_PATH_MAX];
    if (!own_path(command, path, sizeof path))
        return EXIT_OK;
    config->own_ = true;
    FILE *file = fopen(path, "re");
    if (file != NULL)
        return read_open(config, command, path, file, options);
    int why = errno;
    return is_none(path, why) ? EXIT_OK : cannot_read(config, path, strerror(why));
}

void config_free(struct config *config)
{
    weft_free(config->text_);
    config->text_ = NULL;
}
