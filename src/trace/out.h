/* Text on its way into a file. An error sticks: it is asked for once, at the end. */
#ifndef WEFT_TRACE_OUT_H
#define WEFT_TRACE_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

struct weft_out {
    int fd, status;
    size_t used;
    char bytes[1 << 16];
};

void weft__out_bytes(struct weft_out *out, const char *bytes, size_t size);
void weft__out_text(struct weft_out *out, const char *text);
void weft__out_number(struct weft_out *out, uint64_t number);
void weft__out_hex(struct weft_out *out, uint64_t number); /* 0x… */
/* Nanoseconds as microseconds with three decimals. */
void weft__out_us(struct weft_out *out, uint64_t ns);
/* What stands between the quotes of a JSON string. What is no UTF-8 becomes U+FFFD, byte by byte. */
void weft__out_json(struct weft_out *out, struct weft_text text);
/* Send off what is still here; the status of all. */
int weft__out_flush(struct weft_out *out);

#endif
