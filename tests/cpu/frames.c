/* Frames as bytes: what is written is read, and what is not one is told.
 * ctest: labels=valgrind shuffle=no */
#include "../lib/check.h"
#include "cpu/frames.h"
#include "cpu/page.h"
#include <string.h>
#include <uv.h>

static long read_frame(const char *data, size_t size, struct frame *frame, const char **why)
{
    return weft__frame_read(data, size, 1 << 20, true, frame, why);
}

TEST(a_frame_is_little_endian_and_has_a_head_of_24_bytes)
{
    static const unsigned char expected[FRAME_HEAD] = {
        4,    3,    2,    1,    17, 1, 0, 0, 0x88, 0x77, 0x66, 0x55,
        0x44, 0x33, 0x22, 0x11, 5,  0, 0, 0, 6,    0,    0,    0x80};
    char head[FRAME_HEAD];
    struct frame frame = {0x01020304, FRAME_EVENT, FRAME_IN_MEMORY, 0x1122334455667788, 5,
                          0x80000006, NULL};
    weft__frame_write(head, &frame);
    assert_memory_equal(head, expected, FRAME_HEAD);
}

TEST(what_is_written_is_read_once_it_is_complete)
{
    char data[FRAME_HEAD + 5];
    struct frame frame = {5, FRAME_END, 0, 77, 3, 9, NULL}, got;
    const char *why;
    weft__frame_write(data, &frame);
    for (int i = 0; i < 5; i++)
        data[FRAME_HEAD + i] = "hello"[i];
    for (size_t size = 0; size < sizeof data; size++)
        assert_int_equal(read_frame(data, size, &got, &why), 0);
    assert_int_equal(read_frame(data, sizeof data, &got, &why), sizeof data);
    assert_null(why);
    assert_int_equal(got.size, 5);
    assert_int_equal(got.type, FRAME_END);
    assert_int_equal(got.job, 77);
    assert_int_equal(got.attempt, 3);
    assert_int_equal(got.kind, 9);
    assert_memory_equal(got.payload, "hello", 5);
}

TEST(the_payload_of_a_memory_does_not_follow)
{
    char head[FRAME_HEAD];
    struct frame frame = {1 << 20, FRAME_END, FRAME_IN_MEMORY, 1, 1, 0, NULL}, got;
    const char *why;
    weft__frame_write(head, &frame);
    assert_int_equal(read_frame(head, sizeof head, &got, &why), FRAME_HEAD);
    assert_null(got.payload);
}

static const char *wrong_with(const struct frame *frame, int at, char byte)
{
    char head[FRAME_HEAD];
    struct frame got;
    const char *why;
    weft__frame_write(head, frame);
    if (at >= 0)
        head[at] = byte;
    assert_int_equal(read_frame(head, sizeof head, &got, &why), UV_EPROTO);
    return why;
}

TEST(what_is_no_frame_is_told_as_soon_as_its_head_is_there)
{
    static const char no_frame[] = "what it sent is no frame",
                      large[] = "it sent a frame that is too large";
    struct frame frame = {10, FRAME_END, 0, 1, 1, 0, NULL};
    assert_string_equal(wrong_with(&frame, 4, 0), no_frame);
    assert_string_equal(wrong_with(&frame, 4, FRAME_JOB),
                        no_frame); /* that is the pool's to send */
    assert_string_equal(wrong_with(&frame, 4, FRAME_PONG + 1), no_frame);
    assert_string_equal(wrong_with(&frame, 5, 2), no_frame);
    assert_string_equal(wrong_with(&frame, 6, 1), no_frame);
    assert_string_equal(wrong_with(&frame, 7, 1), no_frame);
    frame.size = FRAME_INLINE + 1;
    assert_string_equal(wrong_with(&frame, -1, 0), large);
    frame.flags = FRAME_IN_MEMORY;
    frame.size = (1 << 20) + 1;
    assert_string_equal(wrong_with(&frame, -1, 0), large);
    frame.size = 0;
    assert_string_equal(wrong_with(&frame, -1, 0), "it sent a memory of no size");
}

/* docs/workers.md has these numbers. */
TEST(the_page_is_as_it_is_documented)
{
    assert_int_equal(offsetof(struct page, begun), 0);
    assert_int_equal(offsetof(struct page, gathered), 8);
    assert_int_equal(offsetof(struct page, flushes), 12);
    assert_int_equal(offsetof(struct page, frames), 64);
    assert_int_equal(sizeof(struct page), 65536);
}
