/* apps/terminal.h: whose a terminal is. */
#ifndef WEFT_APPS_TERMINAL_H
#define WEFT_APPS_TERMINAL_H

#include <stdbool.h>

/* Does it belong to another job just now, which we would write into? One that is not ours to control says
 * nothing about it, and neither does what is no terminal. */
bool terminal_is_anothers(int fd);

#endif
