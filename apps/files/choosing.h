/* apps/files/choosing.h: which part of a tree is meant: the options that `weft list` and `weft find`
 * share. */
#ifndef WEFT_FILES_CHOOSING_H
#define WEFT_FILES_CHOOSING_H

#include "options.h"
#include <weft/text.h>
#include <weft/tree.h>

/* A glob, without the slashes at its ends. */
struct choosing_glob {
    struct weft_text text;
    bool path;    /* it is for the path below the folder, not for the last name alone */
    bool folders; /* only folders are like it */
};

struct choosing {
    bool follow, one_file_system, no_hidden;
    uint64_t depth, jobs;
    struct option_list include, exclude;
    unsigned kinds; /* a bit for each enum weft_file_kind that is meant */
    /* By choosing_read: what include and exclude mean. */
    struct choosing_glob included[OPTION_LIST_MAX], excluded[OPTION_LIST_MAX];
};

enum { CHOOSING_DEPTH_MOST = 1000 * 1000 };

#define CHOOSING_OPTIONS(it)                                                                       \
    {.name = "follow", .letter = 'L', .flag = &(it)->follow},                                      \
        {.name = "one-file-system", .flag = &(it)->one_file_system},                               \
        {.name = "no-hidden", .flag = &(it)->no_hidden},                                           \
        {.name = "include", .letter = 'g', .list = &(it)->include},                                \
        {.name = "exclude", .letter = 'x', .list = &(it)->exclude},                                \
        {.name = "depth",                                                                          \
         .letter = 'd',                                                                            \
         .number = &(it)->depth,                                                                   \
         .least = 1,                                                                               \
         .most = CHOOSING_DEPTH_MOST},                                                             \
    {                                                                                              \
        .name = "jobs", .letter = 'j', .number = &(it)->jobs, .least = 1,                          \
        .most = WEFT_TREE_LIMIT_MOST                                                               \
    }

/* All but -j, which counts something else for each command. */
#define CHOOSING_USAGE                                                                             \
    "  -g, --include GLOB       only what is like GLOB; several: like one of them\n"               \
    "  -x, --exclude GLOB       not what is like GLOB, nor what is below it\n"                     \
    "                           A GLOB is for names, or with a '/' in it for paths below DIR;\n"   \
    "                           with one at its end it is for folders; * is any text, ? one\n"     \
    "                           character, [a-z] one of these\n"                                   \
    "      --no-hidden          not what begins with a dot, nor what is below it\n"                \
    "  -d, --depth N            only so deep; 1: what is in DIR itself\n"                          \
    "  -L, --follow             go where symbolic links lead\n"                                    \
    "      --one-file-system    not into what is mounted below DIR\n"

/* Behind the options, and when kinds is set: what the globs mean. An exit status; not EXIT_OK: it was said
 * what is wrong with them. */
int choosing_read(const char *command, struct choosing *choosing);
/* Into tree, which reads it until the walk is over. Threads for as many jobs are asked for: before the
 * first one is needed. */
void choosing_apply(const struct choosing *choosing, struct weft_tree *tree);

#endif
