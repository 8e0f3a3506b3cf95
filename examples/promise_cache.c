/* promise_cache: batching and caching at once, by keeping promises.
 *
 * A promise is awaited by any number of listeners, before and after it has settled, and they are
 * always told on a later turn. So total_sales() keeps the promise for each item and gives it to all
 * who ask: while it is under way that is a batch, afterwards a cache. Half a minute after it has
 * settled it is too old (ttl_ms). One that fails is told to all who await it, and kept no longer: the
 * next one to ask starts again. */
#include <weft.h>
#include <weft/sim.h>

static struct total { /* an entry: a promise, and what it promises */
    struct weft_promise promise;
    struct weft_sleep scan;
    char item[16];
    int sum;
} totals[4];
static const struct question {
    const char *item;
    uint64_t at_ms;
} questions[] = {{"book", 0},   {"book", 50},    {"game", 60},    {"game", 70},
                 {"game", 200}, {"book", 20000}, {"book", 40000}, {"book", 40050}};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };
static struct listener {
    struct weft_sleep before;
    struct weft_await await;
} listeners[QUESTIONS];
static struct weft_op app;
static int scans;

static struct total *total_of(const struct weft_op *entry)
{
    return weft_owner((struct weft_op *)(uintptr_t)entry, struct total, promise.op);
}

static void scanned(struct weft_op *op, struct weft_op *scan)
{
    weft_finish(op, total_of(op)->sum == 200 ? UV_EIO : scan->status); /* the second one fails */
}

static void scan_begin(struct weft_op *op)
{
    total_of(op)->sum = 100 * ++scans;
    weft_sleep(op, &total_of(op)->scan, 100, scanned);
}

static bool is_item(const struct weft_op *entry, const void *item)
{
    return strcmp(total_of(entry)->item, item) == 0;
}

static void take_item(struct weft_op *entry, const void *item)
{
    struct total *total = total_of(entry);
    snprintf(total->item, sizeof total->item, "%s", (const char *)item); /* the asker's may go */
}

static struct weft_memo memo = {.entries = WEFT_SLOTS(totals, promise.op),
                                .owner = &app,
                                .begin = scan_begin,
                                .is = is_item,
                                .take = take_item,
                                .ttl_ms = 30000};

static struct weft_promise *total_sales(const char *item)
{
    return weft_memo_promise(&memo, item, NULL);
}

static void told(struct weft_op *op, struct weft_op *await)
{
    struct listener *listener = weft_owner(await, struct listener, await.op);
    const struct question *question = &questions[listener - listeners];
    (void)op;
    printf("%s, asked for at %5d ms: ", question->item, (int)question->at_ms);
    if (await->status == 0)
        printf("%d\n", total_of(&listener->await.promise->op)->sum);
    else
        printf("%s\n", weft_strerror(await->status));
}

static void ask(struct weft_op *op, struct weft_op *before)
{
    struct listener *listener = weft_owner(before, struct listener, before.op);
    weft_await(op, &listener->await, total_sales(questions[listener - listeners].item), told);
}

static void begin(struct weft_op *op)
{
    for (int i = 0; i < QUESTIONS; i++)
        weft_sleep(op, &listeners[i].before, questions[i].at_ms, ask);
    weft_join(op);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0);
    printf("%d questions, %d scans\n", QUESTIONS, scans);
    return status != 0 || weft_memo_close(&memo) != 0;
}
