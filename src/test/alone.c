/* A provider by itself: it succeeds, fails, is given nothing. */
#include "stage.h"

static void succeeds(void)
{
    open_stage("a good run");
    at.synchronous = run_good(&at.loop.root)->state_ == OP_READY;
    drive(1);
    require(at.begun == 1, "begin was not called once");
    shut_stage();
}

static void fails(void)
{
    if (at.provider->bad == NULL)
        return;
    open_stage("a bad run");
    at.nudging = false;
    expect(at.provider->bad_status);
    run(&at.loop.root, storage_make(at.provider->bad), begin_watched);
    drive(1);
    shut_stage();
}

static void fails_and_nobody_listens(void)
{
    if (at.provider->bad == NULL)
        return;
    open_stage("a bad run whose then is NULL");
    at.nudging = false;
    expect(at.provider->bad_status);
    struct weft_op group = {0};
    void *storage = storage_make(at.provider->bad);
    weft_run(&at.loop.root, &group, NULL, group_over);
    weft_run(&group, op_of(storage), begin_watched, NULL);
    drive(1);
    require_status(at.status);
    if (at.provider->release != NULL)
        at.provider->release(storage);
    storage_drop(storage);
    shut_stage();
}

static void is_given_nothing(void)
{
    open_stage("a run that is given nothing");
    at.nudging = false;
    expect(at.provider->nothing_status);
    /* Inputs that are all zero are no good run even if it says 0: nothing to verify. */
    void *storage = storage_make(NULL);
    at.calling++;
    weft_run(&at.loop.root, op_of(storage), begin_watched, group_over);
    at.calling--;
    require(at.over == 0, "then was called synchronously");
    drive(1);
    require_status(at.status);
    if (at.provider->release != NULL)
        at.provider->release(storage);
    storage_drop(storage);
    shut_stage();
}

void weft__test_alone(void)
{
    succeeds();
    fails();
    fails_and_nobody_listens();
    is_given_nothing();
}
