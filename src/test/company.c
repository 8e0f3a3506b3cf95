/* A provider among others: in a queue, as a slot, in a retry, in a race, within a timeout. */
#include "stage.h"
#include "weft/flow.h"
#include "weft/queue.h"
#include <stdlib.h>

enum { CROWD = 5 };

static bool alone(void)
{
    return at.provider->flags & WEFT_PROVIDER_ALONE;
}

static void runs_in_a_queue(void)
{
    open_stage("in a queue");
    struct weft_queue queue;
    require(weft_queue_init(&queue, &at.loop, alone() ? 1 : 2) == 0, "no queue");
    for (int i = 0; i < (alone() ? 1 : CROWD); i++) {
        void *storage = storage_make(at.provider->good);
        weft_queue_push(&queue, &at.loop.root, op_of(storage), begin_watched, run_over);
    }
    require(at.begun == 0, "a push began it");
    drive(alone() ? 1 : CROWD);
    require(queue.stats.failed == 0, "the queue counts a failure");
    while (weft_queue_close(&queue) == UV_EBUSY)
        require(step(), "the queue does not close");
    shut_stage();
}

static bool next_item(struct weft_op *slot)
{
    if (weft_index(slot) == CROWD)
        return false;
    at.provider->good(storage_of(slot));
    return true;
}

static void runs_as_a_slot(void)
{
    open_stage("as a slot of an each");
    size_t count = alone() ? 1 : 2;
    char *slots = calloc(count, at.provider->size);
    require(slots != NULL, "no memory for the suite itself");
    struct weft_each each = {0};
    at.keep = true;
    weft_each(&at.loop.root, &each, weft_slots(op_of(slots), at.provider->size, count), next_item,
              begin_watched, run_over, group_over);
    drive(CROWD + 1);
    require(each.op.status == 0, "the each failed");
    free(slots);
    shut_stage();
}

static void runs_are_cancelled_as_slots(void)
{
    open_stage("as a slot of an each that is cancelled");
    at.nudging = false;
    size_t count = alone() ? 1 : 2;
    char *slots = calloc(count, at.provider->size);
    require(slots != NULL, "no memory for the suite itself");
    struct weft_each each = {0};
    at.keep = true;
    expect(UV_EINTR);
    or_expect(0);
    weft_each(&at.loop.root, &each, weft_slots(op_of(slots), at.provider->size, count), next_item,
              begin_watched, run_over, group_over);
    cancel(&each.op, UV_EINTR);
    drive((unsigned)count + 1);
    require(each.op.status == UV_EINTR, "the each was not cancelled");
    free(slots);
    shut_stage();
}

static void runs_in_a_retry(bool good)
{
    if (!good && at.provider->bad == NULL)
        return;
    open_stage(good ? "in a retry, good" : "in a retry, bad");
    at.nudging = good;
    expect(good ? 0 : at.provider->bad_status);
    void *storage = storage_make(good ? at.provider->good : at.provider->bad);
    struct weft_retry retry = {.discard = discard};
    weft_retry(&at.loop.root, &retry, op_of(storage), begin_watched, 3, 0, group_over);
    drive(1);
    require_status(at.status);
    require(retry.tries == (good ? 1 : 3), "the wrong number of attempts");
    discard(op_of(storage));
    storage_drop(storage);
    shut_stage();
}

static void *runners[2];

static void start_runners(struct weft_op *race)
{
    for (int i = 0; i < 2; i++)
        weft_run(race, op_of(runners[i]), begin_watched, weft_race_first);
}

static void runs_in_a_race(void)
{
    if (alone())
        return;
    open_stage("in a race with itself");
    for (int i = 0; i < 2; i++)
        runners[i] = storage_make(at.provider->good);
    struct weft_race race = {0};
    weft_race(&at.loop.root, &race, start_runners, group_over);
    drive(1);
    require(race.op.status == 0, "nobody has won");
    require(race.winner == op_of(runners[0]) || race.winner == op_of(runners[1]), "no winner");
    for (int i = 0; i < 2; i++) {
        discard(op_of(runners[i]));
        storage_drop(runners[i]);
    }
    shut_stage();
}

static void runs_within_a_timeout(void)
{
    open_stage("within a timeout");
    void *storage = storage_make(at.provider->good);
    struct weft_timeout timeout = {0};
    weft_timeout(&at.loop.root, &timeout, op_of(storage), begin_watched, 3600000, group_over);
    drive(1);
    require(timeout.op.status == 0, "it failed");
    discard(op_of(storage));
    storage_drop(storage);
    shut_stage();
}

void weft__test_company(void)
{
    runs_in_a_queue();
    runs_as_a_slot();
    runs_are_cancelled_as_slots();
    runs_in_a_retry(true);
    runs_in_a_retry(false);
    runs_in_a_race();
    runs_within_a_timeout();
}
