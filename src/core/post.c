/* Posts: a stack that any thread pushes on and the loop takes whole.
 *
 * Taking it all at once and turning it over gives back the order of sending, and leaves no room for
 * the troubles of popping single elements from a shared stack. loop_ doubles as the mark that a
 * post may be sent: weft_post clears it, so that a second send is caught. */
#include "handles.h"
#include "op.h"

void weft__post_expect(struct weft_loop *loop, struct weft_post *post, weft_post_fn *fn)
{
    RULE_THREAD(loop, &loop->root);
    post->loop_ = loop;
    post->fn_ = fn;
    post->id_ = 0;
    if (loop->expected_++ == 0)
        uv_ref((uv_handle_t *)&loop->handles_->posts);
}

void weft_post_init_at(const struct weft_site *site, struct weft_loop *loop, struct weft_post *post,
                       weft_post_fn *fn)
{
    RULE(4, fn != NULL, &loop->root, "a post was prepared with nothing to call");
    weft__post_expect(loop, post, fn);
    compact_open(loop, site, &post->id_, post);
}

static void expect_one_less(struct weft_loop *loop)
{
    if (--loop->expected_ == 0)
        uv_unref((uv_handle_t *)&loop->handles_->posts);
}

void weft__post_withdraw(struct weft_post *post)
{
    expect_one_less(post->loop_);
    post->loop_ = NULL;
}

void weft_post(struct weft_post *post)
{
    struct weft_loop *loop = post->loop_;
    RULE(7, loop != NULL, NULL, "a post was sent twice, or before weft_post_init");
    post->loop_ = NULL;
    struct weft_handles *handles = loop->handles_;
    atomic_fetch_add_explicit(&handles->senders, 1, memory_order_relaxed);
    struct weft_post *top = atomic_load_explicit(&handles->posted, memory_order_relaxed);
    do {
        post->next_ = top;
    } while (!atomic_compare_exchange_weak_explicit(&handles->posted, &top, post,
                                                    memory_order_release, memory_order_relaxed));
    uv_async_send(&handles->posts);
    atomic_fetch_sub_explicit(&handles->senders, 1, memory_order_release);
}

/* A post may arrive because another one woke the loop up, while its sender is still about to. */
void weft__posts_settle(struct weft_handles *handles)
{
    while (atomic_load_explicit(&handles->senders, memory_order_acquire) != 0)
        uv_sleep(0);
}

static void call(struct weft_loop *loop, struct weft_post *post)
{
    struct weft_frame frame;
    if (likely(post->id_ == 0)) {
        current_set(loop, &loop->root);
        post->fn_(post);
        return;
    }
    weft_post_fn *fn = post->fn_;
    weft__compact_enter(&frame, loop, &post->id_, (weft_entry_fn *)fn);
    fn(post);
    weft_leave(&frame);
}

void weft__posts_arrived(uv_async_t *async)
{
    struct weft_handles *handles = async->data;
    struct weft_loop *loop = handles->loop;
    struct weft_post *newest =
        atomic_exchange_explicit(&handles->posted, NULL, memory_order_acquire);
    struct weft_post *oldest = NULL;
    while (newest != NULL) {
        struct weft_post *next = newest->next_;
        newest->next_ = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != NULL) {
        struct weft_post *post = oldest;
        oldest = post->next_;
        expect_one_less(loop);
        struct weft_loop *outer = loop_enter(loop);
        call(loop, post);
        loop_leave(loop, outer);
    }
}
