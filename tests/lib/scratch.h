/* tests/lib/scratch.h: a folder of one's own, for as long as the test program runs.
 *
 *     char path[SCRATCH_PATH];
 *     scratch_file(path, "list", "a\nb\n");          // <folder>/list
 *     ...
 *     scratch_equals(path, "c\n");
 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SCRATCH_PATH = 512 };

/* The folder: in memory (/dev/shm) where there is such a thing, otherwise below TMPDIR or /tmp. It
 * is made at the first call and removed, with all that is in it, when the process exits. */
const char *scratch_dir(void);

/* <folder>/<name> into path, which is returned. */
char *scratch_path(char path[SCRATCH_PATH], const char *name);
/* The same with a number that was not used before: for runs that must not meet. */
char *scratch_new_path(char path[SCRATCH_PATH], const char *name);
/* The same as scratch_path, and write text to the file. */
char *scratch_file(char path[SCRATCH_PATH], const char *name, const char *text);

/* The same as scratch_path, and make a device there that works like /dev/null. A test may do to it
 * what must never happen to the real one. false: only root can. */
bool scratch_device(char path[SCRATCH_PATH], const char *name);

/* Require that the file holds exactly text. */
void scratch_equals(const char *path, const char *text);
/* Is there anything, even a link that leads nowhere? */
bool scratch_exists(const char *path);
/* How many entries the folder at path has. */
size_t scratch_count(const char *path);
/* Remove everything in the folder. */
void scratch_empty(void);

#endif
