/* A table without chains: the newer link takes the place of the older. */
#include "spider/memo.h"
#include <string.h>
#include <weft/alloc.h>

/* A path's last slash: what stands behind it does not matter to a relative link, unless that is only
 * a query (see memo_has). */
void memo_key_begin(struct memo_key *key, const struct weft_crawl *state,
                    const struct weft_url *base)
{
    uint32_t end = base->query_begin;
    while (end > base->path_begin && base->href.data[end - 1] != '/')
        end--;
    weft_crawl_hash_begin(state, &key->folder);
    weft_crawl_hash_add(&key->folder, base->href.data, end);
}

static bool depends_on_page(struct weft_text link)
{
    return link.size == 0 || link.data[0] == '?' || link.data[0] == '#';
}

bool memo_has(const struct memo *memo, const struct memo_key *key, struct weft_text link,
              bool requisite, unsigned depth, unsigned round, uint64_t hash[2])
{
    struct weft_crawl_hash its = key->folder;
    const char kind = requisite ? 'r' : 'n';
    hash[0] = hash[1] = 0;
    if (depends_on_page(link))
        return false;
    weft_crawl_hash_add(&its, &kind, 1);
    weft_crawl_hash_add(&its, link.data, link.size);
    weft_crawl_hash_end(&its, hash);
    if (memo->links == NULL)
        return false;
    const struct memo_link *place = &memo->links[hash[0] & (MEMO_LINKS - 1)];
    return place->depth != 0 && place->hash[0] == hash[0] && place->hash[1] == hash[1] &&
           place->depth - 1 <= depth && place->round == round;
}

void memo_keep(struct memo *memo, const uint64_t hash[2], unsigned depth, unsigned round)
{
    if (hash[0] == 0 && hash[1] == 0)
        return;
    if (memo->links == NULL)
        memo->links = weft_calloc(MEMO_LINKS, sizeof *memo->links);
    if (memo->links == NULL)
        return;
    memo->links[hash[0] & (MEMO_LINKS - 1)] =
        (struct memo_link){.hash = {hash[0], hash[1]}, .round = round, .depth = depth + 1};
}

void memo_free(struct memo *memo)
{
    weft_free(memo->links);
    memo->links = NULL;
}
