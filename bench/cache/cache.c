/* What a cache finds, and how fast.
 * links: m
 *
 *     cache trace zipf|zipf-8|scan|loop FILE   write a million keys, as numbers of 32 bits
 *     cache hits s3fifo|lru FILE               the part of them that is found
 *     cache set s3fifo|lru FILE                gets a second; what is not found is set
 *     cache get s3fifo|lru FILE                gets a second alone, of a cache that is full
 *     cache fresh-set, cache fresh-get         the same with keys that are pieces of what was received
 *     cache async s3fifo|lru FILE              the same by weft_cache_get, 16 at once, loads at once
 *     cache once COUNT                         as many looks that find, for counting instructions
 *
 * A key is "key:0012345", a value 32 bytes; 10,000 entries fit. All gets but the async ones are
 * weft_cache_look. The best of some rounds counts. */
#include "../bench.h"
#include <math.h>
#include <string.h>
#include <weft/cache.h>

enum { TRACE = 1000000, KEYS = 100000, ENTRIES = 10000, KEY_SIZE = 11, VALUE_SIZE = 32 };
enum { ALL_KEYS = KEYS + TRACE, AT_ONCE = 16 };

static uint32_t trace[TRACE];
static char (*names)[KEY_SIZE + 1];
static char *received; /* the keys of the trace, one behind the other; NULL: names are asked for */
static const char value[VALUE_SIZE + 1] = "a value of thirty-two bytes: 012";
static uv_loop_t uv;
static struct weft_loop loop;
static struct weft_cache cache;

/* ---- traces --------------------------------------------------------------------------------- */

static uint64_t state = 88172645463325252U;

static double draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double sums[KEYS]; /* how likely a key is, those before it included */

static void prepare_zipf(double exponent)
{
    double sum = 0;
    for (int i = 0; i < KEYS; i++)
        sums[i] = sum += 1 / pow(i + 1, exponent);
    for (int i = 0; i < KEYS; i++)
        sums[i] /= sum;
}

static uint32_t draw_zipf(void)
{
    double wanted = draw();
    uint32_t low = 0, high = KEYS - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sums[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Zipf, and after each 10,000 of that 10,000 keys that are asked for once. */
static uint32_t draw_scan(uint32_t at, uint32_t *next)
{
    return at / ENTRIES % 2 == 0 ? draw_zipf() : (*next)++;
}

static void make_trace(const char *kind, const char *file)
{
    uint32_t next = KEYS;
    prepare_zipf(strcmp(kind, "zipf-8") == 0 ? 0.8 : 0.99);
    for (uint32_t i = 0; i < TRACE; i++) {
        if (strcmp(kind, "loop") == 0)
            trace[i] = i % (ENTRIES + ENTRIES / 2); /* half as many again as fit */
        else
            trace[i] = strcmp(kind, "scan") == 0 ? draw_scan(i, &next) : draw_zipf();
    }
    FILE *out = fopen(file, "wb");
    bench_check(out != NULL && fwrite(trace, sizeof *trace, TRACE, out) == TRACE, "no trace");
    bench_check(fclose(out) == 0, "no trace");
}

static void read_trace(const char *file)
{
    FILE *in = fopen(file, "rb");
    bench_check(in != NULL && fread(trace, sizeof *trace, TRACE, in) == TRACE, "no trace");
    fclose(in);
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void make_names(void)
{
    names = malloc(ALL_KEYS * sizeof *names);
    bench_check(names != NULL, "no memory");
    for (int i = 0; i < ALL_KEYS; i++)
        snprintf(names[i], sizeof names[i], "key:%07d", i);
}

static struct weft_text name_of(uint32_t number)
{
    return weft_text(names[number], KEY_SIZE);
}

static struct weft_text key_at(size_t at)
{
    return received != NULL ? weft_text(received + at * KEY_SIZE, KEY_SIZE) : name_of(trace[at]);
}

static void receive(void)
{
    received = malloc((size_t)TRACE * KEY_SIZE);
    bench_check(received != NULL, "no memory");
    for (size_t i = 0; i < TRACE; i++)
        memcpy(received + i * KEY_SIZE, names[trace[i]], KEY_SIZE);
}

static void load(struct weft_op *op)
{
    weft_flight_answer(weft_owner(op, struct weft_flight, promise.op), value, VALUE_SIZE);
}

static void open_cache(enum weft_cache_policy policy)
{
    cache = (struct weft_cache){.owner = weft_root(&loop),
                                .load = load,
                                .policy = policy,
                                .bytes_limit = ENTRIES * weft_cache_cost(KEY_SIZE, VALUE_SIZE)};
    bench_check(weft_cache_open(&cache) == 0, "no cache");
}

static void close_cache(void)
{
    bench_check(weft_cache_close(&cache) == 0, "the cache is busy");
}

static uint64_t look_and_put(size_t count)
{
    uint64_t begin = uv_hrtime();
    for (size_t i = 0; i < count; i++) {
        struct weft_text found, name = key_at(i);
        if (!weft_cache_look(&cache, name, &found))
            weft_cache_put(&cache, name, value, VALUE_SIZE, 0);
    }
    uint64_t took = uv_hrtime() - begin;
    bench_check(cache.stats.hits + cache.stats.misses == count, "not all were asked for");
    bench_check(cache.entries == ENTRIES, "the cache is not full");
    return took;
}

static uint64_t look(size_t count)
{
    size_t bytes = 0;
    uint64_t begin = uv_hrtime(), hits = cache.stats.hits;
    for (size_t i = 0; i < count; i++) {
        struct weft_text found;
        if (weft_cache_look(&cache, key_at(i), &found))
            bytes += found.size;
    }
    uint64_t took = uv_hrtime() - begin;
    bench_check(bytes == (cache.stats.hits - hits) * VALUE_SIZE, "a value is wrong");
    return took;
}

/* ---- asking --------------------------------------------------------------------------------- */

static struct weft_cache_get gets[AT_ONCE];
static size_t asked, wanted;

static void ask(struct weft_cache_get *get);

static void there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct weft_cache_get *get = weft_owner(op, struct weft_cache_get, await.op);
    bench_check(op->status == 0 && get->value.size == VALUE_SIZE, "a value is wrong");
    if (asked < wanted)
        ask(get);
}

static void ask(struct weft_cache_get *get)
{
    weft_cache_get(weft_root(&loop), get, &cache, name_of(trace[asked++]), there);
}

static uint64_t get_async(size_t count)
{
    uint64_t begin = uv_hrtime();
    asked = 0;
    wanted = count;
    for (int i = 0; i < AT_ONCE; i++)
        ask(&gets[i]);
    bench_check(weft_loop_run(&loop) == 0, "the loop is stuck");
    return uv_hrtime() - begin;
}

/* ---- main ----------------------------------------------------------------------------------- */

static void print_rate(uint64_t ns)
{
    printf("%.0f\n", TRACE * 1e9 / (double)ns);
}

static void measure(const char *how, enum weft_cache_policy policy)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        open_cache(policy);
        uint64_t ns = look_and_put(TRACE);
        if (strcmp(how, "get") == 0 || strcmp(how, "fresh-get") == 0)
            ns = look(TRACE);
        else if (strcmp(how, "async") == 0)
            ns = get_async(TRACE);
        close_cache();
        best = ns < best ? ns : best;
    }
    print_rate(best);
}

static void print_hits(enum weft_cache_policy policy)
{
    open_cache(policy);
    look_and_put(TRACE);
    printf("%.4f\n", (double)cache.stats.hits / TRACE);
    close_cache();
}

static void look_often(size_t count)
{
    open_cache(WEFT_S3FIFO);
    weft_cache_put(&cache, name_of(7), value, VALUE_SIZE, 0);
    for (size_t i = 0; i < count; i++)
        bench_check(weft_cache_look(&cache, name_of(7), &(struct weft_text){0}), "not found");
    close_cache();
}

int main(int argc, char **argv)
{
    bench_check(argc == 3 || argc == 4, "usage: cache WHAT KIND FILE");
    if (strcmp(argv[1], "trace") == 0) {
        make_trace(argv[2], argv[3]);
        return 0;
    }
    make_names();
    bench_check(uv_loop_init(&uv) == 0 && weft_loop_init(&loop, &uv) == 0, "no loop");
    if (argc == 3) {
        look_often(strtoul(argv[2], NULL, 10));
        return 0;
    }
    enum weft_cache_policy policy = strcmp(argv[2], "lru") == 0 ? WEFT_LRU : WEFT_S3FIFO;
    read_trace(argv[3]);
    if (strncmp(argv[1], "fresh", 5) == 0)
        receive();
    if (strcmp(argv[1], "hits") == 0)
        print_hits(policy);
    else
        measure(argv[1], policy);
    free(received);
    free(names);
    return 0;
}
