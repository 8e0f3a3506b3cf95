/* Two lists that only grow, and are thinned out when they are looked through. */
#include "offline/waits.h"
#include <string.h>
#include <weft/alloc.h>

enum { FIRST = 1024, HASHES = 1 << 16 /* bytes of a set of hashes */ };

/* ---- lists ---------------------------------------------------------------------------------- */

static bool is_last(const struct waits_list *list, struct waits_pair pair)
{
    if (list->count == 0)
        return false;
    const struct waits_pair *last = &list->pairs[list->count - 1];
    return last->what == pair.what && last->page == pair.page;
}

static bool make_room(struct waits_list *list)
{
    size_t room = list->room > 0 ? list->room * 2 : FIRST;
    if (list->count < list->room)
        return true;
    struct waits_pair *pairs =
        list->count < WAITS_MOST ? weft_realloc(list->pairs, room * sizeof *pairs) : NULL;
    if (pairs == NULL)
        return false;
    list->pairs = pairs;
    list->room = room;
    return true;
}

static bool append(struct waits_list *list, struct waits_pair pair)
{
    if (is_last(list, pair))
        return true;
    if (!make_room(list))
        return false;
    list->pairs[list->count++] = pair;
    return true;
}

/* ---- sets ----------------------------------------------------------------------------------- */

static bool set_has(const struct waits_set *set, size_t bit)
{
    return bit / 8 < set->size && (set->bits[bit / 8] >> bit % 8 & 1) != 0;
}

/* least: bytes that it has at once. */
static bool set_add(struct waits_set *set, size_t bit, size_t least)
{
    if (bit / 8 >= set->size) {
        size_t size = bit / 8 + 1 > least ? (bit / 8 + 1) * 2 : least;
        unsigned char *bits = weft_realloc(set->bits, size);
        if (bits == NULL)
            return false;
        memset(bits + set->size, 0, size - set->size);
        set->bits = bits;
        set->size = size;
    }
    set->count += !set_has(set, bit);
    set->bits[bit / 8] |= (unsigned char)(1u << bit % 8);
    return true;
}

static size_t bit_of(uint32_t hash)
{
    return hash % (8 * (size_t)HASHES);
}

/* ---- noting --------------------------------------------------------------------------------- */

void waits_for(struct waits *waits, uint32_t id, uint32_t page, bool there)
{
    if (!append(&waits->known, (struct waits_pair){id, page << 1 | there}))
        waits->lost = true;
}

void waits_for_far(struct waits *waits, uint64_t hash, uint32_t page)
{
    uint32_t part = (uint32_t)(hash >> 32);
    if (!set_add(&waits->asked, bit_of(part), HASHES) ||
        !append(&waits->far, (struct waits_pair){part, page << 1}))
        waits->lost = true;
}

void waits_renamed(struct waits *waits, uint32_t id)
{
    if (!set_add(&waits->renamed, id, FIRST))
        waits->lost = true;
}

bool waits_is_renamed(const struct waits *waits, uint32_t id)
{
    return set_has(&waits->renamed, id);
}

bool waits_came(struct waits *waits, uint64_t hash)
{
    size_t bit = bit_of((uint32_t)(hash >> 32));
    if (!set_has(&waits->asked, bit))
        return false;
    if (!set_add(&waits->came, bit, HASHES))
        waits->lost = true;
    return true;
}

/* ---- looking through ------------------------------------------------------------------------ */

static void collect_known(struct waits *waits, bool last, waits_look_fn *look, waits_tell_fn *tell,
                          void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < waits->known.count; i++) {
        struct waits_pair pair = waits->known.pairs[i];
        enum waits_state state = look(context, pair.what);
        bool there = (pair.page & 1) != 0;
        if (state == WAITS_OPEN && !last) {
            waits->known.pairs[kept++] = pair;
            continue;
        }
        if (there != (state == WAITS_THERE) || (there && waits_is_renamed(waits, pair.what)))
            tell(context, pair.page >> 1);
    }
    waits->known.count = kept;
}

static void collect_far(struct waits *waits, waits_tell_fn *tell, void *context)
{
    size_t kept = 0;
    if (waits->came.count == 0)
        return;
    for (size_t i = 0; i < waits->far.count; i++) {
        struct waits_pair pair = waits->far.pairs[i];
        if (set_has(&waits->came, bit_of(pair.what)))
            tell(context, pair.page >> 1);
        else
            waits->far.pairs[kept++] = pair;
    }
    waits->far.count = kept;
    memset(waits->came.bits, 0, waits->came.size);
    waits->came.count = 0;
}

void waits_collect(struct waits *waits, bool last, waits_look_fn *look, waits_tell_fn *tell,
                   void *context)
{
    collect_known(waits, last, look, tell, context);
    collect_far(waits, tell, context);
}

void waits_free(struct waits *waits)
{
    weft_free(waits->known.pairs);
    weft_free(waits->far.pairs);
    weft_free(waits->renamed.bits);
    weft_free(waits->asked.bits);
    weft_free(waits->came.bits);
    *waits = (struct waits){0};
}
