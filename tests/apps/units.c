/* Numbers with units: what is read, what is refused, what is shown. */
#include "check.h"
#include "units.h"
#include <string.h>

static void reads(bool (*read)(const char *, uint64_t *), const char *text, uint64_t expected)
{
    uint64_t number = 12345;
    if (!read(text, &number))
        fail_msg("'%s' was refused", text);
    if (number != expected)
        fail_msg("'%s' is %llu, not %llu", text, (unsigned long long)number,
                 (unsigned long long)expected);
}

static void refuses(bool (*read)(const char *, uint64_t *), const char *text)
{
    uint64_t number = 12345;
    if (read(text, &number))
        fail_msg("'%s' was read as %llu", text, (unsigned long long)number);
    assert_int_equal(number, 12345);
}

TEST(a_duration_has_a_unit_or_is_in_seconds)
{
    reads(units_duration, "500ms", 500);
    reads(units_duration, "2s", 2000);
    reads(units_duration, "1.5m", 90 * 1000);
    reads(units_duration, "1h", 3600 * 1000);
    reads(units_duration, "2d", 2 * 86400 * 1000);
    reads(units_duration, "3", 3000);
    reads(units_duration, "0.25", 250);
    reads(units_duration, ".5s", 500);
    reads(units_duration, "0", 0);
    reads(units_duration, "0.000000s", 0);
}

TEST(a_size_has_a_unit_or_is_in_bytes)
{
    reads(units_size, "1024", 1024);
    reads(units_size, "512B", 512);
    reads(units_size, "64k", 64 << 10);
    reads(units_size, "64K", 64 << 10);
    reads(units_size, "10M", 10 << 20);
    reads(units_size, "10MB", 10 << 20);
    reads(units_size, "10mib", 10 << 20);
    reads(units_size, "1.5G", UINT64_C(3) << 29);
    reads(units_size, "2TiB", UINT64_C(2) << 40);
    reads(units_size, "0", 0);
}

TEST(what_is_left_of_a_unit_counts_as_one)
{
    reads(units_duration, "0.1ms", 1);
    reads(units_duration, "0.000001s", 1);
    reads(units_duration, "1.0001s", 1001);
    reads(units_size, "0.1", 1);
    reads(units_size, "1.999999", 2);
    reads(units_size, "0.999999T", (999999 * (UINT64_C(1) << 40) + 999999) / 1000000);
}

TEST(what_is_no_number_with_a_unit_is_refused)
{
    static const char *const bad[] = {
        "",    " ",    ".",  "5.",  "5.s",  "-1",    "+1",  "-1s", " 1",   "1 ",
        "1 s", "s",    "ms", "1x",  "1ss",  "1.2.3", "1,5", "0x1", "1e3",  "inf",
        "nan", "1.5.", "M",  "1s1", "1MBB", "1iB",   "1bi", "1Mi", "1kMB", "1.1234567"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refuses(units_duration, bad[i]);
        refuses(units_size, bad[i]);
    }
    refuses(units_duration, "1M");
    refuses(units_duration, "1S");
    refuses(units_size, "1s");
    refuses(units_size, "1P");
}

TEST(what_does_not_fit_is_refused)
{
    reads(units_size, "18446744073709551615", UINT64_MAX);
    reads(units_duration, "18446744073709551615ms", UINT64_MAX);
    reads(units_size, "16777215T", UINT64_C(16777215) << 40);
    refuses(units_size, "18446744073709551616");
    refuses(units_size, "18446744073709551615.5");
    refuses(units_size, "99999999999999999999");
    refuses(units_size, "16777216T");
    refuses(units_duration, "18446744073709551615");
    refuses(units_duration, "18446744073709551615d");
    refuses(units_duration, "18446744073709551.616");
    reads(units_duration, "18446744073709551.615", UINT64_MAX);
}

static void shows_size(uint64_t bytes, const char *expected)
{
    char buffer[UNITS_SIZE_MAX];
    assert_ptr_equal(units_show_size(bytes, buffer), buffer);
    assert_string_equal(buffer, expected);
}

TEST(sizes_are_shown_in_the_unit_that_suits_them)
{
    shows_size(0, "0 B");
    shows_size(1023, "1023 B");
    shows_size(1024, "1.0 kB");
    shows_size(1536 << 10, "1.5 MB");
    shows_size(UINT64_C(12) << 30, "12.0 GB");
    shows_size(345 << 20, "345 MB");
    shows_size(UINT64_C(5) << 40, "5.0 TB");
    shows_size(UINT64_C(5) << 50, "5.0 PB");
    shows_size(UINT64_MAX, "16.0 EB");
}

TEST(a_size_is_rounded_and_never_shown_as_1024)
{
    shows_size(1075, "1.0 kB");
    shows_size(1076, "1.1 kB");
    shows_size((99 << 10) + 972, "99.9 kB");
    shows_size((99 << 10) + 973, "100 kB");
    shows_size((100 << 10) + 511, "100 kB");
    shows_size((100 << 10) + 512, "101 kB");
    shows_size((1 << 20) - 513, "1023 kB");
    shows_size((1 << 20) - 512, "1.0 MB");
    shows_size((1 << 20) - 1, "1.0 MB");
}

static void shows_time(uint64_t ms, const char *expected)
{
    char buffer[UNITS_TIME_MAX];
    assert_ptr_equal(units_show_time(ms, buffer), buffer);
    assert_string_equal(buffer, expected);
}

TEST(times_are_shown_with_two_units_at_most)
{
    shows_time(0, "0.0 s");
    shows_time(400, "0.4 s");
    shows_time(59999, "59.9 s");
    shows_time(60000, "1 min 0 s");
    shows_time(123 * 1000, "2 min 3 s");
    shows_time(3599999, "59 min 59 s");
    shows_time(64 * 60 * 1000, "1 h 4 min");
    shows_time(UINT64_MAX, "5124095576030 h 25 min");
}

static void writes(void (*write)(uint64_t, char *, size_t), bool (*read)(const char *, uint64_t *),
                   uint64_t number, const char *expected)
{
    char text[32];
    write(number, text, sizeof text);
    assert_string_equal(text, expected);
    reads(read, text, number);
}

TEST(what_is_written_is_read_as_the_same_number)
{
    writes(units_write_duration, units_duration, 0, "0ms");
    writes(units_write_duration, units_duration, 1500, "1500ms");
    writes(units_write_duration, units_duration, 90 * 1000, "90s");
    writes(units_write_duration, units_duration, 600 * 1000, "10m");
    writes(units_write_duration, units_duration, 86400 * 1000, "24h");
    writes(units_write_duration, units_duration, UINT64_MAX, "18446744073709551615ms");
    writes(units_write_size, units_size, 0, "0");
    writes(units_write_size, units_size, 1000, "1000");
    writes(units_write_size, units_size, 64 << 10, "64k");
    writes(units_write_size, units_size, UINT64_C(3) << 29, "1536M");
    writes(units_write_size, units_size, UINT64_C(5) << 40, "5T");
    writes(units_write_size, units_size, UINT64_MAX, "18446744073709551615");
}
