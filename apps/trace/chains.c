/* The slowest chains: an operation, and down from it what it waited for.
 *
 * What did it wait for? Going back from its end: the child that came back last; before that one
 * began, the child that had come back last then; and so on. These follow one another, and together
 * they are the way that nothing could have been faster on. The longest of them is the answer, and
 * is asked the same question. So a page that spends its time looking up a name says so, also when
 * it has connected and read a little after that. An operation of somebody else that let it go on
 * (wakes.h) counts as such a child, and so does the promise of an await. Other long-lived things are
 * nothing that is waited for: they end because the rest has.
 *
 * Which chains? The slowest operations come first; one that is part of a chain already is not
 * shown again, nor is one when a chain shows another from the same place that is at least half as
 * slow: a thousand slow pages are one chain, that of the slowest, with the number beside it. Who waits for a
 * client or a signal is slow by nature, and so is the operation that a program runs in: what is idle
 * comes last. */
#include "trace/analysis_inside.h"
#include "trace/wakes.h"
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

/* Something that an operation waited for: a child, or a stranger. */
struct reason {
    uint32_t op;
    int64_t back; /* when it let that go on */
};

struct search {
    const struct trace *trace;
    struct wakes wakes;
    struct reason *reasons; /* of op i: reasons[first[i]] up to first[i + 1] */
    uint32_t *first;
    uint32_t *cause; /* of each op: what it waited for; TRACE_NONE: nothing */
    uint32_t *order; /* ops, the slowest first */
    uint32_t *place; /* of each op: the number of its type and site */
    int64_t *shown;  /* of each place: the slowest that is shown; -1: none */
    uint64_t *like;  /* of each place: how many there are */
    bool *used;      /* of each op: it is in a chain */
};

struct entry {
    int64_t key;
    uint32_t op, of; /* of: who waited, where that is of interest */
};

static int by_key_falling(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    return (a->op > b->op) - (a->op < b->op);
}

/* ---- reasons -------------------------------------------------------------------------------- */

static size_t collect_reasons(const struct search *search, struct entry *entries)
{
    const struct trace *trace = search->trace;
    size_t count = 0;
    for (uint32_t i = 0; i < trace->op_count; i++) {
        const struct trace_op *op = &trace->ops[i];
        if (op->parent != TRACE_NONE && !op->handle)
            entries[count++] = (struct entry){op->back, i, op->parent};
        if (op->promise != TRACE_NONE)
            entries[count++] = (struct entry){trace->ops[op->promise].back, op->promise, i};
    }
    for (size_t i = 0; i < search->wakes.count; i++) {
        const struct wake *wake = &search->wakes.all[i];
        entries[count++] = (struct entry){wake->time, wake->by, wake->op};
    }
    return count;
}

/* Every reason under the operation that waited, the one that came back last first: one sort for all,
 * then each goes to the end of its part. */
static int list_reasons(struct search *search, struct entry *entries)
{
    const struct trace *trace = search->trace;
    size_t count = collect_reasons(search, entries);
    qsort(entries, count, sizeof *entries, by_key_falling);
    for (size_t i = 0; i < count; i++)
        search->first[entries[i].of + 1]++;
    for (size_t i = 0; i < trace->op_count; i++)
        search->first[i + 1] += search->first[i];
    uint32_t *next = weft_calloc(trace->op_count + 1, sizeof *next);
    if (next == NULL)
        return UV_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint32_t of = entries[i].of;
        search->reasons[search->first[of] + next[of]++] =
            (struct reason){entries[i].op, entries[i].key};
    }
    weft_free(next);
    return 0;
}

/* TRACE_NONE: it waited for none. Asked once of each: many chains may lead through one that has many
 * reasons, and not all of them are shown. */
static uint32_t waited_for(const struct search *search, uint32_t op)
{
    const struct trace *trace = search->trace;
    int64_t until = trace->ops[op].end, longest = -1;
    uint32_t found = TRACE_NONE;
    for (uint32_t i = search->first[op]; i < search->first[op + 1]; i++) {
        const struct reason *reason = &search->reasons[i];
        int64_t begin = trace->ops[reason->op].begin;
        if (begin < trace->ops[op].begin)
            begin = trace->ops[op].begin; /* of a stranger */
        int64_t length = (reason->back < until ? reason->back : until) - begin;
        if (reason->back > until && found != TRACE_NONE)
            continue; /* it ran beside one that ended later */
        if (length > longest) {
            longest = length;
            found = reason->op;
        }
        until = begin < until ? begin : until;
    }
    return found;
}

/* ---- chains --------------------------------------------------------------------------------- */

/* Strangers may have waited for each other. */
static bool is_in(const struct analysis_chain *chain, uint32_t op)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->ops[i] == op)
            return true;
    }
    return false;
}

static void follow(const struct search *search, struct analysis_chain *chain, uint32_t op)
{
    *chain = (struct analysis_chain){.like = search->like[search->place[op]]};
    while (op != TRACE_NONE && chain->count < CHAIN_LONGEST && !is_in(chain, op)) {
        chain->ops[chain->count++] = op;
        op = search->cause[op];
    }
}

static void mark(struct search *search, const struct analysis_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        int64_t length = analysis_length(&search->trace->ops[chain->ops[i]]);
        int64_t *shown = &search->shown[search->place[chain->ops[i]]];
        search->used[chain->ops[i]] = true;
        *shown = length > *shown ? length : *shown;
    }
}

static bool is_worth_showing(const struct search *search, uint32_t op)
{
    const struct trace_op *it = &search->trace->ops[op];
    int64_t shown = search->shown[search->place[op]];
    return it->ended && !it->handle && !search->used[op] && shown < (analysis_length(it) + 1) / 2;
}

/* ---- idle ----------------------------------------------------------------------------------- */

static bool is_type(const struct trace *trace, const struct trace_op *op, const char *name)
{
    return weft_text_is(trace_type_name(trace, op->type), name);
}

/* It waits for somebody outside, for as long as that takes: a read, too, if it belongs to a long-lived
 * connection and to no request. */
static bool is_idle_by_nature(const struct trace *trace, uint32_t number)
{
    const struct trace_op *op = &trace->ops[number];
    if (is_type(trace, op, "accept") || is_type(trace, op, "stream_gone") ||
        is_type(trace, op, "signal"))
        return true;
    return is_type(trace, op, "read") && op->parent != TRACE_NONE &&
           trace->ops[op->parent].handle && !trace_is_loop(trace, &trace->ops[op->parent]);
}

/* What a program runs in: there from its begin to its end. */
static bool is_programs_own(const struct trace *trace, const struct trace_op *op)
{
    return op->parent != TRACE_NONE && trace_is_loop(trace, &trace->ops[op->parent]) &&
           analysis_length(op) >= trace->span - trace->span / 10;
}

/* Is that what most of the time of a chain went to? */
static bool is_idle(const struct trace *trace, const struct analysis_chain *chain)
{
    const struct trace_op *first = &trace->ops[chain->ops[0]];
    int64_t half = analysis_length(first) / 2;
    bool explained = false;
    for (size_t i = 0; i < chain->count; i++) {
        bool long_enough = analysis_length(&trace->ops[chain->ops[i]]) >= half;
        if (long_enough && is_idle_by_nature(trace, chain->ops[i]))
            return true;
        explained = explained || (i > 0 && long_enough);
    }
    return !explained && first->calls + chain->count > 1 && first->queued < half &&
           first->running < half && is_programs_own(trace, first);
}

static int collect_some(struct analysis *analysis, struct search *search, size_t *capacity,
                        size_t most, bool idle)
{
    const struct trace *trace = search->trace;
    for (size_t i = 0; i < trace->op_count && analysis->chain_count < most; i++) {
        uint32_t op = search->order[i];
        struct analysis_chain chain;
        if (!is_worth_showing(search, op) || (!idle && is_idle_by_nature(trace, op)))
            continue;
        follow(search, &chain, op);
        chain.idle = is_idle(trace, &chain);
        if (chain.idle != idle)
            continue;
        struct analysis_chain *chains =
            grow(analysis->chains, analysis->chain_count, capacity, sizeof *chains);
        if (chains == NULL)
            return UV_ENOMEM;
        analysis->chains = chains;
        chains[analysis->chain_count++] = chain;
        mark(search, &chain);
    }
    return 0;
}

static int collect(struct analysis *analysis, struct search *search)
{
    size_t most =
        analysis->top == 0 || analysis->top > ANALYSIS_CHAINS ? ANALYSIS_CHAINS : analysis->top;
    size_t capacity = 0;
    int status = collect_some(analysis, search, &capacity, most, false);
    return status != 0 ? status : collect_some(analysis, search, &capacity, most, true);
}

/* ---- what is needed for it ------------------------------------------------------------------ */

static int number_places(struct search *search)
{
    struct table table = {0};
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < search->trace->op_count; i++) {
        const struct trace_op *op = &search->trace->ops[i];
        uint32_t next = (uint32_t)table.count;
        uint32_t *place = table_put(&table, op->type, op->site);
        if (place == NULL) {
            status = UV_ENOMEM;
            break;
        }
        if (*place == TABLE_NONE)
            *place = next;
        search->place[i] = *place;
        search->like[*place]++;
        search->shown[*place] = -1;
    }
    table_free(&table);
    return status;
}

static void order_by_length(struct search *search, struct entry *entries)
{
    size_t count = search->trace->op_count;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (struct entry){analysis_length(&search->trace->ops[i]), i, TRACE_NONE};
    qsort(entries, count, sizeof *entries, by_key_falling);
    for (size_t i = 0; i < count; i++)
        search->order[i] = entries[i].op;
}

static int prepare(struct search *search)
{
    if (wakes_find(&search->wakes, search->trace) != 0)
        return UV_ENOMEM;
    size_t count = search->trace->op_count, reasons = 2 * count + search->wakes.count;
    struct entry *entries = weft_calloc(reasons + 1, sizeof *entries);
    search->reasons = weft_calloc(reasons + 1, sizeof *search->reasons);
    search->first = weft_calloc(count + 2, sizeof *search->first);
    search->cause = weft_calloc(count + 1, sizeof *search->cause);
    search->order = weft_calloc(count + 1, sizeof *search->order);
    search->place = weft_calloc(count + 1, sizeof *search->place);
    search->shown = weft_calloc(count + 1, sizeof *search->shown);
    search->like = weft_calloc(count + 1, sizeof *search->like);
    search->used = weft_calloc(count + 1, sizeof *search->used);
    int status = UV_ENOMEM;
    if (entries != NULL && search->reasons != NULL && search->first != NULL &&
        search->cause != NULL && search->order != NULL && search->place != NULL &&
        search->shown != NULL && search->like != NULL && search->used != NULL)
        status = list_reasons(search, entries);
    if (status == 0)
        status = number_places(search);
    if (status == 0) {
        for (uint32_t i = 0; i < count; i++)
            search->cause[i] = waited_for(search, i);
        order_by_length(search, entries);
    }
    weft_free(entries);
    return status;
}

int analysis_chains(struct analysis *analysis, const struct trace *trace)
{
    struct search search = {.trace = trace};
    int status = trace->op_count == 0 ? 0 : prepare(&search);
    if (status == 0)
        status = collect(analysis, &search);
    weft_free(search.wakes.all);
    weft_free(search.reasons);
    weft_free(search.first);
    weft_free(search.cause);
    weft_free(search.order);
    weft_free(search.place);
    weft_free(search.shown);
    weft_free(search.like);
    weft_free(search.used);
    return status;
}
