/* A table without chains: a link is in one of four neighbouring places, the newest in the first. Who comes
 * fifth takes the place of the oldest. It is small at first, and doubled when it is half full: most crawls
 * are small, and to touch memory for the first time costs more than all that is done with it. */
#include "spider/memo.h"
#include <string.h>
#include <weft/alloc.h>

_Static_assert(sizeof(struct memo_link) == MEMO_LINE, "a link is one cache line");

enum { FIRST_ROOM = 1 << 12 };

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
    key->folder = out[0] ^ key->file;
}

static bool can_keep(const struct memo_way *way)
{
    struct weft_text link = way->link;
    bool depends_on_page = link.size == 0 || link.data[0] == '?' || link.data[0] == '#';
    return !depends_on_page && link.size <= MEMO_TEXT;
}

static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

/* Only for a place in a table: who meets another there is told apart by the texts. */
uint64_t memo_hash(struct weft_text link)
{
    uint64_t hash = link.size, word;
    const char *at = link.data, *end = at + link.size;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    if (end > at)
        memcpy(&word, at, (size_t)(end - at));
    return (hash ^ word) * odd;
}

/* The first of its places. */
static struct memo_link *places_of(const struct memo *memo, const struct memo_key *key,
                                   uint64_t hash)
{
    hash = (hash ^ key->folder) * odd;
    return &memo->links[hash >> 32 & (memo->room - MEMO_NEAR)];
}

void memo_soon(const struct memo *memo, const struct memo_key *key, uint64_t hash)
{
    if (memo->links != NULL)
        __builtin_prefetch(places_of(memo, key, hash));
}

static uint8_t kind_of(const struct memo_way *way)
{
    return (uint8_t)(way->requisite | way->form << 1);
}

void memo_find(const struct memo *memo, const struct memo_key *key, struct memo_way *way)
{
    way->place = NULL;
    if (memo->links == NULL || !can_keep(way))
        return;
    struct memo_link *place = places_of(memo, key, way->hash), *end = place + MEMO_NEAR;
    for (; place < end; place++) {
        if (place->folder == key->folder && place->size == way->link.size &&
            place->kind == kind_of(way) && memcmp(place->text, way->link.data, place->size) == 0) {
            way->place = place;
            return;
        }
    }
}

bool memo_has(const struct memo *memo, const struct memo_key *key, struct memo_way *way)
{
    memo_find(memo, key, way);
    const struct memo_link *place = way->place;
    if (place == NULL || place->depth == 0 || place->depth - 1u > way->depth ||
        place->round != way->round)
        return false;
    way->to = place->to;
    return true;
}

/* Where what a link becomes lies: most links of a site are written as they would be in a copy; and most others
 * are short, and have room for it behind them. NULL: nowhere. */
static char *swap_at(const struct memo *memo, struct memo_link *place)
{
    if (place->same)
        return place->text;
    if (place->size + place->swap_size <= MEMO_TEXT)
        return place->text + place->size;
    return memo->swaps != NULL ? memo->swaps[place - memo->links] : NULL;
}

static bool make_room(struct memo *memo, size_t room)
{
    void *block = weft_calloc(room + 1, sizeof *memo->links);
    if (block == NULL)
        return false;
    uintptr_t at = (uintptr_t)block;
    *memo =
        (struct memo){.links = (struct memo_link *)((at + MEMO_LINE - 1) / MEMO_LINE * MEMO_LINE),
                      .room = room,
                      .block = block};
    return true;
}

static void move(const struct memo *memo, struct memo_link *from, struct memo_link *to)
{
    *to = *from;
    if (from->decided && from->size + from->swap_size > MEMO_TEXT)
        memcpy(swap_at(memo, to), swap_at(memo, from), from->swap_size);
}

/* The first of its places is free now; the others have moved on, and the last one is forgotten. */
static struct memo_link *first_place(struct memo *memo, const struct memo_key *key, uint64_t hash)
{
    struct memo_link *place = places_of(memo, key, hash);
    memo->taken += place[MEMO_NEAR - 1].size == 0;
    for (int i = MEMO_NEAR - 1; i > 0; i--)
        move(memo, &place[i - 1], &place[i]);
    return place;
}

/* What long links become is forgotten. Without memory it stays as large as it is. */
static void grow(struct memo *memo)
{
    struct memo old = *memo;
    if (!make_room(memo, 2 * old.room))
        return;
    for (struct memo_link *link = old.links + old.room; link-- > old.links;) { /* the newest last */
        if (link->size == 0)
            continue;
        struct memo_key key = {.folder = link->folder};
        uint64_t hash = memo_hash(weft_text(link->text, link->size));
        struct memo_link *place = first_place(memo, &key, hash);
        *place = *link;
        place->decided &= place->same || place->size + place->swap_size <= MEMO_TEXT;
    }
    memo_free(&old);
}

/* In the first place. */
static void add(struct memo *memo, const struct memo_key *key, struct memo_way *way)
{
    if (!can_keep(way) || (memo->links == NULL && !make_room(memo, FIRST_ROOM)))
        return;
    if (memo->taken >= memo->room / 2 && memo->room < MEMO_LINKS)
        grow(memo);
    struct memo_link *place = first_place(memo, key, way->hash);
    *place = (struct memo_link){
        .folder = key->folder, .size = (uint8_t)way->link.size, .kind = kind_of(way)};
    memcpy(place->text, way->link.data, way->link.size);
    way->place = place;
}

void memo_keep(struct memo *memo, const struct memo_key *key, struct memo_way *way)
{
    if (way->depth >= UINT16_MAX || way->round > UINT16_MAX)
        return;
    if (way->place == NULL)
        add(memo, key, way);
    if (way->place == NULL)
        return;
    way->place->to = way->to;
    way->place->depth = (uint16_t)(way->depth + 1);
    way->place->round = (uint16_t)way->round;
}

bool memo_decide(struct memo *memo, const struct memo_key *key, struct memo_way *way,
                 struct weft_text swap)
{
    if (way->place == NULL)
        add(memo, key, way);
    struct memo_link *place = way->place;
    if (place == NULL)
        return false;
    place->decided = false;
    place->same = weft_text_equal(swap, way->link);
    place->swap_size = (uint8_t)swap.size;
    if (swap.size > MEMO_SWAP)
        return false;
    if (memo->swaps == NULL && swap_at(memo, place) == NULL)
        memo->swaps = weft_alloc(memo->room * sizeof *memo->swaps);
    char *to = swap_at(memo, place);
    if (to == NULL)
        return false;
    if (!place->same && swap.size > 0)
        memcpy(to, swap.data, swap.size);
    place->decided = true;
    return true;
}

struct weft_text memo_swap(const struct memo *memo, struct memo_link *place)
{
    return weft_text(swap_at(memo, place), place->swap_size);
}

void memo_free(struct memo *memo)
{
    weft_free(memo->block);
    weft_free(memo->swaps);
    *memo = (struct memo){0};
}
