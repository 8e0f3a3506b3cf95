/* tests/lib/nobody.h: to be somebody without special rights, for a while.
 *
 * root may read and write everything, so what permissions do can only be seen by somebody else. As
 * root the whole process, the pool's threads too, becomes user and group 65534 between begin and
 * end; as anybody else nothing changes. Nothing in between may fail by an assertion: the process
 * would stay nobody. */
#ifndef TESTS_NOBODY_H
#define TESTS_NOBODY_H

enum { NOBODY = 65534 };

/* folder is made accessible to everybody first. */
void nobody_begin(const char *folder);
void nobody_end(void);

#endif
