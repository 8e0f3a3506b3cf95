/* apps/options.h: the options of a command, read from its command line by a table.
 *
 *     bool quiet = false;
 *     uint64_t port = 8080;
 *     const struct option options[] = {
 *         {.name = "port", .letter = 'p', .number = &port, .most = 65535},
 *         {.name = "quiet", .flag = &quiet},
 *         {.name = NULL},
 *     };
 *     int status = options_read("serve", options, &argc, argv);
 *     if (status != EXIT_OK)
 *         return status;
 *
 * Long options take their value as --port=80 or --port 80, letters as -p80 or -p 80; letters without a
 * value may share a word: -in. Options and other words may be mixed, negative numbers such as -5 among
 * these; "--" ends the options. Of an option that is given twice the last one counts, unless it is a
 * list.
 *
 * The same table reads a file of settings, and writes one: config.h. */
#ifndef WEFT_APPS_OPTIONS_H
#define WEFT_APPS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an option that may be given several times has collected. */
enum { OPTION_LIST_MAX = 256 };
struct option_list {
    const char *items[OPTION_LIST_MAX];
    size_t count;
};

/* One option. Which of the pointers is set says what it takes; its target is changed only if the
 * option is given. */
struct option {
    const char *name; /* without the "--"; NULL ends a table */
    char letter;      /* 0: it has none */

    bool *flag;        /* nothing: becomes true; with =yes or =no that */
    const char **text; /* any text that is not empty; it stays in argv */
    uint64_t *number;  /* digits, from least to most */
    uint64_t least, most;
    bool (*parse)(const char *text, uint64_t *number); /* instead of digits: how to read it, */
    const char *example;      /* and what it looks like: "500ms, 2s"; then there is no most */
    struct option_list *list; /* any text; all of them are kept */
    const char *const *words; /* one of these, NULL behind the last; *word becomes its index */
    unsigned *word;

    bool early;   /* options_read_early wants it */
    bool outside; /* it belongs to the command line: no file of settings has it */
    bool secret;  /* a file may have it, but none is ever written with it */
    bool erased;  /* a text or a list: "--name=" takes back what came before */
    void (*show)(uint64_t number, char *buffer, size_t size); /* the way back from parse */
};

/* Where an option stands. file NULL: on the command line. */
struct option_source {
    const char *command;
    const char *file;
    unsigned line;
};

/* Read all options of argv, where argv[0] is the command's name. EXIT_OK: what is left are the
 * other words, argv[1] to argv[*argc - 1], in their order. EXIT_USAGE: it was said what is
 * wrong. */
int options_read(const char *command, const struct option *options, int *argc, char **argv);

/* Before that: only the options that are early, and no complaints. argv stays as it is. */
void options_read_early(const char *command, const struct option *options, char **argv);

/* One option by its name, and its value: NULL if there is none, otherwise it has to stay. The same
 * results; what is wrong is said with its source in front. */
int options_take(const struct option_source *source, const struct option *options, const char *name,
                 const char *value);

#endif
