/* Three bytes: where to cut, and the limits; then a sitemap, packed or not. Whole, cut there and
 * byte by byte it gives the same entries and the same status, within the limits. */
#include "../web/sitemap_dump.h"
#include <stdint.h>
#include <uv.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "sitemap.c:%d: %s\n", __LINE__, #holds);                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dump whole = {0}, pieces = {0};
    struct weft_sitemap sitemap = {0};
    if (size < 3)
        return 0;
    size_t first = data[0], step = data[1];
    const char *file = (const char *)data + 3;
    sitemap.entries_max = data[2] < 128 ? data[2] : 0;
    sitemap.size_max = data[2] < 128 ? 200000 : data[2];
    size -= 3;
    int status = sitemap_dump(&sitemap, &whole, file, size, size, 0);
    CHECK(status == 0 || status == UV_EFBIG || status == UV_EINVAL || status == UV_EOF);
    CHECK(sitemap.entries_max == 0 || whole.count <= sitemap.entries_max);
    CHECK(sitemap_dump(&sitemap, &pieces, file, size, first, step) == status);
    CHECK(dump_equal(&whole, &pieces));
    CHECK(sitemap_dump(&sitemap, &pieces, file, size, 1, 1) == status);
    CHECK(dump_equal(&whole, &pieces));
    dump_free(&whole);
    dump_free(&pieces);
    return 0;
}
