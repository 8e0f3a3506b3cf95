/* Inside the room of robots.txt: its lines, and the patterns of its rules. */
#ifndef WEFT_WEB_ROBOTS_H
#define WEFT_WEB_ROBOTS_H

#include <weft/robots.h>

/* ---- lines ---------------------------------------------------------------------------------- */

enum robots_key {
    ROBOTS_OTHER,
    ROBOTS_AGENT,
    ROBOTS_ALLOW,
    ROBOTS_DISALLOW,
    ROBOTS_DELAY,
    ROBOTS_SITEMAP
};

struct robots_line {
    enum robots_key key;
    struct weft_text value; /* without blanks around it and the comment; may be empty */
};

/* The body without its byte order mark, and without what is beyond the limit. */
struct weft_text weft__robots_body(struct weft_text body);

/* The next line. false: there is none. */
bool weft__robots_line(struct weft_text *rest, struct robots_line *line);

/* ---- patterns ------------------------------------------------------------------------------- */

struct weft__robots_rule {
    struct weft_text pattern; /* normalised; '*' is a wildcard */
    size_t length;            /* how specific it is: octets, with all that can be unescaped so */
    bool anchored;            /* there was a '$' behind it */
    bool allow;
    bool wild; /* there is a '*' in it */
};

/* How to write a path or pattern so that equal ones are equal octets. */
enum {
    ROBOTS_PATTERN = 1,   /* '*' is a wildcard; otherwise it is escaped */
    ROBOTS_UNESCAPE = 2,  /* %61 becomes a */
    ROBOTS_KEEP_HIGH = 4, /* octets from 0x80 on stay as they are; otherwise they are escaped */
    ROBOTS_GROWTH = 3     /* times as long as before, at most */
};

/* Into out, which may be NULL to have it only counted. How many octets that are. */
size_t weft__robots_normalise(char *out, struct weft_text text, unsigned how);

/* Is it already as weft__robots_normalise would write it, in whatever way? */
bool weft__robots_is_plain(struct weft_text path);

bool weft__robots_match(const struct weft__robots_rule *rule, struct weft_text path);

#endif
