/* Is there a processor for everybody? See crowd_linux.c. */
#ifndef WEFT_FILES_CROWD_H
#define WEFT_FILES_CROWD_H

/* How often the calling thread had to leave its processor to another one. */
long weft__crowd_pushed_out(void);

#endif
