/* A provider without memory: each of its allocations fails once, alone and with a cancel. */
#include "stage.h"
#include "weft/fault.h"

/* false: there was no n-th allocation. */
static bool climb(unsigned long n, bool cancelled)
{
    open_stage(cancelled ? "without memory, and cancelled" : "without memory");
    at.step_number = n;
    at.starving = true;
    void *storage = storage_make(at.provider->good);
    weft_fault_fail_at(n);
    or_expect(UV_ENOMEM);
    struct weft_op *op = run(&at.loop.root, storage, begin_watched);
    if (cancelled) {
        or_expect(UV_EINTR);
        cancel(op, UV_EINTR);
    }
    drive(1);
    bool hit = weft_fault_hit();
    require(hit || at.status != UV_ENOMEM, "it failed although there was memory");
    weft_fault_fail_at(0);
    shut_stage();
    return hit;
}

void weft__test_memory(void)
{
    unsigned long height = 0;
    while (climb(height + 1, false))
        height++;
    for (unsigned long n = 1; n <= height; n++)
        climb(n, true);
    at.step_number = 0;
}
