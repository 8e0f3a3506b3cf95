/* On a thread of a pool: it searches, and waits when what it has sent is not taken. */
#include "subsetsum/finding.h"

static struct finding *finding_of(struct weft_thread_job *job)
{
    return weft_owner(job, struct finding, by_.thread.job);
}

/* On the thread. */
static int search(struct weft_thread_job *job)
{
    struct finding *finding = finding_of(job);
    struct scribe *scribe = &finding->by_.thread.scribe;
    char *text = finding->by_.thread.text;
    int err = scribe_open(scribe, &finding->problem, 0, 1, 0);
    while (err == 0 && !scribe_done(scribe)) {
        size_t size = scribe_write(scribe, text, SCRIBE_TEXT, FINDING_SLICE);
        if (size > 0)
            err = weft_thread_send(job, text, size);
        else if (weft_thread_stopped(job))
            err = UV_ECANCELED;
    }
    scribe_close(scribe);
    return err;
}

static bool found(struct weft_thread_job *job, struct weft_text lines)
{
    return finding_of(job)->on_lines(finding_of(job), lines);
}

static void begin(struct finding *finding)
{
    finding->by_.thread.job.on_result = found;
    finding->by_.thread.job.rank = WEFT_RANK_NORMAL;
    weft_thread_job(&finding->op, &finding->by_.thread.job, &finding->finders->threads, search,
                    weft_pass);
}

static void resume(struct finding *finding)
{
    weft_thread_resume(&finding->by_.thread.job);
}

static int open_pool(struct finders *finders, struct weft_op *op)
{
    finders->threads = (struct weft_threads){.max = (unsigned)finders->workers,
                                             .limit = (unsigned)finders->waiting,
                                             .name = "subsetsum",
                                             .nice = FINDING_NICE};
    weft_threads_open(op, &finders->threads, NULL);
    return 0;
}

const struct finding_way finding_threads = {.open = open_pool, .begin = begin, .resume = resume};
