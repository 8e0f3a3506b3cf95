/* weft/files.h: what is done with many files at once.
 *
 *     weft/concat.h   many files become one, all or nothing
 *     weft/list.h     everything below a folder
 *     weft/find.h     the text files below a folder that hold a keyword
 *
 * weft/tree.h is how a tree is walked, for the last two. weft/file.h and weft/dir.h are for one. */
#ifndef WEFT_FILES_H
#define WEFT_FILES_H

#include "concat.h"
#include "find.h"
#include "list.h"

#endif
