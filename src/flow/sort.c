/* Sort: a heap sort. It needs no memory and no recursion, and has no bad case.
 *
 * The list is made a heap, in which no child (of i: 2i + 1 and 2i + 2) comes after its parent; then
 * the last of all is at the front, and changes places with the end of what is left, again and
 * again. No two entries are equal, since the index is part of the order. What came in input order,
 * as from a single slot, is left as it is. */
#include "sort.h"

static bool is_before(const struct weft_picked *a, const struct weft_picked *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

static bool is_sorted(const struct weft_picked *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (is_before(&list[i], &list[i - 1]))
            return false;
    }
    return true;
}

/* Put entry where it belongs, at the place `at` or below it; the places below are a heap. */
static void sift_down(struct weft_picked *list, size_t count, size_t at, struct weft_picked entry)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&list[child], &list[child + 1]))
            child++;
        if (!is_before(&entry, &list[child]))
            break;
        list[at] = list[child];
    }
    list[at] = entry;
}

void weft__picks_sort(struct weft_picked *list, size_t count)
{
    if (is_sorted(list, count))
        return;
    for (size_t i = count / 2; i > 0; i--)
        sift_down(list, count, i - 1, list[i - 1]);
    for (size_t left = count - 1; left > 0; left--) {
        struct weft_picked entry = list[left];
        list[left] = list[0];
        sift_down(list, left, 0, entry);
    }
}
