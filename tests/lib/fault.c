/* The counting allocator. Each block has a head that holds its size, so that live bytes are known
 * and a block of somebody else's is recognised. The counters are atomic: the library allocates on
 * the thread pool as well. Which thread takes the n-th allocation is then up to the scheduler, but
 * exactly one does. */
#include "fault.h"
#include "check.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <weft/alloc.h>

struct head {
    alignas(max_align_t) size_t size;
    uint32_t mark;
};

enum { ALIVE = 0x77656674, RELEASED = 0x64656164, NO_LADDER_IS_HIGHER = 100000 };

static atomic_ulong allocations, fail_at, live, live_bytes;
static atomic_bool hit;
static unsigned long height;

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
        print_error("%p is not a live block: %s\n", block,
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

void fault_install(void)
{
    static const struct weft_allocator counting = {
        .alloc = fault_alloc, .resize = fault_resize, .release = fault_release};
    assert_int_equal(weft_set_allocator(&counting), 0);
    atomic_store(&live, 0);
    atomic_store(&live_bytes, 0);
    fault_fail_at(0);
}

void fault_remove(void)
{
    assert_int_equal(fault_live(), 0);
    assert_int_equal(weft_set_allocator(NULL), 0);
}

void fault_fail_at(unsigned long n)
{
    atomic_store(&allocations, 0);
    atomic_store(&hit, false);
    atomic_store(&fail_at, n);
}

bool fault_hit(void)
{
    return atomic_load(&hit);
}

unsigned long fault_allocations(void)
{
    return atomic_load(&allocations);
}

unsigned long fault_live(void)
{
    return atomic_load(&live);
}

unsigned long fault_live_bytes(void)
{
    return atomic_load(&live_bytes);
}

unsigned long fault_ladder_height(void)
{
    return height;
}

void fault_ladder_at(const char *file, int line, const char *name, fault_scenario_fn *scenario)
{
    fault_install();
    for (unsigned long n = 1;; n++) {
        fault_fail_at(n);
        scenario(n);
        if (fault_live() != 0 || n == NO_LADDER_IS_HIGHER) {
            print_error("%s with allocation %lu failed: %lu blocks, %lu bytes are left\n", name, n,
                        fault_live(), fault_live_bytes());
            _fail(file, line);
        }
        if (!fault_hit()) {
            height = n - 1;
            break;
        }
    }
    fault_fail_at(0);
    fault_remove();
}
