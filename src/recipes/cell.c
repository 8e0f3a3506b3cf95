/* Cells: made once, never changed, shared by counting. */
#include "cell.h"
#include "weft/alloc.h"

struct weft_cell *weft__cell_make(struct weft_text key, uint64_t hash, const void *data,
                                  size_t size)
{
    struct weft_cell *cell = weft_alloc(cell_size(key.size, size));
    if (cell == NULL)
        return NULL;
    *cell = (struct weft_cell){
        .holders = 1, .key_size = (uint32_t)key.size, .value_size = (uint32_t)size, .hash = hash};
    char *value = (char *)cell + cell_value_at(key.size);
    if (key.size > 0)
        memcpy(cell_key(cell), key.data, key.size);
    cell_key(cell)[key.size] = '\0';
    if (size > 0)
        memcpy(value, data, size);
    value[size] = '\0';
    return cell;
}

struct weft_cell *weft_cell_hold(struct weft_cell *cell)
{
    if (cell != NULL)
        cell->holders++;
    return cell;
}

void weft_cell_drop(struct weft_cell *cell)
{
    if (cell != NULL && --cell->holders == 0)
        weft_free(cell);
}

struct weft_text weft_cell_key(const struct weft_cell *cell)
{
    return weft_text((const char *)cell + CELL_HEADER, cell->key_size);
}

struct weft_text weft_cell_value(const struct weft_cell *cell)
{
    return cell_value(cell);
}
