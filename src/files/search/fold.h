/* Which letters are the same but for their case: Unicode's simple case folding, one code point for
 * one (statuses C and S of its CaseFolding.txt; nothing of one language only, no ß for ss). */
#ifndef WEFT_FILES_SEARCH_FOLD_H
#define WEFT_FILES_SEARCH_FOLD_H

#include <stdint.h>

enum { FOLD_CLASS_MAX = 4 };

/* The Unicode that the table was made from, as "15.0". */
extern const char weft__fold_unicode[];

/* What stands for all that are the same as code; any number is allowed, those that are no letters
 * stand for themselves. */
uint32_t weft__fold(uint32_t code);

/* All that fold to what code folds to, itself included; how many they are. */
unsigned weft__fold_class(uint32_t code, uint32_t same[FOLD_CLASS_MAX]);

#endif
