/* apps/spider/screen.h: a block of lines at the bottom of a terminal, redrawn in place, and what is
 * said above it, which stays. */
#ifndef WEFT_SPIDER_SCREEN_H
#define WEFT_SPIDER_SCREEN_H

#include "spider/display.h"

enum {
    SCREEN_ABOVE = 16 * 1024,
    SCREEN_OUT = SCREEN_ABOVE + DISPLAY_LINES * (DISPLAY_BYTES + 16) + 64
};

/* All zero, with fd set, is one on which nothing stands yet. If fd is non-blocking, a terminal that takes
 * nothing holds up nobody; only screen_wipe waits for it, for a second. */
struct screen {
    int fd;
    unsigned columns, rows; /* read only: what there was room for at the last look */
    bool stands_;           /* a block does, from the cursor on */
    unsigned restless_;     /* it became narrower a few looks ago */
    unsigned room_;         /* rows that are known to be there, from the cursor on */
    size_t above_used_, out_used_;
    char above_[SCREEN_ABOVE]; /* what is to be said */
    char out_[SCREEN_OUT];     /* a frame, or what is left of one, to be written */
};

/* Look how large the terminal is. A block should have at most screen_lines lines, of at most
 * screen_width columns. */
void screen_look(struct screen *screen);
unsigned screen_width(const struct screen *screen);
unsigned screen_lines(const struct screen *screen);

/* Say this (whole lines) above the block: with the next frame. Nothing in it is obeyed. */
void screen_say(struct screen *screen, const char *text, size_t size);
/* The next frame; none, as long as the terminal has not taken the one before. */
void screen_draw(struct screen *screen, const struct display_frame *frame);
/* Nothing stands any more; what is to be said is said. */
void screen_wipe(struct screen *screen);
/* Others have written meanwhile: nothing of what stands is ours. */
void screen_forget(struct screen *screen);

#endif
