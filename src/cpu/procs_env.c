/* A clean environment: what a program needs to run at all, and what the caller names. A worker does
 * not inherit secrets, nor settings that its caller has forgotten.
 *
 * It is written twice: first only counted, then into a block of that size. */
#include "procs_env.h"
#include "weft/alloc.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

struct block {
    char **list; /* NULL: count */
    char *text;
    size_t count, bytes;
};

static size_t name_length(const char *entry)
{
    const char *end = strchr(entry, '=');
    return end != NULL ? (size_t)(end - entry) : strlen(entry);
}

static bool same_name(const char *one, const char *other)
{
    size_t length = name_length(one);
    return name_length(other) == length && memcmp(one, other, length) == 0;
}

/* What is there by that name already gives way. */
static void add(struct block *block, const char *entry)
{
    size_t size = strlen(entry) + 1, place = 0;
    if (block->list == NULL) {
        block->count++;
        block->bytes += size;
        return;
    }
    while (place < block->count && !same_name(block->list[place], entry))
        place++;
    memcpy(block->text, entry, size);
    block->list[place] = block->text;
    block->text += size;
    if (place == block->count)
        block->count++;
}

static bool is_needed(const char *entry)
{
    static const char *const names[] = {"PATH", "HOME", "LANG", "TZ"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (same_name(entry, names[i]))
            return true;
    }
    return strncmp(entry, "LC_", 3) == 0;
}

static void add_inherited(struct block *block, const char *name)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strchr(*entry, '=') != NULL &&
            (name != NULL ? same_name(*entry, name) : is_needed(*entry)))
            add(block, *entry);
    }
}

static void add_all(struct block *block, const char *const *listed)
{
    add_inherited(block, NULL);
    for (; listed != NULL && *listed != NULL; listed++) {
        if (strchr(*listed, '=') != NULL)
            add(block, *listed);
        else
            add_inherited(block, *listed);
    }
    add(block, "WEFT_WORKER_FD=3");
    add(block, "WEFT_WORKER_PAGE=4");
}

char **weft__procs_env(const char *const *listed)
{
    struct block block = {0};
    add_all(&block, listed);
    size_t pointers = (block.count + 1) * sizeof(char *);
    block.list = weft_alloc(pointers + block.bytes);
    if (block.list == NULL)
        return NULL;
    block.text = (char *)block.list + pointers;
    block.count = 0;
    add_all(&block, listed);
    block.list[block.count] = NULL;
    return block.list;
}

const char *weft__env_get(char *const *env, const char *name)
{
    for (; *env != NULL; env++) {
        if (same_name(*env, name))
            return *env + name_length(*env) + 1;
    }
    return NULL;
}

int weft__env_find(char *const *env, const char *file, char path[ENV_PATH])
{
    const char *folders = weft__env_get(env, "PATH");
    if (strchr(file, '/') != NULL)
        return snprintf(path, ENV_PATH, "%s", file) < ENV_PATH ? 0 : UV_ENAMETOOLONG;
    if (folders == NULL)
        folders = "/usr/bin:/bin";
    for (const char *at = folders;; at++) {
        size_t length = strcspn(at, ":");
        int size =
            snprintf(path, ENV_PATH, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "./", file);
        if (size < ENV_PATH && access(path, X_OK) == 0)
            return 0;
        at += length;
        if (*at == '\0')
            return UV_ENOENT;
    }
}
