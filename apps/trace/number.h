/* apps/trace/number.h: the numbers of a trace, from their texts. */
#ifndef WEFT_TRACE_NUMBER_H
#define WEFT_TRACE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <weft/text.h>

/* Ten years in nanoseconds: what is beyond is no time of a program. */
#define NUMBER_TIME_MOST ((int64_t)315576000 * 1000000000)

/* A JSON number of microseconds as nanoseconds, exactly; what is less than a nanosecond is cut off.
 * False: beyond NUMBER_TIME_MOST, in either direction. */
bool number_time(struct weft_text text, int64_t *ns);

/* Digits, or 0x and hexadecimal digits, at most 64 bits. False: something else. */
bool number_id(struct weft_text text, uint64_t *value);

#endif
