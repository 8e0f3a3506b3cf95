/* weft: asynchronous C made readable, visible and trustworthy.
 *
 * This header brings in the whole of libweft, one room each. Start with weft/op.h: it holds the
 * one idea and the contract. weft/sim.h is for tests and is included by those. */
#ifndef WEFT_H
#define WEFT_H

#include "weft/address.h"
#include "weft/alloc.h"
#include "weft/batch.h"
#include "weft/cache.h"
#include "weft/cargo.h"
#include "weft/context.h"
#include "weft/dir.h"
#include "weft/dns.h"
#include "weft/dump.h"
#include "weft/emitter.h"
#include "weft/error.h"
#include "weft/file.h"
#include "weft/files.h"
#include "weft/flow.h"
#include "weft/hook.h"
#include "weft/lazy.h"
#include "weft/loop.h"
#include "weft/op.h"
#include "weft/post.h"
#include "weft/priority.h"
#include "weft/process.h"
#include "weft/procs.h"
#include "weft/queue.h"
#include "weft/signal.h"
#include "weft/steps.h"
#include "weft/stream.h"
#include "weft/text.h"
#include "weft/threads.h"
#include "weft/timer.h"
#include "weft/trace.h"
#include "weft/version.h"
#include "weft/work.h"
#include "weft/worker.h"

#endif
