/* A slot: a part, from its delivery to its recorded end.
 *
 *     begin ─► the task runs, signs of life go out ─► over ─► its end is recorded ─► freed
 *                        │                              ▲         (or it is given back)
 *                        └── lost: the task is cancelled┴─► freed, Redis knows better
 *
 * The task is the caller's, in the same block behind the slot. Signs of life go out until the end is recorded:
 * while Redis is away the part stays ours. A slot is freed when none of its calls is under way. */
#include "crew.h"
#include "weft/alloc.h"
#include <inttypes.h>
#include <stdio.h>

static void slot_free(struct weft_jobs_slot *slot)
{
    struct weft_jobs_crew *crew = slot->crew;
    *slot->link = slot->next;
    if (slot->next != NULL)
        slot->next->link = slot->link;
    crew->count--;
    crew->worker->running = crew->count;
    weft_free(slot);
    weft__jobs_crew_step(crew);
}

void weft__jobs_slot_call(struct weft_jobs_slot *slot, struct jobs_call *call, const char *verb)
{
    weft__jobs_call_init(call, &slot->crew->hub, verb, NULL);
    weft__jobs_call_string(call, slot->crew->worker->id);
    weft__jobs_call_string(call, slot->entry);
    weft__jobs_call_string(call, slot->attempt);
    weft__jobs_call_string(call, slot->task->job);
    weft__jobs_call_string(call, slot->part);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void ended(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_slot *slot = weft_owner(child, struct weft_jobs_slot, end.op);
    struct weft_jobs_worker_stats *stats = &slot->crew->worker->stats;
    (void)op;
    weft__jobs_call_over(&slot->end);
    enum jobs_word word =
        child->status == 0 ? weft__jobs_read_word(slot->end.command.reply) : JOBS_NONSENSE;
    bool repeated =
        word == JOBS_LATE && slot->end.tries > 0; /* the answer to the first try was lost */
    if (word == JOBS_OK && slot->returned)
        stats->returned++;
    else if (word == JOBS_OK || repeated)
        stats->finished++;
    else if (word == JOBS_LATE)
        stats->lost++;
    else if (child->status == 0 || child->status == WEFT_ESTATUS)
        stats->garbage++;
    slot->settled = true;
    jobs_call_free(&slot->end);
    weft__jobs_slot_step(slot);
}

static void record_end(struct weft_jobs_slot *slot)
{
    int status = slot->task->op.status;
    if (status == 0)
        status = slot->failed;
    slot->returned = slot->crew->cancelled && status != 0;
    weft__jobs_slot_call(slot, &slot->end, slot->returned ? "back" : "finish");
    if (!slot->returned) {
        slot->task->why[sizeof slot->task->why - 1] = '\0';
        snprintf(slot->status, sizeof slot->status, "%d", status);
        weft__jobs_call_string(&slot->end, slot->status);
        weft__jobs_call_string(&slot->end, status != 0 ? slot->task->why : "");
    }
    weft__jobs_call_run(&slot->end, ended);
}

void weft__jobs_slot_step(struct weft_jobs_slot *slot)
{
    if (!slot->over || slot->end.busy || slot->say.busy)
        return;
    if (!slot->settled && !slot->lost && !slot->crew->deaf) {
        record_end(slot);
        return;
    }
    if (slot->beat.busy)
        jobs_call_cancel(&slot->beat);
    else
        slot_free(slot);
}

static void task_over(struct weft_op *worker_op, struct weft_op *op)
{
    struct weft_jobs_slot *slot = weft_owner(op, struct weft_jobs_task, op)->slot_;
    (void)worker_op;
    slot->over = true;
    slot->crew->active--;
    weft__jobs_emit_end(slot, UV_ECANCELED); /* one that was not begun below the task */
    weft__jobs_crew_step(slot->crew);        /* as long as it is there */
    weft__jobs_slot_step(slot);
}

void weft__jobs_slot_lose(struct weft_jobs_slot *slot)
{
    if (slot->lost || slot->over)
        return;
    slot->lost = true;
    slot->crew->worker->stats.lost++;
    weft_cancel(&slot->task->op, UV_ECANCELED);
}

/* ---- signs of life -------------------------------------------------------------------------- */

static void beaten(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_slot *slot = weft_owner(child, struct weft_jobs_slot, beat.op);
    (void)op;
    weft__jobs_call_over(&slot->beat);
    if (child->status == 0 && weft__jobs_read_word(slot->beat.command.reply) == JOBS_LATE)
        weft__jobs_slot_lose(slot);
    jobs_call_free(&slot->beat);
    weft__jobs_slot_step(slot);
}

void weft__jobs_slot_beat(struct weft_jobs_slot *slot)
{
    if (slot->beat.busy || slot->settled || slot->lost || slot->crew->deaf)
        return;
    weft__jobs_slot_call(slot, &slot->beat, "beat");
    weft__jobs_call_run(&slot->beat, beaten);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

static struct weft_text put(char **at, struct weft_text text)
{
    char *copy = *at;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    *at += text.size + 1; /* zeroed: a NUL */
    return weft_text(copy, text.size);
}

/* slot, task and what is around it, payload, NUL, checkpoint, NUL */
static struct weft_jobs_slot *make(struct weft_jobs_crew *crew, const struct jobs_delivery *from)
{
    const struct weft_jobs_worker *worker = crew->worker;
    size_t task_size = worker->task_size != 0 ? worker->task_size : sizeof(struct weft_jobs_task);
    size_t head = aligned(sizeof(struct weft_jobs_slot)), size = head + aligned(task_size);
    char *block = weft_calloc(1, size + from->payload.size + from->checkpoint.size + 2);
    if (block == NULL)
        return NULL;
    struct weft_jobs_slot *slot = (struct weft_jobs_slot *)(void *)block;
    char *texts = block + size;
    slot->task = (struct weft_jobs_task *)(void *)(block + head);
    slot->task->payload = put(&texts, from->payload);
    slot->task->checkpoint = put(&texts, from->checkpoint);
    return slot;
}

static void fill(struct weft_jobs_slot *slot, const struct jobs_delivery *from)
{
    struct weft_jobs_task *task = slot->task;
    task->worker = slot->crew->worker;
    task->slot_ = slot;
    task->part = from->part;
    task->attempt = from->attempt;
    task->chunks = from->chunks;
    memcpy(task->job, from->job.data, from->job.size);
    memcpy(slot->entry, from->entry.data, from->entry.size);
    snprintf(slot->attempt, sizeof slot->attempt, "%" PRIu64, from->attempt);
    snprintf(slot->part, sizeof slot->part, "%zu", from->part);
}

int weft__jobs_slot_begin(struct weft_jobs_crew *crew, const struct jobs_delivery *delivery)
{
    struct weft_jobs_slot *slot = make(crew, delivery);
    if (slot == NULL)
        return UV_ENOMEM;
    slot->crew = crew;
    fill(slot, delivery);
    slot->next = crew->slots;
    slot->link = &crew->slots;
    if (slot->next != NULL)
        slot->next->link = &slot->next;
    crew->slots = slot;
    crew->count++;
    crew->active++;
    crew->worker->running = crew->count;
    crew->worker->stats.taken++;
    weft_run_at(WEFT_HERE("jobs_task", WEFT_QUEUE), &crew->worker->op, &slot->task->op,
                crew->worker->begin, task_over);
    return 0;
}
