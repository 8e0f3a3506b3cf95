/* ctest: shuffle=no */
/* The fingerprint: SipHash-2-4 with 128 bits, by its published vectors, in any pieces. */
#include "kit.h"
#include "store/crawl/hash.h"
#include "store/crawl/wire.h"

/* Of the bytes 00, 01, 02 … of these lengths, under the key 00 01 … 0f. */
static const struct vector {
    size_t size;
    unsigned char hash[16];
} vectors[] = {
    {0,
     {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
      0x93}},
    {1,
     {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
      0x45}},
    {2,
     {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff,
      0xe4}},
    {3,
     {0x9c, 0x70, 0xb6, 0x0c, 0x52, 0x67, 0xa9, 0x4e, 0x5f, 0x33, 0xb6, 0xb0, 0x29, 0x85, 0xed,
      0x51}},
    {8,
     {0x3b, 0x62, 0xa9, 0xba, 0x62, 0x58, 0xf5, 0x61, 0x0f, 0x83, 0xe2, 0x64, 0xf3, 0x14, 0x97,
      0xb4}},
    {15,
     {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3,
      0xd9}},
};

static struct weft__crawl_key key;
static char input[64];

static void up(void)
{
    for (unsigned i = 0; i < sizeof input; i++)
        input[i] = (char)i;
    weft__crawl_key_read(&key, input);
}

TEST(it_is_the_published_function)
{
    up();
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint64_t out[2];
        char bytes[16];
        weft__crawl_digest(&key, weft_text(input, vectors[i].size), out);
        wire_put(bytes, out[0], 8);
        wire_put(bytes + 8, out[1], 8);
        assert_memory_equal(bytes, vectors[i].hash, 16);
    }
}

TEST(pieces_of_any_size_make_the_same_hash)
{
    up();
    for (size_t size = 0; size <= sizeof input; size++) {
        uint64_t whole[2], out[2];
        weft__crawl_digest(&key, weft_text(input, size), whole);
        for (size_t piece = 1; piece <= 17; piece++) {
            struct weft_crawl_hash hash;
            weft__crawl_hash_begin(&key, &hash);
            for (size_t at = 0; at < size; at += piece)
                weft_crawl_hash_add(&hash, input + at, size - at < piece ? size - at : piece);
            weft_crawl_hash_end(&hash, out);
            assert_memory_equal(out, whole, sizeof whole);
        }
    }
}

TEST(each_state_has_a_key_of_its_own_and_keeps_it)
{
    struct weft_crawl one = {0}, other = {0};
    char here[SCRATCH_PATH], there[SCRATCH_PATH];
    struct weft_crawl_hash hash;
    uint64_t before[2], after[2], elsewhere[2];
    kit_open(&one, kit_folder(here));
    kit_open(&other, kit_folder(there));
    weft_crawl_hash_begin(&one, &hash);
    weft_crawl_hash_add(&hash, "text", 4);
    weft_crawl_hash_end(&hash, before);
    weft_crawl_hash_begin(&other, &hash);
    weft_crawl_hash_add(&hash, "text", 4);
    weft_crawl_hash_end(&hash, elsewhere);
    kit_reopen(&one, here);
    weft_crawl_hash_begin(&one, &hash);
    weft_crawl_hash_add(&hash, "te", 2);
    weft_crawl_hash_add(&hash, "xt", 2);
    weft_crawl_hash_end(&hash, after);
    assert_memory_equal(before, after, sizeof before);
    assert_memory_not_equal(before, elsewhere, sizeof before);
    weft_crawl_close(&one);
    weft_crawl_close(&other);
}

/* Of the same bytes; no vectors are published for the light form with 128 bits. */
TEST(the_light_form_is_another_one_and_has_no_seams_either)
{
    char text[100];
    struct weft_crawl closed = {0};
    memset(text, 'x', sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        struct weft_crawl_hash strong, light, pieces;
        uint64_t out[3][2];
        weft_crawl_hash_begin(&closed, &strong);
        weft_crawl_hash_add(&strong, text, sizeof text);
        weft_crawl_hash_end(&strong, out[0]);
        weft_crawl_hash_begin_light(&closed, &light);
        weft_crawl_hash_add(&light, text, sizeof text);
        weft_crawl_hash_end(&light, out[1]);
        weft_crawl_hash_begin_light(&closed, &pieces);
        weft_crawl_hash_add(&pieces, text, cut);
        weft_crawl_hash_add(&pieces, text + cut, sizeof text - cut);
        weft_crawl_hash_end(&pieces, out[2]);
        assert_memory_not_equal(out[0], out[1], sizeof out[0]);
        assert_memory_equal(out[1], out[2], sizeof out[1]);
    }
}
