#ifndef WEFT_IO_LISTEN_H
#define WEFT_IO_LISTEN_H

#include "stream.h"

/* Take a waiting accept out of its listener's line and finish it. */
void weft__accept_over(struct weft_accept *accept, int status);

#endif
