/* apps/config.h: the options of a command, read from a file and written to one.
 *
 *     # what my crawls have in common
 *     scope = path
 *     exclude = *.iso
 *     exclude = /old/
 *     requisites
 *
 * A line is `name = value`, or `name` for an option that takes none (or yes or no); names are those of the long
 * options. Blanks around both are passed over, and so are empty lines and those that begin with '#'.
 * A '#' anywhere else belongs to the value, which is taken as it stands: there are no quotes. Read the
 * file first and the command line afterwards: then the command line wins, and adds to lists. */
#ifndef WEFT_APPS_CONFIG_H
#define WEFT_APPS_CONFIG_H

#include "options.h"

enum { CONFIG_SIZE_MAX = 1 << 20, CONFIG_PATH_MAX = 4096 };

/* What was read: the values of texts and lists point into it. All zero is an empty one. */
struct config {
    char *text_;
    bool own_; /* nobody named the file */
};

/* Read all of path into the targets of options; a byte order mark at its beginning is passed over, and
 * lines may end in CR LF. EXIT_OK; EXIT_USAGE: it cannot be read, or makes no sense; it was said what is
 * wrong, with the file and the line. */
int config_read(struct config *config, const char *command, const char *path,
                const struct option *options);
/* The same for the file that is the user's own, weft/COMMAND.conf below $XDG_CONFIG_HOME or
 * ~/.config: it need not be there, and a folder that may not be looked into has none. Complaints hint
 * at --no-config, which the command has. */
int config_read_own(struct config *config, const char *command, const struct option *options);
void config_free(struct config *config);

/* Behind the byte order mark that some editors put before a text, and that is no character of it. */
char *config_behind_mark(char *text);

/* Write what is not as in defaults, a table of the same options whose targets are as if nothing had
 * been asked for. Above each stands what usage says about it. Secrets are left out and named; the
 * file is for its owner's eyes only all the same, because fields and proxies may hold some, too. It
 * appears complete or not at all. A symbolic link stays one, and what it leads to is written; so does
 * a device or a pipe; "-" is standard output. EXIT_OK; EXIT_USAGE: a value has no place in a file;
 * EXIT_FAILED: it cannot be written. It was said what is wrong. */
int config_write(const char *path, const char *command, const char *usage,
                 const struct option *options, const struct option *defaults);

#endif
