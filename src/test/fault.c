/* The counting allocator. Each block has a head that holds its size, so that live bytes are known
 * and a block of somebody else's is recognised. The counters are atomic: the library allocates on
 * the thread pool as well. Which thread takes the n-th allocation is then up to the scheduler, but
 * exactly one does. */
#include "weft/fault.h"
#include "weft/alloc.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct head {
    alignas(max_align_t) size_t size;
    uint32_t mark;
};

enum { ALIVE = 0x77656674, RELEASED = 0x64656164 };

static atomic_ulong allocations, fail_at, live, live_bytes;
static atomic_bool hit;

/* Counts an allocation; true: it is the one to fail. */
static bool fails(void)
{
    unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
    if (number != atomic_load(&fail_at))
        return false;
    atomic_store(&hit, true);
    return true;
}

static struct head *head_of(void *block)
{
    struct head *head = (struct head *)block - 1;
    if (head->mark != ALIVE) {
        fprintf(stderr, "weft: %p is not a live block: %s\n", block,
                head->mark == RELEASED ? "released twice" : "from another allocator");
        abort();
    }
    return head;
}

static void *fault_alloc(size_t size, void *context)
{
    (void)context;
    if (fails() || size > SIZE_MAX - sizeof(struct head))
        return NULL;
    struct head *head = malloc(sizeof *head + size);
    if (head == NULL)
        return NULL;
    head->size = size;
    head->mark = ALIVE;
    atomic_fetch_add(&live, 1);
    atomic_fetch_add(&live_bytes, size);
    return head + 1;
}

static void fault_release(void *block, void *context)
{
    (void)context;
    if (block == NULL)
        return;
    struct head *head = head_of(block);
    atomic_fetch_sub(&live, 1);
    atomic_fetch_sub(&live_bytes, head->size);
    /* volatile: the compiler drops a plain store that is followed by free. */
    *(volatile uint32_t *)&head->mark = RELEASED;
    free(head);
}

static void *fault_resize(void *block, size_t size, void *context)
{
    if (block == NULL)
        return fault_alloc(size, context);
    if (fails() || size > SIZE_MAX - sizeof(struct head))
        return NULL;
    struct head *head = head_of(block);
    size_t before = head->size;
    head = realloc(head, sizeof *head + size);
    if (head == NULL)
        return NULL;
    head->size = size;
    atomic_fetch_add(&live_bytes, size - before); /* modulo 2^n: also right when it shrinks */
    return head + 1;
}

void weft_fault_install(void)
{
    static const struct weft_allocator counting = {
        .alloc = fault_alloc, .resize = fault_resize, .release = fault_release};
    weft_set_allocator(&counting);
    atomic_store(&live, 0);
    atomic_store(&live_bytes, 0);
    weft_fault_fail_at(0);
}

void weft_fault_remove(void)
{
    weft_set_allocator(NULL);
}

void weft_fault_fail_at(unsigned long n)
{
    atomic_store(&allocations, 0);
    atomic_store(&hit, false);
    atomic_store(&fail_at, n);
}

bool weft_fault_hit(void)
{
    return atomic_load(&hit);
}

unsigned long weft_fault_allocations(void)
{
    return atomic_load(&allocations);
}

unsigned long weft_fault_live(void)
{
    return atomic_load(&live);
}

unsigned long weft_fault_live_bytes(void)
{
    return atomic_load(&live_bytes);
}
