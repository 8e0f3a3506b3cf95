/* The cache against a plain model of it, under thousands of seeded schedules.
 *
 * The model has one entry a key, and for each load whether it was forgotten, who waits for it and what it
 * came to. It is told when a load is about to be over, and compares itself with the table after every
 * step. In three kinds of schedules:
 *   - nothing expires, and LRU is full all the time: what gives way is known exactly;
 *   - all expires, and nothing gives way: what is there until when is known exactly;
 *   - both, with either policy: what has given way is seen, all else is known.
 * ctest: labels=model timeout=120 shuffle=no */
#include "cache_kit.h"
#include "flow/promise.h"

enum { SCHEDULES = 6000, ACTIONS = 80, KEYS = 6, FLIGHTS = 512 };
enum kind { FULL, TIMED, BOTH };

static struct dice dice;
static enum kind kind;
static const char *const names[KEYS] = {"a", "ab", "abc",
                                        "b", "",   "a key of more than sixteen bytes"};

/* What the cache should have for a key. */
static struct entry {
    bool there;
    int status;
    unsigned version;
    uint64_t fresh_until, gone;
    size_t cost;
    uint64_t used; /* the later, the larger */
} entries[KEYS];

/* What is known of a load. */
static struct flown {
    struct loading *loading; /* NULL: it is over */
    int key;
    bool keep, forgotten, silent;      /* silent: forgets to answer */
    unsigned waiters, version, answer; /* answer: the version that those who wait get */
    size_t size;
    uint64_t ttl_ms;
    int status;
} flights[FLIGHTS];
static size_t flight_count;

static struct who {
    struct weft_cache_get get;
    bool open;
    struct flown *waits; /* for this one, or gets: */
    int status;
    unsigned version;
} people[8];
enum { PEOPLE = 8 };

static struct weft_cache_stats expected;
static unsigned versions;
static uint64_t uses;

static uint64_t now(void)
{
    return weft_now(&w.loop);
}

/* ---- values: "version" and dots ---------------------------------------------------------------- */

static size_t write_value(char *value, unsigned version, size_t size)
{
    memset(value, '.', size);
    int digits = snprintf(value, 12, "%u", version);
    value[digits] = '.';
    return size;
}

static unsigned version_in(struct weft_text value)
{
    return (unsigned)strtoul(value.data, NULL, 10);
}

static size_t draw_size(void)
{
    return 12 + (size_t)roll(&dice, chance(&dice, 8) ? 1000 : 60);
}

/* ---- the model's cache ------------------------------------------------------------------------ */

static struct entry *usable(int which)
{
    struct entry *entry = &entries[which];
    if (entry->there && now() >= entry->gone && entry->gone != WEFT_CACHE_FOREVER)
        entry->there = false;
    return entry->there ? entry : NULL;
}

static void use(struct entry *entry)
{
    entry->used = ++uses;
}

static size_t bytes_without(int which)
{
    size_t bytes = 0;
    for (int i = 0; i < KEYS; i++)
        bytes += entries[i].there && i != which ? entries[i].cost : 0;
    return bytes;
}

/* Exactly LRU; elsewhere nothing has to give way, or what does is seen in the table. */
static void give_way(int which, size_t cost)
{
    while (kind == FULL && bytes_without(which) + cost > cache.bytes_limit) {
        struct entry *oldest = NULL;
        for (int i = 0; i < KEYS; i++) {
            if (entries[i].there && i != which && (!oldest || entries[i].used < oldest->used))
                oldest = &entries[i];
        }
        oldest->there = false;
        expected.evicted++;
    }
}

static uint64_t later(uint64_t at, uint64_t ms)
{
    return ms < WEFT_CACHE_FOREVER - at ? at + ms : WEFT_CACHE_FOREVER;
}

static bool store(int which, struct entry new, uint64_t ttl_ms)
{
    struct entry *entry = usable(which);
    if (new.cost > cache.bytes_limit) {
        expected.forgotten += entry != NULL;
        entries[which].there = false;
        return false;
    }
    expected.stored++;
    expected.replaced += entry != NULL;
    give_way(which, new.cost);
    new.there = true;
    uint64_t end =
        ttl_ms == 0 || ttl_ms == WEFT_CACHE_FOREVER ? WEFT_CACHE_FOREVER : later(now(), ttl_ms);
    uint64_t extra =
        cache.stale_ms > cache.stale_if_error_ms ? cache.stale_ms : cache.stale_if_error_ms;
    new.fresh_until = new.status != 0 ? 0 : end;
    new.gone = new.status != 0 ? end : later(end, extra);
    use(&new);
    entries[which] = new;
    return true;
}

/* ---- the table, compared ---------------------------------------------------------------------- */

static void compare_key(int which)
{
    struct entry *entry = &entries[which];
    struct weft_text name = weft_text_of(names[which]);
    uint64_t hash = hash_key(name, cache.inside_->seed);
    const struct weft_cell *cell = weft__table_find(&cache.inside_->table, name, hash);
    if (cell == NULL) {
        agree(!entry->there || kind == BOTH || now() >= entry->gone);
        entry->there = false;
        return;
    }
    agree(entry->there || now() >= cell->gone_ms);
    if (!entry->there)
        return; /* its time has passed, and nobody has looked for it since */
    agree(cell->status == entry->status);
    agree(cell->status != 0 || version_in(weft_cell_value(cell)) == entry->version);
    agree(cell->fresh_until_ms == entry->fresh_until && cell->gone_ms == entry->gone);
}

static void compare(void)
{
    const struct weft_cache_stats *stats = &cache.stats;
    agree(cache_adds_up(&cache));
    agree(stats->hits == expected.hits && stats->stale == expected.stale);
    agree(stats->misses == expected.misses && stats->joined == expected.joined);
    agree(stats->failed == expected.failed && stats->loads == expected.loads);
    agree(stats->refreshes == expected.refreshes && stats->errors == expected.errors);
    agree(stats->rescued == expected.rescued && stats->discarded == expected.discarded);
    agree(stats->stored == expected.stored && stats->forgotten == expected.forgotten);
    agree(kind == BOTH || stats->replaced == expected.replaced);
    agree(kind == BOTH || stats->evicted == expected.evicted);
    for (int i = 0; i < KEYS; i++)
        compare_key(i);
}

/* ---- loads ---------------------------------------------------------------------------------- */

static size_t running(void)
{
    size_t count = 0;
    for (size_t i = 0; i < flight_count; i++)
        count += flights[i].loading != NULL;
    return count;
}

static struct flown *joinable(int which)
{
    for (size_t i = 0; i < flight_count; i++) {
        struct flown *flown = &flights[i];
        if (flown->loading != NULL && flown->key == which && !flown->forgotten &&
            !promise_cancelled(&flown->loading->flight.promise))
            return flown;
    }
    return NULL;
}

static int key_of(struct weft_text name)
{
    int which = 0;
    while (which < KEYS && !weft_text_is(name, names[which]))
        which++;
    agree(which < KEYS);
    return which;
}

static void model_job_over(struct weft_op *op, struct weft_op *job)
{
    struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    const struct flown *flown = &flights[loading->number];
    char value[2000];
    if (job->status != 0)
        weft_end(op, job->status);
    else if (flown->silent)
        weft_finish(op, 0);
    else
        weft_flight_answer(&loading->flight, value,
                           write_value(value, flown->version, flown->size));
}

static void model_load(struct weft_op *op)
{
    struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    agree(flight_count < FLIGHTS);
    struct flown *flown = &flights[flight_count];
    *flown = (struct flown){.loading = loading,
                            .key = key_of(loading->flight.key),
                            .keep = loading->flight.promise.keep,
                            .version = ++versions,
                            .size = draw_size(),
                            .silent = chance(&dice, 8)};
    loading->number = (unsigned)flight_count++;
    flown->ttl_ms = kind != FULL && chance(&dice, 4) ? 1 + roll(&dice, 20) : 0;
    loading->flight.ttl_ms = flown->ttl_ms;
    static const int statuses[] = {0, 0, 0, UV_EIO};
    loading->job = (struct job){.ms = chance(&dice, 3)   ? 0
                                      : chance(&dice, 8) ? BY_HAND
                                                         : roll(&dice, 8),
                                .linger_ms = chance(&dice, 3) ? roll(&dice, 5) : 0,
                                .status = statuses[roll(&dice, 4)]};
    weft_run(op, &loading->job.op, job_begin, model_job_over);
}

/* An error is about to be told. */
static void flight_failed(struct flown *flown, const struct weft_promise *promise)
{
    expected.errors++;
    if (flown->forgotten)
        return;
    const struct entry *entry = usable(flown->key);
    bool unwanted = promise_cancelled(promise) && promise->op.reason_ != UV_ETIMEDOUT;
    if (entry != NULL && entry->status == 0) {
        if (flown->waiters == 0)
            return;
        expected.rescued++;
        flown->status = 0;
        flown->answer = entry->version;
    } else if (cache.error_ttl_ms != 0 && !unwanted && joinable(flown->key) == NULL) {
        store(flown->key,
              (struct entry){.status = flown->status,
                             .cost = weft_cache_cost(strlen(names[flown->key]), 0)},
              cache.error_ttl_ms);
    }
}

/* The loop will deliver the end of a load: so the cache does as this does. */
static void flight_over(struct flown *flown)
{
    const struct weft_promise *promise = &flown->loading->flight.promise;
    flown->loading = NULL;
    flown->status = promise->op.status;
    if (flown->status == 0 && flown->silent)
        flown->status = promise_cancelled(promise) ? promise->op.reason_ : WEFT_ENOANSWER;
    flown->answer = flown->version;
    if (flown->status != 0)
        flight_failed(flown, promise);
    else if (flown->forgotten || promise_cancelled(promise))
        expected.discarded++;
    else
        expected.discarded +=
            !store(flown->key,
                   (struct entry){.version = flown->version,
                                  .cost = weft_cache_cost(strlen(names[flown->key]), flown->size)},
                   flown->ttl_ms != 0 ? flown->ttl_ms : cache.ttl_ms);
}

static bool step(void)
{
    const struct weft_op *next = w.loop.ready_;
    for (size_t i = 0; next != NULL && next->state_ == OP_READY && i < flight_count; i++) {
        if (flights[i].loading != NULL && next == &flights[i].loading->flight.promise.op)
            flight_over(&flights[i]);
    }
    model_tell_next(&w);
    if (!weft_sim_step(&w.sim))
        return false;
    schedule.steps++;
    compare();
    agree(schedule.steps < 100000);
    return true;
}

/* ---- people --------------------------------------------------------------------------------- */

static void person_told(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct who *who = weft_owner(op, struct who, get.await.op);
    agree(who->open);
    who->open = false;
    if (who->waits != NULL) {
        agree(who->waits->loading == NULL);
        who->status = who->waits->status;
        who->version = who->waits->answer;
    }
    agree(op->status == who->status);
    agree(op->status != 0 || version_in(who->get.value) == who->version);
    agree((op->status == 0) == (who->get.cell != NULL));
}

static void gets(struct who *who, const struct entry *entry)
{
    who->waits = NULL;
    who->status = entry->status;
    who->version = entry->version;
}

/* What get should do; true: a load is begun. */
static bool expect_get(struct who *who, int which)
{
    struct entry *entry = usable(which);
    bool can_load = running() < cache.loads_limit;
    uint64_t is = now();
    if (entry != NULL)
        use(entry);
    if (entry != NULL && entry->status != 0) {
        expected.failed++;
        gets(who, entry);
        return false;
    }
    if (entry != NULL && is < later(entry->fresh_until, cache.stale_ms)) {
        bool fresh = is < entry->fresh_until;
        bool old = !fresh || (entry->fresh_until != WEFT_CACHE_FOREVER &&
                              entry->fresh_until - is <= cache.ahead_ms);
        expected.hits += fresh;
        expected.stale += !fresh;
        gets(who, entry);
        bool refreshed = old && can_load && joinable(which) == NULL;
        expected.loads += refreshed;
        expected.refreshes += refreshed;
        return refreshed;
    }
    if ((who->waits = joinable(which)) != NULL) {
        who->waits->waiters++;
        expected.joined++;
        return false;
    }
    expected.misses += can_load;
    expected.loads += can_load;
    expected.stale += !can_load && entry != NULL;
    expected.failed += !can_load && entry == NULL;
    if (!can_load)
        gets(who, entry != NULL ? entry : &(struct entry){.status = UV_ENOBUFS});
    else
        who->waits = &flights[flight_count];
    return can_load;
}

static void get(struct who *who, int which)
{
    if (who->open)
        return;
    size_t before = flight_count;
    bool loads = expect_get(who, which);
    model_tell("get %s", names[which]);
    who->open = true;
    weft_cache_get(weft_root(&w.loop), &who->get, &cache, weft_text_of(names[which]), person_told);
    agree(flight_count == before + loads);
    if (loads && who->waits == &flights[before])
        who->waits->waiters++;
    agree(!loads || flights[before].keep == (who->waits != &flights[before]));
}

static void leave_cache(struct who *who)
{
    struct flown *flown = who->waits;
    if (!who->open)
        return;
    model_tell("cancel");
    if (flown != NULL && flown->loading != NULL) {
        flown->waiters--;
        who->waits = NULL;
        who->status = UV_EINTR;
    }
    weft_cancel(&who->get.await.op, UV_EINTR);
    if (flown != NULL && flown->loading != NULL && flown->waiters == 0 && !flown->keep) {
        const struct weft_op *load = &flown->loading->flight.promise.op;
        agree(load->state_ != OP_RUNNING || load->flags_ & OP_REFUSE);
    }
}

/* ---- the rest of what can be done ------------------------------------------------------------ */

static void forget_flights(int which)
{
    for (size_t i = 0; i < flight_count; i++) {
        if (flights[i].loading != NULL && flights[i].key == which)
            flights[i].forgotten = true;
    }
}

static void look(int which)
{
    struct entry *entry = usable(which);
    bool fresh = entry != NULL && entry->status == 0 && now() < entry->fresh_until;
    expected.hits += fresh;
    expected.misses += !fresh;
    if (fresh)
        use(entry);
    struct weft_text value;
    model_tell("look %s", names[which]);
    agree(weft_cache_look(&cache, weft_text_of(names[which]), &value) == fresh);
    agree(!fresh || version_in(value) == entry->version);
}

static void put_value(int which)
{
    char value[2000];
    struct weft_text name = weft_text_of(names[which]);
    size_t size = draw_size();
    uint64_t ttl_ms = kind != FULL && chance(&dice, 3) ? 1 + roll(&dice, 20) : 0;
    unsigned version = ++versions;
    forget_flights(which);
    bool fits =
        store(which, (struct entry){.version = version, .cost = weft_cache_cost(name.size, size)},
              ttl_ms != 0 ? ttl_ms : cache.ttl_ms);
    model_tell("put %s", names[which]);
    agree(weft_cache_put(&cache, name, value, write_value(value, version, size), ttl_ms) ==
          (fits ? 0 : UV_EFBIG));
}

static size_t forget_if(bool (*is)(int which, int what), int what)
{
    size_t count = 0;
    for (int i = 0; i < KEYS; i++) {
        if (!is(i, what))
            continue;
        forget_flights(i);
        count += usable(i) != NULL;
        entries[i].there = false;
    }
    expected.forgotten += count;
    return count;
}

static bool is_key(int which, int what)
{
    return which == what;
}

static bool begins_with(int which, int what)
{
    return strncmp(names[which], names[what], strlen(names[what])) == 0;
}

static void finish_by_hand(void)
{
    for (size_t i = 0; i < flight_count; i++) {
        struct loading *loading = flights[i].loading;
        if (loading == NULL || loading->job.ms != BY_HAND || loading->job.op.state_ != OP_RUNNING ||
            weft_cancelled(&loading->job.op) != 0)
            continue;
        jobs.running--;
        weft_finish(&loading->job.op, loading->job.status);
        return;
    }
}

static void act(void)
{
    int which = (int)roll(&dice, KEYS);
    struct who *who = &people[roll(&dice, PEOPLE)];
    switch (roll(&dice, 16)) {
    case 0:
        put_value(which);
        break;
    case 1:
        if (chance(&dice, 2))
            agree(weft_cache_forget(&cache, weft_text_of(names[which])) ==
                  forget_if(is_key, which));
        break;
    case 2:
        if (chance(&dice, 4))
            agree(weft_cache_forget_prefix(&cache, weft_text_of(names[which])) ==
                  forget_if(begins_with, which));
        break;
    case 3:
    case 4:
        look(which);
        break;
    case 5:
    case 6:
        leave_cache(who);
        break;
    case 7:
        finish_by_hand();
        break;
    case 8:
    case 9:
    case 10:
        for (uint64_t steps = roll(&dice, 12); steps > 0 && step(); steps--)
            ;
        break;
    default:
        get(who, which);
    }
    compare();
}

/* ---- schedules ------------------------------------------------------------------------------ */

static void draw_cache(void)
{
    kind = (enum kind)roll(&dice, 3);
    cache = (struct weft_cache){.owner = &owner,
                                .load = model_load,
                                .flight_size = WEFT_FLIGHT(struct loading, flight),
                                .loads_limit = 1 + (size_t)roll(&dice, 6)};
    cache.policy = kind == FULL || chance(&dice, 2) ? WEFT_LRU : WEFT_S3FIFO;
    cache.load_ms = chance(&dice, 3) ? 1 + roll(&dice, 8) : 0;
    if (kind != TIMED)
        cache.bytes_limit = 100 + (size_t)roll(&dice, 1200);
    if (kind == FULL) {
        cache.error_ttl_ms = chance(&dice, 2) ? WEFT_CACHE_FOREVER : 0;
        return;
    }
    cache.ttl_ms = chance(&dice, 6) ? 0 : 1 + roll(&dice, 15);
    cache.stale_ms = chance(&dice, 2) ? roll(&dice, 10) : 0;
    cache.stale_if_error_ms = chance(&dice, 2) ? roll(&dice, 20) : 0;
    cache.ahead_ms = chance(&dice, 3) ? roll(&dice, 5) : 0;
    cache.error_ttl_ms = chance(&dice, 2) ? 1 + roll(&dice, 10) : 0;
}

static void end_all(void)
{
    for (int i = 0; i < PEOPLE; i++)
        leave_cache(&people[i]);
    while (running() > 0 || w.loop.ready_ != NULL) {
        finish_by_hand();
        agree(step());
    }
    for (int i = 0; i < PEOPLE; i++)
        agree(!people[i].open);
}

static void one_schedule(uint64_t seed)
{
    model_begin("cache", seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    memset(entries, 0, sizeof entries);
    memset(people, 0, sizeof people);
    memset(&owner, 0, sizeof owner);
    expected = (struct weft_cache_stats){0};
    flight_count = 0;
    versions = 0;
    uses = 0;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    weft_run(weft_root(&w.loop), &owner, NULL, weft_ignore);
    draw_cache();
    assert_int_equal(weft_cache_open(&cache), 0);
    for (int i = 0; i < ACTIONS; i++)
        act();
    end_all();
    assert_int_equal(weft_cache_close(&cache), 0);
    weft_end(&owner, 0);
    while (weft_sim_step(&w.sim))
        ;
    agree(jobs.running == 0 && w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(a_cache_does_what_its_model_does)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
