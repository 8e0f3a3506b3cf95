/* apps/units.h: lengths of time and sizes, as people write and read them. */
#ifndef WEFT_APPS_UNITS_H
#define WEFT_APPS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "500ms", "2s", "1.5m", "1h", "1d"; a number alone is seconds. At most six digits behind the
 * point; what is left of a millisecond counts as a whole one, so that only zero becomes 0. False,
 * and *ms as it was: anything else, and what does not fit. Fits an option's parse. */
bool units_duration(const char *text, uint64_t *ms);

/* "1024", "64k", "10M", "1.5G", "2T", also "10MB" and "10MiB", letters in any case: each step is
 * 1024 times the one before. The rest as above. */
bool units_size(const char *text, uint64_t *bytes);

/* The way back, with nothing lost: "90s", "1500ms"; "64k", "1000". Fit an option's show. */
void units_write_duration(uint64_t ms, char *buffer, size_t size);
void units_write_size(uint64_t bytes, char *buffer, size_t size);

/* "512 B", "1.5 MB", "345 MB"; steps of 1024, rounded to the nearest. Returns buffer. */
enum { UNITS_SIZE_MAX = 16, UNITS_TIME_MAX = 24 };
char *units_show_size(uint64_t bytes, char buffer[UNITS_SIZE_MAX]);

/* "0.4 s", "2 min 3 s", "1 h 4 min": only what has passed, never rounded up. Returns buffer. */
char *units_show_time(uint64_t ms, char buffer[UNITS_TIME_MAX]);

#endif
