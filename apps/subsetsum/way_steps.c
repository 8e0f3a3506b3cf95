/* On the loop, in slices. What a slice has found is given away at its end, or when the buffer is full;
 * while that is not taken, nothing is searched. */
#include "subsetsum/finding.h"

enum { STEP = 1000 }; /* some microseconds */

static struct finding *finding_of(struct weft_steps *steps)
{
    return weft_owner(steps, struct finding, by_.steps.steps);
}

static void give(struct weft_steps *steps)
{
    struct finding *finding = finding_of(steps);
    size_t size = finding->by_.steps.size;
    if (size == 0 || finding->by_.steps.held || weft_cancelled(&steps->op) != 0)
        return;
    finding->by_.steps.size = 0;
    finding->by_.steps.held = !finding->on_lines(finding, weft_text(finding->by_.steps.text, size));
}

static int step(struct weft_steps *steps)
{
    struct finding *finding = finding_of(steps);
    size_t *size = &finding->by_.steps.size;
    if (SCRIBE_TEXT - *size < SCRIBE_LINE_MAX)
        give(steps);
    if (finding->by_.steps.held)
        return WEFT_PAUSE;
    *size += scribe_write(&finding->by_.steps.scribe, finding->by_.steps.text + *size,
                          SCRIBE_TEXT - *size, STEP);
    return scribe_done(&finding->by_.steps.scribe) ? 0 : WEFT_MORE;
}

static void stepped(struct weft_op *op, struct weft_op *steps)
{
    struct finding *finding = weft_owner(op, struct finding, op);
    scribe_close(&finding->by_.steps.scribe);
    finding_leaves_loop(finding);
    weft_finish(op, steps->status);
}

static void begin(struct finding *finding)
{
    int err = finding_enters_loop(finding) ? 0 : UV_ENOBUFS;
    if (err == 0) {
        err = scribe_open(&finding->by_.steps.scribe, &finding->problem, 0, 1, 0);
        if (err != 0)
            finding_leaves_loop(finding);
    }
    if (err != 0) {
        weft_finish(&finding->op, err);
        return;
    }
    finding->by_.steps.steps.on_slice = give;
    weft_steps(&finding->op, &finding->by_.steps.steps, step, stepped);
}

static void resume(struct finding *finding)
{
    finding->by_.steps.held = false;
    weft_steps_resume(&finding->by_.steps.steps);
}

const struct finding_way finding_steps = {.begin = begin, .resume = resume};
