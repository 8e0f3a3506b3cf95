/* A host, a path and a query, a line each. Whatever they are: the name is relative, none of its
 * parts is empty, hidden or too long, only harmless bytes are in it, a file ends with an extension
 * and a folder does not; and it is the same the next time. */
#include "spider/name.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_extension(const char *part, size_t size)
{
    size_t at = size;
    while (at > 0 && is_word(part[at - 1]))
        at--;
    return at > 1 && at < size && part[at - 1] == '.' && size - at <= 8 && part[at] > '9';
}

static void check_part(const char *part, size_t size, bool host)
{
    require(size > 0 && size <= NAME_PART_MAX + 9);
    require(part[0] != '.' && part[0] != '-' && part[size - 1] != '.');
    for (size_t i = 0; i < size; i++) {
        require(is_word(part[i]) || strchr("-._=+,%@~", part[i]) != NULL ||
                (host && part[i] == ':'));
        require(part[i] != '%' || (size - i > 2 && is_word(part[i + 1]) && is_word(part[i + 2])));
    }
}

static void check_name(const char *name, size_t limit)
{
    require(strlen(name) <= limit);
    const char *part = name;
    for (size_t size; (size = strcspn(part, "/")), part[size] == '/'; part += size + 1) {
        check_part(part, size, part == name);
        require(part == name || !has_extension(part, size));
    }
    require(part != name && has_extension(part, strlen(part)));
    check_part(part, strlen(part), false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text query = weft_text((const char *)data, size);
    struct weft_text host = weft_text_cut(&query, '\n');
    struct weft_text path = weft_text_cut(&query, '\n');
    char name[NAME_SIZE], again[NAME_SIZE];
    int err = name_of(host, path, query, name, sizeof name);
    bool good = host.size > 0 && path.size > 0 && path.data[0] == '/';
    require(good == (err == 0));
    if (!good || memchr(host.data, '/', host.size) != NULL)
        return 0;
    check_name(name, NAME_PATH_MAX);

    size_t exact = strlen(name) + 1;
    char *small = malloc(exact);
    require(small != NULL);
    require(name_of(host, path, query, small, exact) == 0 && strcmp(small, name) == 0);
    require(name_of(host, path, query, small, exact - 1) != 0 && small[0] == '\0');
    free(small);

    require(name_again(name, name_hash(path), again, sizeof again) == 0);
    check_name(again, NAME_PATH_MAX + 9);
    require(strcmp(name, again) != 0);
    return 0;
}
