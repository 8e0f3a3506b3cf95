/* Cutting the result into pieces, one after the other, from a cursor that goes through the sources.
 *
 *   - Small files are gathered, as many as fit into a buffer: one write for all of them.
 *   - A large one is cut into stretches: read ahead, or copied by the kernel. The holes of a sparse one
 *     are pieces too, of any size.
 *   - Of what is read to its end nobody knows where the next piece begins before this one was read. The
 *     hand that got it holds the cursor until then (held).
 *
 * A source that is not small is opened when the cursor comes to it, and closed when its last piece was
 * put: pieces are put in order, so all of the others were read by then. */
#include "concat.h"
#include <unistd.h>

static void next_source(struct plan *plan)
{
    plan->next++;
    plan->offset = 0;
    plan->fd = -1;
}

static bool is_small(const struct source *source)
{
    return source->kind == SOURCE_FILE && !source->sparse && source->size < LARGE;
}

static void cut_run(struct weft_concat_job *job, struct piece *piece)
{
    struct plan *plan = &job->plan;
    piece->form = PIECE_RUN;
    while (plan->next < job->concat->count) {
        const struct source *source = &job->sources[plan->next];
        if (!is_small(source) || source->size > job->room - piece->size)
            break;
        piece->size += source->size;
        piece->count++;
        next_source(plan);
    }
}

/* What begins at the cursor of a sparse file: so many bytes of data, or of a hole. A negative status if
 * the file has no such place any more. A file system that cannot tell says that all is data. */
static int64_t data_or_hole(const struct weft_concat_job *job, uint64_t left, bool *hole)
{
    const struct plan *plan = &job->plan;
    off_t at = (off_t)plan->offset;
    off_t data = lseek(plan->fd, at, SEEK_DATA);
    *hole = data > at || (data < 0 && errno == ENXIO);
    off_t end = *hole ? data : lseek(plan->fd, at, SEEK_HOLE);
    if (end >= 0 && (uint64_t)(end - at) < left)
        return end - at;
    struct stat st; /* is the rest a hole, or is there no rest? */
    if (fstat(plan->fd, &st) != 0)
        return sys_error();
    return st.st_size < at + (off_t)left ? WEFT_ECHANGED : (int64_t)left;
}

/* Is it read, or left to the kernel? Where the kernel only moves bytes one hand can do half of that ahead
 * of the other, and both together are faster; but then the bytes are moved twice. So that is done only
 * while there is a processor for each of them; and what nobody has read by the time that it is to be
 * written goes the short way, too. */
static bool is_read_ahead(const struct weft_concat_job *job)
{
    const struct plan *plan = &job->plan;
    return plan->by_hand || (plan->plain && plan->alone == 0 && job->put < job->cut);
}

/* How many bytes of data a stretch may have. */
static uint64_t stretch_most(struct plan *plan)
{
    if (plan->by_hand || (plan->plain && plan->alone == 0))
        return PIECE;
    if (plan->alone > 0)
        plan->alone--;
    return STRETCH;
}

static bool cut_stretch(struct weft_concat_job *job, struct piece *piece)
{
    struct plan *plan = &job->plan;
    const struct source *source = &job->sources[plan->next];
    uint64_t left = source->size - plan->offset;
    bool hole = false;
    if (source->sparse) {
        int64_t size = data_or_hole(job, left, &hole);
        if (size < 0) {
            weft__concat_fail(job, plan->next, (int)size);
            return false;
        }
        left = (uint64_t)size;
    }
    piece->form = hole ? PIECE_HOLE : is_read_ahead(job) ? PIECE_BYTES : PIECE_RANGE;
    uint64_t most = hole ? left : stretch_most(plan);
    piece->size = left < most ? left : most;
    plan->offset += piece->size;
    piece->last = plan->offset == source->size;
    if (piece->last)
        next_source(plan);
    return true;
}

static bool open_next(struct weft_concat_job *job)
{
    int fd = weft__concat_open(job, job->plan.next);
    if (fd < 0)
        weft__concat_fail(job, job->plan.next, fd);
    else
        job->plan.fd = fd;
    return fd >= 0;
}

bool weft__concat_cut(struct weft_concat_job *job, struct piece *piece)
{
    struct plan *plan = &job->plan;
    if (plan->held || plan->waits || plan->next == job->concat->count)
        return false;
    const struct source *source = &job->sources[plan->next];
    *piece = (struct piece){
        .first = plan->next, .from = plan->offset, .fd = -1, .buffer = piece->buffer};
    if (is_small(source)) {
        cut_run(job, piece);
        return true;
    }
    if (plan->fd < 0 && !open_next(job))
        return false;
    piece->fd = plan->fd;
    if (source->kind == SOURCE_FILE)
        return cut_stretch(job, piece);
    piece->form = PIECE_UNSIZED;
    plan->held = true;
    return true;
}

void weft__concat_came(struct weft_concat_job *job, struct piece *piece, bool end)
{
    struct plan *plan = &job->plan;
    uint64_t max = job->concat->max != 0 ? job->concat->max : INT64_MAX;
    uint64_t total = atomic_load_explicit(&job->total, memory_order_relaxed) + piece->size;
    atomic_store_explicit(&job->total, total, memory_order_relaxed);
    plan->held = false;
    plan->waits = !end && piece->size < job->room;
    piece->last = end;
    if (total > max)
        weft__concat_exceed(job);
    if (end)
        next_source(plan);
}
