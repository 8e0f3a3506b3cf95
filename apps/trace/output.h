/* apps/trace/output.h: text that grows in memory. What does not fit is remembered, not reported
 * each time: look at failed when all is in. */
#ifndef WEFT_TRACE_OUTPUT_H
#define WEFT_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

/* Zeroed before its first use. */
struct out {
    char *data;
    size_t size, capacity;
    bool failed; /* there was no memory: what is in it is not all */
};

void out_text(struct out *out, struct weft_text text);
void out_string(struct out *out, const char *string);
__attribute__((format(printf, 2, 3))) void out_format(struct out *out, const char *format, ...);
/* Before what is at `at`; or at the end, if there is nothing. */
void out_insert(struct out *out, size_t at, const char *string);
void out_free(struct out *out);
/* All of it to a descriptor; where that does not block but has no room, it waits. 0 or a status. */
int out_write(const struct out *out, int fd);

/* ---- JSON ----------------------------------------------------------------------------------- */

/* In quotes, bytes of any kind: controls and what has to do with the direction of text are escaped, and
 * what is no UTF-8 becomes U+FFFD, one for each byte. What has a meaning in HTML is escaped as well: the
 * text may stand inside of a <script>. */
void out_json_text(struct out *out, struct weft_text text);
/* The same for a file of JSON: what has a meaning in HTML stays as it is. */
void out_json_bytes(struct out *out, struct weft_text bytes);
/* "name": with a comma before it unless it is the first in its object. */
void out_json_name(struct out *out, const char *name);
void out_json_number(struct out *out, const char *name, int64_t number);
void out_json_member(struct out *out, const char *name, struct weft_text text);
void out_json_flag(struct out *out, const char *name, bool flag);
/* A comma, unless nothing stands before it in its array or object. */
void out_json_comma(struct out *out);

/* ---- numbers -------------------------------------------------------------------------------- */

/* Bytes for a browser: seven bits a byte, the lowest first, the high bit says that more follow. */
void out_varint(struct out *out, uint64_t number);
/* The bytes of from, six bits a character (base64, with its padding). */
void out_base64(struct out *out, const struct out *from);

/* A length of time as people read it: "310 ms", "4.20 us", "1.23 s". Returns buffer. */
enum { OUT_TIME_SIZE = 32 };
char *out_show_time(int64_t ns, char buffer[OUT_TIME_SIZE]);

#endif
