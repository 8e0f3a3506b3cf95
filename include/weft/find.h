/* weft/find.h: the text files below a folder that hold a keyword. */
#ifndef WEFT_FIND_H
#define WEFT_FIND_H

#include "text.h"
#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_FIND_KEYWORDS = 1000,            /* so many at most, */
    WEFT_FIND_KEYWORD_SIZE = 4096,        /* of so many bytes each, */
    WEFT_FIND_KEYWORDS_SIZE = 256 * 1024, /* and all together; */
    WEFT_FIND_TEXT_SIZE = 64 * 1024,      /* a NUL within so many bytes makes a file binary */
    WEFT_FIND_LINE_SIZE = 64 * 1024       /* a longer line is told in part */
};

/* What is asked for. */
enum weft_find_what {
    WEFT_FIND_FILES, /* which files: each is told once, and not read any further */
    WEFT_FIND_LINES, /* every line that holds a keyword */
    WEFT_FIND_COUNTS /* how many such lines each file has that has one */
};

struct weft_find;
struct weft_walk;
struct weft_find_plan;

/* What was found. Lines of one file are told in their order, with nothing else between them but lines of
 * other files. */
struct weft_find_match {
    const char *path;      /* NUL behind it */
    size_t size;           /* of path */
    uint64_t line;         /* LINES: its number, from 1. COUNTS: how many there are */
    uint64_t offset;       /* LINES: where in the file it begins */
    struct weft_text text; /* LINES: the line without its end; any bytes */
    size_t at;             /* LINES: where in text the first keyword begins */
    bool cut;              /* LINES: text is not all of the line, but what is around the keyword */
};
/* On the loop; as in weft/list.h. */
typedef bool weft_find_found_fn(struct weft_find *find, const struct weft_find_match *match);
typedef bool weft_find_error_fn(struct weft_find *find, const char *path, int status);

/* Find the files below a folder that hold one of some keywords, or all of them.
 *
 *   - A keyword is text and no pattern: its bytes are looked for as they are. It may hold any byte; a
 *     match that goes over the end of a line belongs to the line that it begins in.
 *   - ignore_case compares by Unicode's simple case folding, of UTF-8: "straße" finds "STRAẞE" and not
 *     "STRASSE". Bytes that are no UTF-8 equal only themselves.
 *   - all: the file holds each of the keywords somewhere; its lines are those that hold any of them.
 *   - Only regular files are looked into; with tree.follow also those that links lead to. A file
 *     with a NUL among its first 65,536 bytes is binary, and is left out (so UTF-16 is). A file is read as it is
 *     at that moment, up to the size that it had when it was opened, or to its end if that was 0, as it is of
 *     those below /proc: one that grows, shrinks or vanishes meanwhile is no error.
 *   - One file can be excepted: where what is found is written to.
 *   - A file that cannot be read is told to on_error, as a folder is.
 *   - Lines end with '\n'; a '\r' before it belongs to the line.
 *
 * How the tree is walked is said in weft/tree.h: tree.choose takes the files to be looked into. `then`,
 * a cancel and errors are those of weft_list; it runs exactly once, also if nothing is found. UV_EINVAL
 * also: there is no keyword, or one is empty. UV_E2BIG: too many, or one is too long, or all together
 * are. */
struct weft_find {
    struct weft_op op;
    struct weft_tree tree;
    const struct weft_text *keywords; /* copied when the op begins */
    size_t keyword_count;
    bool all, ignore_case;
    uint64_t except_dev,
        except_ino; /* a file that is not looked into; except_ino 0: there is none */
    enum weft_find_what what;
    weft_find_found_fn *on_found;
    weft_find_error_fn *on_error; /* NULL: errors are counted only */
    struct weft_tree_stats stats; /* read only; grows while it runs */
    uint64_t files;               /* read only: that were opened so far, */
    uint64_t bytes;               /* and what was read of them; with all, of some twice */
    uint64_t binary;              /* read only: of the files, those that are binary */
    struct weft_walk *walk_;
    struct weft_find_plan *plan_;
};
/* Sets tree.path and the keywords, and leaves the other settings alone. */
#define weft_find(parent, find, path, keywords, count, then)                                       \
    weft_find_at(WEFT_HERE("find", WEFT_FS), parent, find, path, keywords, count, then)
WEFT_API void weft_find_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_find *find, const char *path,
                           const struct weft_text *keywords, size_t count, weft_then_fn *then);
WEFT_API void weft_find_begin(struct weft_op *op);

/* Go on after on_found or on_error has returned false, on a later turn. No effect on one that is not paused. */
WEFT_API void weft_find_resume(struct weft_find *find);

#ifdef __cplusplus
}
#endif
#endif
