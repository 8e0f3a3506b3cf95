/* Counting by status and by kind.
 *
 * A site has a handful of kinds, so a short row that is searched from its beginning will do, and the
 * commonest come to be found first: one that was found moves a place forward. Servers may make up as
 * many as they like: the last place is for all that came late. */
#include "spider/harvest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void harvest_answer(struct harvest *harvest, int http_status)
{
    int class = http_status / 100;
    if (http_status <= 0)
        class = 0;
    else if (class == 0 || class > HARVEST_OTHER_CLASSES)
        class = HARVEST_OTHER_CLASSES;
    harvest->classes[class]++;
}

/* Lower case, without what stands behind the ';', and nothing that a terminal would obey. */
static void name_of_type(struct weft_text type, char name[HARVEST_NAME])
{
    size_t used = 0;
    for (size_t i = 0; i < type.size && used + 1 < HARVEST_NAME; i++) {
        char c = type.data[i];
        if (c == ';' || c == ',')
            break;
        if (c <= ' ' || c >= 0x7f)
            continue;
        name[used++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    name[used] = '\0';
    if (used == 0)
        snprintf(name, HARVEST_NAME, "no type");
}

static struct harvest_type *find(struct harvest *harvest, const char *name)
{
    struct harvest_type *types = harvest->types;
    for (size_t i = 0; i < harvest->types_count; i++) {
        if (strcmp(types[i].name, name) != 0)
            continue;
        if (i == 0 || i + 1 == HARVEST_TYPES)
            return &types[i];
        struct harvest_type before = types[i - 1];
        types[i - 1] = types[i];
        types[i] = before;
        return &types[i - 1];
    }
    return NULL;
}

void harvest_saved(struct harvest *harvest, struct weft_text content_type, uint64_t bytes)
{
    char name[HARVEST_NAME];
    name_of_type(content_type, name);
    struct harvest_type *type = find(harvest, name);
    if (type == NULL && harvest->types_count + 1 >= HARVEST_TYPES) {
        snprintf(name, sizeof name, "others");
        type = harvest->types_count == HARVEST_TYPES ? &harvest->types[HARVEST_TYPES - 1] : NULL;
    }
    if (type == NULL) {
        type = &harvest->types[harvest->types_count++];
        memcpy(type->name, name, sizeof name);
    }
    type->count++;
    type->bytes += bytes;
}

static int compare(const void *one, const void *other)
{
    const struct harvest_type *a = one, *b = other;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->name, b->name);
}

void harvest_sort(struct harvest *harvest)
{
    qsort(harvest->types, harvest->types_count, sizeof harvest->types[0], compare);
}
