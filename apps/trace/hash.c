/* The multiply and fold of 128 bits, with secrets that are drawn once a process: who writes a trace
 * cannot know what would meet in one place of a table. */
#include "trace/hash.h"
#include <string.h>
#include <uv.h>

static uint64_t secrets[2];

/* The address of the stack and the time are a poor secret, but one that no file can know. */
static void draw_secrets(void)
{
    if (secrets[0] != 0)
        return;
    if (uv_random(NULL, NULL, secrets, sizeof secrets, 0, NULL) != 0) {
        secrets[0] = uv_hrtime() * 0x9e3779b97f4a7c15u;
        secrets[1] = (uint64_t)(uintptr_t)&secrets ^ uv_hrtime() << 32;
    }
    secrets[0] |= 1;
    secrets[1] |= 1;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_pair(uint64_t a, uint64_t b)
{
    draw_secrets();
    return fold(fold(a ^ secrets[0], 0x9e3779b97f4a7c15u ^ secrets[1]) ^ b ^ secrets[1],
                0xd6e8feb86659fd93u ^ secrets[0]);
}

uint64_t hash_text(struct weft_text text)
{
    uint64_t hash = text.size;
    for (size_t at = 0; at < text.size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = text.size - at;
        memcpy(&word, text.data + at, left < sizeof word ? left : sizeof word);
        hash = hash_pair(hash, word);
    }
    return hash;
}
