/* The first unit of a keyword, in all its spellings. */
#ifndef WEFT_FILES_SEARCH_SPELLING_H
#define WEFT_FILES_SEARCH_SPELLING_H

#include "fold.h"
#include "unit.h"

struct spellings {
    char bytes[FOLD_CLASS_MAX][UNIT_SIZE_MAX];
    unsigned sizes[FOLD_CLASS_MAX];
    unsigned count;
    unsigned shortest, longest;
    unsigned size; /* of the unit in the keyword */
};

/* folds: case does not matter; otherwise each byte is one, with one spelling. */
struct spellings weft__spellings_of(const char *keyword, size_t size, bool folds);

#endif
