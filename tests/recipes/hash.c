/* The hash of keys: every bit counts, lengths and seeds differ, and nobody can choose keys that collide.
 * The numbers are those of chance: each bound is far from what a good hash has, and the seeds are fixed. */
#include "check.h"
#include "recipes/hash.h"
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static uint64_t draw(void)
{
    random_state += 0x9e3779b97f4a7c15U;
    uint64_t z = random_state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static uint64_t hash_of(const void *data, size_t size, uint64_t seed)
{
    return hash_key(weft_text(data, size), seed);
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static size_t count_equal(uint64_t *hashes, size_t count)
{
    size_t equal = 0;
    qsort(hashes, count, sizeof *hashes, compare);
    for (size_t i = 1; i < count; i++)
        equal += hashes[i] == hashes[i - 1];
    return equal;
}

/* ---- all of a key counts -------------------------------------------------------------------- */

TEST(one_bit_of_a_key_changes_half_of_the_hash)
{
    random_state = 1;
    for (size_t size = 1; size <= 40; size++) {
        char key[40];
        unsigned long changed = 0, flips = 0;
        for (int round = 0; round < 20; round++) {
            uint64_t seed = draw();
            for (size_t i = 0; i < size; i++)
                key[i] = (char)draw();
            uint64_t before = hash_of(key, size, seed);
            for (size_t bit = 0; bit < size * 8; bit++, flips++) {
                key[bit / 8] = (char)(key[bit / 8] ^ 1 << bit % 8);
                uint64_t difference = before ^ hash_of(key, size, seed);
                key[bit / 8] = (char)(key[bit / 8] ^ 1 << bit % 8);
                assert_true(difference != 0);
                changed += (unsigned long)__builtin_popcountll(difference);
            }
        }
        double share = (double)changed / (double)(64 * flips);
        if (share < 0.45 || share > 0.55)
            fail_msg("%zu bytes: a bit changes %.3f of the hash", size, share);
    }
}

TEST(every_bit_of_a_key_reaches_every_bit_of_the_hash)
{
    random_state = 2;
    static unsigned reached[16 * 8][64];
    memset(reached, 0, sizeof reached);
    enum { ROUNDS = 1000 };
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t words[2] = {draw(), draw()}, seed = draw();
        uint64_t before = hash_of(words, 16, seed);
        for (int bit = 0; bit < 128; bit++) {
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
            uint64_t difference = before ^ hash_of(words, 16, seed);
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
            for (int out = 0; out < 64; out++)
                reached[bit][out] += (unsigned)(difference >> out & 1);
        }
    }
    for (int bit = 0; bit < 128; bit++) {
        for (int out = 0; out < 64; out++)
            assert_in_range(reached[bit][out], ROUNDS * 35 / 100, ROUNDS * 65 / 100);
    }
}

/* ---- collisions ----------------------------------------------------------------------------- */

TEST(keys_of_one_and_two_bytes_do_not_collide)
{
    enum { COUNT = 256 + 65536 + 1 };
    uint64_t *hashes = malloc(COUNT * sizeof *hashes);
    assert_non_null(hashes);
    size_t count = 0;
    hashes[count++] = hash_of(NULL, 0, 7);
    for (unsigned i = 0; i < 65536; i++) {
        char key[] = {(char)(i >> 8), (char)i};
        hashes[count++] = hash_of(key, 2, 7);
        if (i < 256)
            hashes[count++] = hash_of(key + 1, 1, 7);
    }
    assert_int_equal(count, COUNT);
    assert_int_equal(count_equal(hashes, count), 0);
    free(hashes);
}

TEST(numbers_and_paths_do_not_collide_and_fill_a_table_evenly)
{
    enum { COUNT = 1 << 17, BUCKETS = 1 << 12 };
    uint64_t *hashes = malloc(COUNT * sizeof *hashes);
    static unsigned filled[BUCKETS];
    memset(filled, 0, sizeof filled);
    assert_non_null(hashes);
    for (unsigned i = 0; i < COUNT; i++) {
        char key[64];
        int size = snprintf(key, sizeof key, i % 2 == 0 ? "%u" : "/sales/of/the/year/item-%u", i);
        hashes[i] = hash_of(key, (size_t)size, 99);
        filled[hashes[i] & (BUCKETS - 1)]++;
    }
    for (int i = 0; i < BUCKETS; i++) /* 32 each; by chance 5.7 more or less */
        assert_in_range(filled[i], 4, 70);
    assert_int_equal(count_equal(hashes, COUNT), 0);
    free(hashes);
}

TEST(the_same_bytes_of_different_lengths_differ)
{
    static const char fills[] = {'\0', 'a', '\xff'};
    for (size_t fill = 0; fill < sizeof fills; fill++) {
        char key[100];
        uint64_t hashes[101];
        memset(key, fills[fill], sizeof key);
        for (size_t size = 0; size <= sizeof key; size++)
            hashes[size] = hash_of(key, size, 3);
        assert_int_equal(count_equal(hashes, 101), 0);
    }
}

/* ---- the seed ------------------------------------------------------------------------------- */

TEST(the_same_key_has_another_hash_under_another_seed)
{
    enum { SEEDS = 10000 };
    static uint64_t hashes[SEEDS];
    static const char *const keys[] = {"", "a", "book", "sixteen bytes ok",
                                       "more than sixteen bytes"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            hashes[seed] = hash_of(keys[k], strlen(keys[k]), seed);
        assert_int_equal(count_equal(hashes, SEEDS), 0);
    }
}

/* Words that are constants in hash.h, or make one of them 0, for whoever has read it. */
static const uint64_t chosen[] = {0x9e3779b97f4a7c15U, 0xd6e8feb86659fd93U,
                                  0x9e3779b97f4a7c15U ^ 0xd6e8feb86659fd93U, 0, UINT64_MAX};

enum { COUNT = 500, WORDS = 5 };

/* Keys of so many words that differ in one of them, while another one is chosen. */
static void check_chosen(size_t words_count, size_t at, size_t differs, uint64_t word)
{
    uint64_t hashes[COUNT], words[WORDS], seed = draw();
    for (size_t i = 0; i < words_count; i++)
        words[i] = draw();
    words[at] = word;
    for (int i = 0; i < COUNT; i++) {
        words[differs] = draw();
        hashes[i] = hash_of(words, words_count * 8, seed);
    }
    assert_int_equal(count_equal(hashes, COUNT), 0);
}

TEST(nobody_can_choose_a_word_that_makes_the_rest_not_matter)
{
    random_state = 4;
    for (size_t count = 2; count <= WORDS; count++) {
        for (size_t at = 0; at < count; at++) {
            for (size_t differs = 0; differs < count; differs++) {
                for (size_t i = 0; differs != at && i < sizeof chosen / sizeof *chosen; i++)
                    check_chosen(count, at, differs, chosen[i]);
            }
        }
    }
}

TEST(each_table_has_a_seed_of_its_own)
{
    uint64_t seeds[100];
    for (int i = 0; i < 100; i++)
        seeds[i] = weft__hash_seed();
    assert_int_equal(count_equal(seeds, 100), 0);
}

TEST(a_key_is_read_where_it_lies_and_not_beyond)
{
    char *key = malloc(33);
    assert_non_null(key);
    for (size_t size = 0; size <= 33; size++) { /* its end is the end of the block: for ASan */
        char *end = malloc(size + 1);
        assert_non_null(end);
        memset(end, 'k', size + 1);
        memset(key, 'k', 33);
        assert_true(hash_of(end + 1, size, 5) == hash_of(key, size, 5));
        free(end);
    }
    free(key);
}
