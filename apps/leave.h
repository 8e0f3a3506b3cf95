/* apps/leave.h: an end for those who have nothing to put away any more. */
#ifndef WEFT_APPS_LEAVE_H
#define WEFT_APPS_LEAVE_H

/* In a second the process exits with status, if it has not ended by then: a thread that waits for a file system
 * or a server of names which does not answer cannot be called back, and would be awaited. */
void leave_soon(int status);

#endif
