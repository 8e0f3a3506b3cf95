/* The inside of a search below a folder: find.c is the op, search.c and lines.c look into a file. */
#ifndef WEFT_FILES_FIND_FIND_H
#define WEFT_FILES_FIND_FIND_H

#include "files/search/matcher.h"
#include "files/tree/walk.h"
#include "weft/find.h"

/* So much is read at a time; and of a line that is too long to be told, so much before a keyword is. */
enum { SEARCH_PIECE = 256 * 1024, SEARCH_BEFORE = WEFT_FIND_LINE_SIZE / 2 };

/* What is looked for. Made on the loop, read by all threads. */
struct weft_find_plan {
    enum weft_find_what what;
    bool all;
    uint64_t except_dev, except_ino;
    struct matcher *any; /* of all keywords */
    size_t count;
    size_t reach; /* of the longest match */
    struct find_keyword {
        struct matcher *matcher;
    } each[]; /* with all: one for each keyword; otherwise none */
};

/* Somebody who looks into files on his way. One file at a time: from begin_file to the end of it fd is
 * open and explorer.busy is true.
 *
 *     window:  offset of its first byte in the file
 *     ├────────────── held ──────────────┤
 *     │ seen: no keyword begins here │ … │ ◄── read
 *              at                                                                             */
struct finder {
    struct explorer explorer;
    int fd;
    char *window;
    size_t held, at;
    uint64_t offset;
    uint64_t size; /* of the file when it was opened: no more is read */
    bool ended;    /* the end of the file has been read */
    bool unlooked; /* the block was full before the window was through */
    char *path;    /* of the file: the explorer's is for folders */
    size_t path_size, path_room;

    /* All: which keywords are missing, in any order; when none is, the lines are looked for. */
    size_t *missing;
    size_t missing_count;
    bool rewound;

    /* Lines: of the one that `at` is in. */
    uint64_t line, line_offset, matched;
    bool told; /* it was told already */

    uint64_t files, bytes, binary;
};

static inline const struct weft_find_plan *plan_of(const struct finder *finder)
{
    return ((const struct weft_find *)finder->explorer.walk->owner)->plan_;
}

/* search.c, on a thread. The two functions of a struct walk_kind. */
int weft__search_begin(struct explorer *explorer, const struct weft_tree_entry *entry);
int weft__search_on(struct explorer *explorer);
void weft__search_drop(struct explorer *explorer);
/* Tell of the file: text, line and all else as in weft_find_match. 0 or UV_ENOMEM. */
int weft__search_tell(struct finder *finder, const struct weft_find_match *match);

/* lines.c: look through the window, from at on. Moves at; what stands before it is not needed any more. 1:
 * more has to be read; 0: the block is full; a negative status. */
int weft__lines_look(struct finder *finder);

/* A record of type BLOCK_FOUND. */
struct find_record {
    struct block_head head;
    uint64_t line, offset;
    size_t size, text_size, at;
    bool cut;
    char path[]; /* NUL, then the text */
};

#endif
