/* SipHash-2-4 with a result of 128 bits, by its paper and the description of its long form.
 *
 * One function for everything that has to be recognised: URLs, names of files, bodies, and the
 * checksums of records. It is keyed, with a key of each state's own, so that no site can make URLs
 * that meet (they would be taken for one, and a page would be lost), and so that a record of
 * another state is never taken for one of this. As a checksum it is slower than a CRC and misses
 * one error in 2^64 instead of one in 2^32; at a gigabyte a second it is not what one waits for.
 *
 * Bodies are many bytes, and nothing is lost if two of them meet: for them there is a light form. It
 * begins with the same key and ends with the same rounds, but a word in between only goes to one of
 * the four parts of the state, in turns: a multiplication and a shift, both of which can be undone,
 * so that texts which differ in one word never meet. The four do not wait for one another.
 *
 * Between the pieces v_ is the state, tail_ the bytes that do not fill a word yet, size_ the number
 * of bytes so far. */
#include "hash.h"
#include "wire.h"

static inline uint64_t turn(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static inline void round_of(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

static inline void take_strong(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    round_of(v);
    round_of(v);
    v[0] ^= word;
}

/* The parts change places, so that the next word goes to the next one. */
static inline void take_light(uint64_t v[4], uint64_t word)
{
    uint64_t mixed = (v[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = mixed ^ mixed >> 32;
}

static void take(struct weft_crawl_hash *hash, uint64_t word)
{
    if (hash->light_)
        take_light(hash->v_, word);
    else
        take_strong(hash->v_, word);
}

static inline void finish(uint64_t v[4])
{
    for (int i = 0; i < 4; i++)
        round_of(v);
}

/* Whole words, with the state in registers meanwhile. */
static const char *take_words(struct weft_crawl_hash *hash, const char *at, size_t count)
{
    uint64_t v[4] = {hash->v_[0], hash->v_[1], hash->v_[2], hash->v_[3]};
    for (; hash->light_ && count >= 4; count -= 4, at += 32) {
        take_light(v, wire_get64(at));
        take_light(v, wire_get64(at + 8));
        take_light(v, wire_get64(at + 16));
        take_light(v, wire_get64(at + 24));
    }
    for (; !hash->light_ && count > 0; count--, at += 8)
        take_strong(v, wire_get64(at));
    memcpy(hash->v_, v, sizeof v);
    for (; count > 0; count--, at += 8) /* the last three of the light form */
        take(hash, wire_get64(at));
    return at;
}

void weft__crawl_key_read(struct weft__crawl_key *key, const char bytes[WEFT__CRAWL_KEY_SIZE])
{
    key->k[0] = wire_get64(bytes);
    key->k[1] = wire_get64(bytes + 8);
}

int weft__crawl_key_draw(char bytes[WEFT__CRAWL_KEY_SIZE])
{
    return uv_random(NULL, NULL, bytes, WEFT__CRAWL_KEY_SIZE, 0, NULL);
}

void weft__crawl_hash_begin(const struct weft__crawl_key *key, struct weft_crawl_hash *hash)
{
    *hash = (struct weft_crawl_hash){
        .v_ = {key->k[0] ^ UINT64_C(0x736f6d6570736575),
               key->k[1] ^ UINT64_C(0x646f72616e646f6d) ^ 0xee, /* 0xee: the long form */
               key->k[0] ^ UINT64_C(0x6c7967656e657261), key->k[1] ^ UINT64_C(0x7465646279746573)}};
}

void weft_crawl_hash_add(struct weft_crawl_hash *hash, const void *data, size_t size)
{
    const char *at = data;
    unsigned filled = (unsigned)(hash->size_ & 7);
    hash->size_ += size;
    for (; filled != 0 && size > 0; size--) {
        hash->tail_ |= (uint64_t)(unsigned char)*at++ << (8 * filled);
        filled = (filled + 1) & 7;
        if (filled == 0) {
            take(hash, hash->tail_);
            hash->tail_ = 0;
        }
    }
    at = take_words(hash, at, size / 8);
    size &= 7;
    if (size > 0)
        hash->tail_ = wire_get(at, (unsigned)size);
}

void weft_crawl_hash_end(struct weft_crawl_hash *hash, uint64_t out[2])
{
    uint64_t *v = hash->v_;
    take(hash, hash->tail_ | hash->size_ << 56);
    v[2] ^= 0xee;
    finish(v);
    out[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    finish(v);
    out[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

void weft__crawl_digest(const struct weft__crawl_key *key, struct weft_text text, uint64_t out[2])
{
    struct weft_crawl_hash hash;
    weft__crawl_hash_begin(key, &hash);
    weft_crawl_hash_add(&hash, text.data, text.size);
    weft_crawl_hash_end(&hash, out);
}

uint64_t weft__crawl_checksum(const struct weft__crawl_key *key, char kind, struct weft_text name,
                              struct weft_text value)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    char head[8] = {kind, 'c', 'h', 'e'}; /* a whole word, so that values are read by words */
    wire_put(head + 4, name.size, 4);
    weft__crawl_hash_begin(key, &hash);
    weft_crawl_hash_add(&hash, head, sizeof head);
    weft_crawl_hash_add(&hash, name.data, name.size);
    weft_crawl_hash_add(&hash, value.data, value.size);
    weft_crawl_hash_end(&hash, out);
    return out[0];
}
