/* Which ways there are where this is compiled; which of them the processor can go is asked later. */
#ifndef WEFT_FILES_SEARCH_WAYS_H
#define WEFT_FILES_SEARCH_WAYS_H

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_SEARCH_LANES 1
#else
#define WEFT_SEARCH_LANES 0
#endif

#endif
