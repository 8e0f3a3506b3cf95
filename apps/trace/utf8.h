/* apps/trace/utf8.h: UTF-8, byte by byte, and what of it may be shown. */
#ifndef WEFT_TRACE_UTF8_H
#define WEFT_TRACE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

enum { UTF8_MAX = 4, UTF8_REPLACEMENT = 0xfffd };

/* The bytes of a code point up to 0x10ffff: how many. */
size_t utf8_write(uint32_t code, char bytes[UTF8_MAX]);

/* Reading. Zeroed before each character. */
struct utf8_state {
    uint32_t code; /* the character, once it is done */
    unsigned left, least, most;
};
enum utf8_step {
    UTF8_MORE, /* it wants another byte */
    UTF8_DONE,
    UTF8_BROKEN,       /* this byte cannot begin a character */
    UTF8_BROKEN_BEFORE /* the bytes before were no character; this one was not looked at */
};
enum utf8_step utf8_step(struct utf8_state *state, unsigned char byte);

/* Is all of it well formed? */
bool utf8_is_text(struct weft_text text);

/* Can it be printed without doing anything? Controls drive a terminal, and those for the direction
 * of text make it look like another. */
bool utf8_is_harmless(uint32_t code);
/* In place: a '?' for each character that is not harmless, and for what is no character. tabs: they may
 * stay. Returns the size that is left. */
size_t utf8_make_harmless(char *text, size_t size, bool tabs);

#endif
