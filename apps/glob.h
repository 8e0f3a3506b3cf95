/* apps/glob.h: patterns with wildcards, for texts and for URLs.
 *
 *     *        any run of characters, also none, also with '/' in it
 *     ?        one character
 *     [a-z_]   one of these; [!a-z] one that is not; a '[' that nothing closes is itself
 *     \x       x itself, whatever it is
 *
 * Case matters. Characters are those of UTF-8, and in a range by their code points; a byte that is in none
 * is one of its own, and in a range behind all others. The time is at most pattern times text. */
#ifndef WEFT_APPS_GLOB_H
#define WEFT_APPS_GLOB_H

#include <weft/text.h>

/* Is the whole text like the pattern? */
bool glob_matches(struct weft_text pattern, struct weft_text text);

/* The same for a URL without fragment, whose path begins at path and ends at query (where the '?'
 * is, or the end). What a pattern is for is seen from how it is written:
 *
 *     it has "://" in it or begins with '*': the whole URL; it begins with '/': the whole path;
 *     otherwise the end of the path, from the beginning of any of its segments (like a file's name).
 *     It may match with the query or without it. If it ends in '/', it is for all that is below. */
bool glob_matches_url(struct weft_text pattern, struct weft_text url, size_t path, size_t query);

#endif
