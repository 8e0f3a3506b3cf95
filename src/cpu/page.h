/* The page: memory that a worker shares with its pool, so that nothing is lost when it dies.
 *
 * Tiny jobs are cheap only if many of them go through one system call. But a worker that gathers
 * its replies and dies would take them with it, and nobody would know which of the jobs that lie in
 * its socket it had begun. So both are kept where the pool can still read them:
 *
 *   begun      the id of the job that was begun last. The worker writes it before it calls its
 *              function. The pool shuts the gate before it kills a worker because of one job: then
 *              nothing more is begun, and the pool knows exactly whom the kill will hit.
 *   gathered   END and ERROR frames, whole ones, that were not sent yet. One that was sent and is still
 *              here is no harm: its job is over, so the second is dropped. The pool also looks here when a
 *              worker is silent for some milliseconds: a long job must not hold back the replies to the
 *              short ones before it.
 *
 * A worker without a page (another language: see docs/workers.md) sends each reply before it takes
 * the next job, and is given one job at a time. */
#ifndef WEFT_CPU_PAGE_H
#define WEFT_CPU_PAGE_H

#include "frames.h"

enum { PAGE_GATHERED = (64 << 10) - 64 };
#define PAGE_SHUT UINT64_MAX

struct page {
    uint64_t begun;    /* atomic */
    uint32_t gathered; /* atomic: bytes of frames */
    uint32_t flushes;  /* atomic: changes when frames are about to be overwritten */
    char reserved[48];
    char frames[PAGE_GATHERED];
};

#endif
