/* Any bytes as an archive, packed and not, and as lines of an index: what is read lies within the file,
 * a walk comes to its end, and what is cut behind the last whole record is read the same again. */
#include "warc/inside.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Where the last whole record ends; how many there are. */
static uint64_t walk(int fd, bool packed, uint64_t size, unsigned *count)
{
    static struct warc_reader reader;
    struct warc_record record = {0};
    uint64_t end = 0;
    *count = 0;
    if (warc_reader_init(&reader, fd, packed) != 0)
        return 0;
    while (end < size && warc_read_whole(&reader, end, 100, &record) == 0) {
        require(record.length > 0 && record.length <= size - end);
        require(record.block.used <= 100 && record.block.used <= record.block_size);
        require(packed || record.block_size < record.length);
        end += record.length;
        ++*count;
    }
    warc_record_free(&record);
    warc_reader_free(&reader);
    return end;
}

static void try_walk(int fd, bool packed, uint64_t size)
{
    unsigned count, again;
    require(ftruncate(fd, (off_t)size) == 0);
    uint64_t end = walk(fd, packed, size, &count);
    require(ftruncate(fd, (off_t)end) == 0);
    require(walk(fd, packed, end, &again) == end && again == count);
}

static void try_lines(const uint8_t *data, size_t size)
{
    struct warc_line line;
    char *text = malloc(size + 1);
    if (text == NULL)
        return;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (warc_line_read(text, &line))
        require(line.offset <= INT64_MAX && line.length <= INT64_MAX);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("archive", 0);
    require(fd >= 0 && ftruncate(fd, 0) == 0);
    require(warc_write_at(fd, data, size, 0) == 0);
    try_walk(fd, true, size);
    require(ftruncate(fd, 0) == 0 && warc_write_at(fd, data, size, 0) == 0);
    try_walk(fd, false, size);
    try_lines(data, size);
    return 0;
}
