/* Here and now. This is the way not to do it: while it searches, nobody else is answered, the one who
 * asked cannot be seen to leave, and Ctrl-C is not heard. Only a clock of its own ends it, until it has
 * found something that waits to be taken.
 *
 * What it finds is gathered, up to TEXT_MAX, and then given away in pieces; when all of them are taken
 * it searches on. */
#include "subsetsum/finding.h"
#include <weft/alloc.h>

enum { TEXT_MAX = 1024 * 1024 };

static void finish(struct finding *finding, int status)
{
    scribe_close(&finding->by_.sync.scribe);
    weft_free(finding->by_.sync.text);
    finding->by_.sync.text = NULL;
    finding_leaves_loop(finding);
    weft_finish(&finding->op, status);
}

static void cancel(struct weft_op *op, int reason)
{
    finish(weft_owner(op, struct finding, op), reason);
}

/* Blocks. False: the time is over. */
static bool gather(struct finding *finding)
{
    size_t size = 0;
    finding->by_.sync.given = finding->by_.sync.size = 0;
    while (!scribe_done(&finding->by_.sync.scribe) && TEXT_MAX - size >= SCRIBE_LINE_MAX) {
        size += scribe_write(&finding->by_.sync.scribe, finding->by_.sync.text + size,
                             TEXT_MAX - size, FINDING_SLICE);
        if (uv_hrtime() >= finding->by_.sync.until_ns)
            return false;
    }
    finding->by_.sync.size = size;
    return true;
}

/* False: it was not taken well, and the rest waits. */
static bool give_some(struct finding *finding)
{
    size_t left = finding->by_.sync.size - finding->by_.sync.given;
    size_t size = left < SCRIBE_TEXT ? left : SCRIBE_TEXT;
    struct weft_text lines = weft_text(finding->by_.sync.text + finding->by_.sync.given, size);
    finding->by_.sync.given += size;
    return finding->on_lines(finding, lines);
}

/* Until somebody wants to wait, or it is over. */
static void go_on(struct finding *finding)
{
    for (;;) {
        if (finding->by_.sync.given < finding->by_.sync.size) {
            if (!give_some(finding))
                return;
        } else if (scribe_done(&finding->by_.sync.scribe)) {
            finish(finding, 0);
            return;
        } else if (!gather(finding)) {
            finish(finding, UV_ETIMEDOUT);
            return;
        }
        if (weft_cancelled(&finding->op) != 0)
            return;
    }
}

static void begin(struct finding *finding)
{
    if (!finding_enters_loop(finding)) {
        weft_finish(&finding->op, UV_ENOBUFS);
        return;
    }
    finding->by_.sync.until_ns = uv_hrtime() + finding->finders->time_ms * 1000000;
    finding->by_.sync.text = weft_alloc(TEXT_MAX);
    int err = finding->by_.sync.text == NULL
                  ? UV_ENOMEM
                  : scribe_open(&finding->by_.sync.scribe, &finding->problem, 0, 1, 0);
    if (err != 0) {
        finish(finding, err);
        return;
    }
    weft_on_cancel(&finding->op, cancel);
    if (weft_cancelled(&finding->op) == 0)
        go_on(finding);
}

/* What was given may be taken only when the finding is over: the client left in the same moment. */
static void resume(struct finding *finding)
{
    if (finding->by_.sync.text != NULL)
        go_on(finding);
}

const struct finding_way finding_sync = {.begin = begin, .resume = resume};
