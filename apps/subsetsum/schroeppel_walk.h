/* The streams of sums and the walk through two of them, for one WIDTH; see schroeppel.c. */

/* A row of a stream's heap, and the column it has come to. */
struct NAME(entry) {
    SUM sum;
    uint32_t row, column;
};

/* Leave only one of equal sums, with the place where its masks begin. */
static bool NAME(list_join)(struct subset_work *work, unsigned which, uint64_t *steps)
{
    struct subset_schroeppel *its = &work->schroeppel;
    struct subset_list *list = &work->lists[which];
    SUM *sums = list->sums;
    uint32_t *first = its->first[which];
    size_t read = its->read[which], written = its->written[which];
    size_t all = (size_t)1 << list->numbers;
    for (; read<all && * steps> 0; read++, --*steps) {
        if (written > 0 && sums[written - 1] == sums[read])
            continue;
        sums[written] = sums[read];
        first[written++] = (uint32_t)read;
    }
    its->read[which] = read;
    its->written[which] = list->count = written;
    first[written] = (uint32_t)all;
    return read == all;
}

/* ---- a heap, the least one on top ----------------------------------------------------------- */

static void NAME(heap_push)(struct subset_stream *stream, struct NAME(entry) entry)
{
    struct NAME(entry) *heap = stream->heap;
    size_t at = stream->size++;
    for (; at > 0 && heap[(at - 1) / 2].sum > entry.sum; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

/* In the place of the top. */
static inline void NAME(heap_replace)(struct subset_stream *stream, struct NAME(entry) entry)
{
    struct NAME(entry) *heap = stream->heap;
    size_t at = 0, child, size = stream->size;
    while ((child = 2 * at + 1) < size) {
        child += child + 1 < size && heap[child + 1].sum < heap[child].sum;
        if (heap[child].sum >= entry.sum)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

/* ---- a stream ------------------------------------------------------------------------------- */

static inline struct NAME(entry)
    NAME(stream_entry)(const struct subset_stream *stream, uint32_t row, uint32_t column)
{
    const SUM *rows = stream->rows->sums, *columns = stream->columns->sums;
    SUM sum = (SUM)(rows[row] + columns[column] + (SUM)stream->add);
    return (struct NAME(entry)){sum, row, column};
}

/* How many columns of a row give less than this sum. */
static size_t NAME(stream_below)(const struct subset_stream *stream, size_t row, subset_size sum)
{
    const SUM *columns = stream->columns->sums;
    subset_size least = ((const SUM *)stream->rows->sums)[row] + stream->add;
    size_t low = 0, high = sum > least ? stream->columns->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (columns[middle] < sum - least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Begin with the first sum that is not below this one. Of rows that begin later only the first is put
 * into the heap: see stream_step. False: the steps are used up. */
static bool NAME(stream_seed)(struct subset_stream *stream, subset_size sum, uint64_t *steps)
{
    while (stream->seeded < stream->rows->count) {
        if (*steps == 0)
            return false;
        *steps -= *steps < SUBSET_BISECTION ? *steps : SUBSET_BISECTION;
        uint32_t row = (uint32_t)stream->seeded++;
        size_t column = NAME(stream_below)(stream, row, sum);
        if (column < stream->columns->count)
            NAME(heap_push)(stream, NAME(stream_entry)(stream, row, (uint32_t)column));
        if (column == 0)
            stream->seeded = stream->rows->count;
    }
    return true;
}

/* Past the top. */
static inline void NAME(stream_step)(struct subset_stream *stream)
{
    struct NAME(entry) *heap = stream->heap, top = heap[0];
    if (top.column == 0 && top.row + 1 < stream->rows->count)
        NAME(heap_push)(stream, NAME(stream_entry)(stream, top.row + 1, 0));
    if (top.column + 1 < stream->columns->count)
        NAME(heap_replace)(stream, NAME(stream_entry)(stream, top.row, top.column + 1));
    else if (--stream->size > 0)
        NAME(heap_replace)(stream, heap[stream->size]);
}

static void NAME(stream_take)(struct subset_stream *stream)
{
    const struct NAME(entry) *top = stream->heap;
    const uint32_t *row = stream->row_first + top->row;
    const uint32_t *column = stream->column_first + top->column;
    uint32_t *pair = stream->pairs + 2 * stream->pair_count++;
    pair[0] = top->row;
    pair[1] = top->column;
    stream->matches += (size_t)(row[1] - row[0]) * (column[1] - column[0]);
    NAME(stream_step)(stream);
}

static bool NAME(stream_has)(const struct subset_stream *stream, SUM sum)
{
    return stream->size > 0 && ((const struct NAME(entry) *)stream->heap)->sum == sum;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* To the next sum that both sides have. The phase that follows. */
static unsigned NAME(seek)(struct subset_work *work, uint64_t *steps)
{
    struct subset_schroeppel *its = &work->schroeppel;
    struct subset_stream *left = &its->left, *right = &its->right;
    const struct NAME(entry) *x = left->heap, *c = right->heap;
    const SUM last = (SUM)(its->cut.end - 1);
    for (; left->size > 0 && right->size > 0; --*steps) {
        if (x->sum > last || c->sum > last)
            break;
        if (*steps == 0)
            return SEEK;
        if (x->sum == c->sum) {
            its->sum = x->sum;
            left->pair_count = left->matches = left->at = 0;
            right->pair_count = right->matches = right->at = 0;
            return COLLECT;
        }
        NAME(stream_step)(x->sum < c->sum ? left : right);
    }
    return UNIT;
}

/* All pairs of this sum, from both sides. */
static unsigned NAME(collect)(struct subset_work *work, uint64_t *steps)
{
    struct subset_schroeppel *its = &work->schroeppel;
    for (; *steps > 0; --*steps) {
        if (NAME(stream_has)(&its->left, (SUM)its->sum))
            NAME(stream_take)(&its->left);
        else if (NAME(stream_has)(&its->right, (SUM)its->sum))
            NAME(stream_take)(&its->right);
        else
            return DELIVER;
    }
    return COLLECT;
}
