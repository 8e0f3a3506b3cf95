/* A table without chains: the newer link takes the place of the older. */
#include "spider/memo.h"
#include <string.h>
#include <weft/alloc.h>

_Static_assert(sizeof(struct memo_link) == MEMO_LINE, "a link is one cache line");

/* A path's last slash: what stands behind it does not matter to a relative link, unless that is only
 * a query (see can_keep). */
void memo_key_begin(struct memo_key *key, const struct weft_crawl *state,
                    const struct weft_url *base)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    uint32_t end = base->query_begin;
    while (end > base->path_begin && base->href.data[end - 1] != '/')
        end--;
    weft_crawl_hash_begin(state, &hash);
    weft_crawl_hash_add(&hash, base->href.data, end);
    weft_crawl_hash_end(&hash, out);
    key->folder = out[0];
}

static bool can_keep(const struct memo_way *way)
{
    struct weft_text link = way->link;
    bool depends_on_page = link.size == 0 || link.data[0] == '?' || link.data[0] == '#';
    return !depends_on_page && link.size <= MEMO_TEXT && way->depth < UINT16_MAX;
}

/* Only a place in the table: who meets another there is told apart by the texts. */
static size_t place_of(const struct memo_key *key, const struct memo_way *way)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = key->folder + way->link.size, word;
    const char *at = way->link.data, *end = at + way->link.size;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, at, (size_t)(end - at));
    hash = (hash ^ word) * odd;
    return (hash ^ hash >> 29 ^ hash >> 47) & (MEMO_LINKS - 1);
}

bool memo_has(const struct memo *memo, const struct memo_key *key, const struct memo_way *way)
{
    if (memo->links == NULL || !can_keep(way))
        return false;
    const struct memo_link *place = &memo->links[place_of(key, way)];
    return place->depth != 0 && place->depth - 1u <= way->depth && place->round == way->round &&
           place->kind == way->requisite && place->folder == key->folder &&
           weft_text_equal(weft_text(place->text, place->size), way->link);
}

static bool make_links(struct memo *memo)
{
    memo->block = weft_calloc(MEMO_LINKS + 1, sizeof *memo->links);
    if (memo->block == NULL)
        return false;
    uintptr_t at = (uintptr_t)memo->block;
    memo->links = (struct memo_link *)((at + MEMO_LINE - 1) / MEMO_LINE * MEMO_LINE);
    return true;
}

void memo_keep(struct memo *memo, const struct memo_key *key, const struct memo_way *way)
{
    if (!can_keep(way))
        return;
    if (memo->links == NULL && !make_links(memo))
        return;
    struct memo_link *place = &memo->links[place_of(key, way)];
    place->folder = key->folder;
    memcpy(place->text, way->link.data, way->link.size);
    place->size = (uint8_t)way->link.size;
    place->kind = way->requisite;
    place->round = way->round;
    place->depth = (uint16_t)(way->depth + 1);
}

void memo_free(struct memo *memo)
{
    weft_free(memo->block);
    *memo = (struct memo){0};
}
