/* weft/version.h: which weft this is.
 *
 * Structs are transparent so that you can embed them in your own. That makes their sizes part of
 * the promise: weft_loop_init compares those your program was compiled with to the library's own
 * and refuses a library that does not fit (see weft/loop.h). */
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION_STRING "0.1.0"

/* One number to compare: 0xMMmmpp. */
#define WEFT_VERSION ((WEFT_VERSION_MAJOR << 16) | (WEFT_VERSION_MINOR << 8) | WEFT_VERSION_PATCH)

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#define WEFT_MUST_USE __attribute__((warn_unused_result)) /* who ignores it would be wrong */
#else
#define WEFT_API
#define WEFT_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as text. Static storage. */
WEFT_API const char *weft_version(void);

#ifdef __cplusplus
}
#endif
#endif
