/* weft/post.h: the only way from another thread into a loop.
 *
 * The loop's thread prepares a post and says with that what it expects: the loop stays alive until
 * the post has arrived. Any one thread then sends it, once.
 *
 * A post belongs to no op: when it arrives the root is current, and of the context (weft/context.h) of
 * whoever prepared it nothing is there. An op that it finishes has its own, and so has a weft_work; or put
 * weft_enter and weft_leave with your op (weft/hook.h) around what the post's function does. */
#ifndef WEFT_POST_H
#define WEFT_POST_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_post {
    struct weft_post *next_;
    struct weft_loop *loop_;
    void (*fn_)(struct weft_post *post);
    uint64_t id_;
};
typedef void weft_post_fn(struct weft_post *post);

/* On the loop's thread. fn will run there, with the post's storage free to be used again. */
#define weft_post_init(loop, post, fn)                                                             \
    weft_post_init_at(WEFT_HERE("post", WEFT_THREAD), loop, post, fn)
WEFT_API void weft_post_init_at(const struct weft_site *site, struct weft_loop *loop,
                                struct weft_post *post, weft_post_fn *fn);
/* From any thread, once for each init: a second send breaks rule 7. What the sender wrote before
 * is visible to fn. Posts of one thread arrive in the order in which they were sent. */
WEFT_API void weft_post(struct weft_post *post);

#ifdef __cplusplus
}
#endif
#endif
