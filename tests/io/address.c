/* Addresses: as text, both ways; their ports; whether two are the same. */
#include "check.h"
#include <limits.h>
#include <string.h>
#include <uv.h>
#include <weft/address.h>

static void reads_as(const char *text, int family, unsigned port)
{
    struct weft_address address, again;
    char back[WEFT_ADDRESS_TEXT];
    assert_int_equal(weft_address_parse(&address, text), 0);
    assert_int_equal(address.to.any.sa_family, family);
    assert_int_equal(weft_address_port(&address), port);
    assert_int_equal(weft_address_format(&address, back, sizeof back), 0);
    assert_int_equal(weft_address_parse(&again, back), 0);
    assert_memory_equal(&address, &again, sizeof address);
}

static void comes_back(const char *text)
{
    struct weft_address address;
    char back[WEFT_ADDRESS_TEXT];
    assert_int_equal(weft_address_parse(&address, text), 0);
    assert_int_equal(weft_address_format(&address, back, sizeof back), 0);
    assert_string_equal(back, text);
}

static void is_refused(const char *text, int status)
{
    struct weft_address address;
    memset(&address, 0xdd, sizeof address);
    if (weft_address_parse(&address, text) != status)
        fail_msg("%s: not refused with %s", text, uv_err_name(status));
    assert_int_equal(address.size, 0);
}

TEST(an_address_reads_as_what_it_is)
{
    reads_as("127.0.0.1:80", AF_INET, 80);
    reads_as("0.0.0.0:0", AF_INET, 0);
    reads_as("255.255.255.255:65535", AF_INET, 65535);
    reads_as("[::1]:443", AF_INET6, 443);
    reads_as("[::]:0", AF_INET6, 0);
    reads_as("[2001:db8:0:0:1:0:0:1]:1", AF_INET6, 1);
    reads_as("[::ffff:192.0.2.1]:1", AF_INET6, 1);
    reads_as("[fe80::1%1]:1", AF_INET6, 1);
    reads_as("[fe80::1%4294967295]:1", AF_INET6, 1);
    reads_as("unix:/run/weft.sock", AF_UNIX, 0);
    reads_as("unix:relative", AF_UNIX, 0);
    reads_as("unix:@abstract", AF_UNIX, 0);
    reads_as("unix:./@a-file", AF_UNIX, 0);
}

TEST(an_address_in_its_own_form_comes_back_unchanged)
{
    comes_back("127.0.0.1:80");
    comes_back("[::1]:0");
    comes_back("[2001:db8::1:0:0:1]:65535");
    comes_back("[fe80::1%3]:22");
    comes_back("unix:/run/weft.sock");
    comes_back("unix:@abstract");
}

TEST(an_abstract_name_counts_no_nul)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "unix:@ab"), 0);
    assert_int_equal(address.size, offsetof(struct sockaddr_un, sun_path) + 3);
    assert_int_equal(address.to.local.sun_path[0], 0);
    assert_int_equal(address.to.local.sun_path[1], 'a');
}

TEST(what_is_not_quite_an_address_is_refused)
{
    static const char *const texts[] = {
        "",
        ":",
        "localhost:80",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:+1",
        "127.0.0.1: 80",
        " 127.0.0.1:80",
        "127.0.0.1:80 ",
        "127.0.0.1:080",
        "127.0.0.1:00",
        "127.0.0.1:8o",
        "127.0.0.1:80:80",
        "127.0.0.01:80",
        "127.0.0:80",
        "127.1:80",
        "0x7f.0.0.1:80",
        "256.0.0.1:80",
        "127.0.0.1:99999999999999999999",
        "::1:80",
        "::1",
        "[::1]",
        "[::1]80",
        "[::1]:",
        "[::1]:80x",
        "[::1:80",
        "[]:80",
        "[127.0.0.1]:80",
        "[::1]]:80",
        "[[::1]]:80",
        "[::1%]:80",
        "[::1%0]:80",
        "[::1%01]:80",
        "[::1%eth0]:80",
        "[::1%4294967296]:80",
        "[::1%1%1]:80",
        "[::1 ]:80",
        "[1:2:3:4:5:6:7:8:9]:80",
        "[12345::]:80",
        "unix:",
        "unix:@",
        "UNIX:/x",
        "unix",
        "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        is_refused(texts[i], UV_EINVAL);
    is_refused(NULL, UV_EINVAL);
    assert_int_equal(weft_address_parse(NULL, "127.0.0.1:80"), UV_EINVAL);
}

TEST(a_path_has_to_fit)
{
    char text[200] = "unix:/";
    size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
    memset(text + 6, 'x', most - 1);
    reads_as(text, AF_UNIX, 0);
    text[5 + most] = 'x';
    is_refused(text, UV_ENAMETOOLONG);
}

TEST(a_text_has_to_fit)
{
    struct weft_address address;
    char text[WEFT_ADDRESS_TEXT];
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:80"), 0);
    assert_int_equal(weft_address_format(&address, text, 13), 0);
    assert_string_equal(text, "127.0.0.1:80");
    assert_int_equal(weft_address_format(&address, text, 12), UV_ENOBUFS);
    assert_string_equal(text, "");
    assert_int_equal(weft_address_format(&address, text, 0), UV_ENOBUFS);
    assert_int_equal(weft_address_format(&address, NULL, 0), UV_EINVAL);
}

TEST(what_is_no_address_has_no_text)
{
    struct weft_address address = {.size = 0};
    char text[WEFT_ADDRESS_TEXT] = "before";
    assert_int_equal(weft_address_format(&address, text, sizeof text), UV_EINVAL);
    assert_string_equal(text, "");
    assert_int_equal(weft_address_format(NULL, text, sizeof text), UV_EINVAL);
    address.size = sizeof address.to.ip4;
    address.to.any.sa_family = AF_PACKET;
    assert_int_equal(weft_address_format(&address, text, sizeof text), UV_EINVAL);
    address.to.any.sa_family = AF_INET6; /* too short for one */
    assert_int_equal(weft_address_format(&address, text, sizeof text), UV_EINVAL);
    assert_int_equal(weft_address_port(NULL), 0);
}

TEST(unix_sockets_without_a_usual_name_have_a_text)
{
    struct weft_address address = {.size = offsetof(struct sockaddr_un, sun_path)};
    char text[WEFT_ADDRESS_TEXT];
    address.to.any.sa_family = AF_UNIX;
    assert_int_equal(weft_address_format(&address, text, sizeof text), 0);
    assert_string_equal(text, "unix:");
    memcpy(address.to.local.sun_path, "\0a\0b", 4);
    address.size += 4;
    assert_int_equal(weft_address_format(&address, text, sizeof text), 0);
    assert_string_equal(text, "unix:@a@b");
    memset(address.to.local.sun_path, 'x', sizeof address.to.local.sun_path); /* no NUL */
    address.size = sizeof address.to.local;
    assert_int_equal(weft_address_format(&address, text, sizeof text), 0);
    assert_int_equal(strlen(text), 5 + sizeof address.to.local.sun_path);
    address.size = sizeof address.to.local + 100; /* more than there is */
    assert_int_equal(weft_address_format(&address, text, sizeof text), 0);
}

/* ---- ports, and whether two are the same ---------------------------------------------------- */

static void becomes(const char *text, unsigned port, const char *expected)
{
    struct weft_address address;
    char back[WEFT_ADDRESS_TEXT];
    assert_int_equal(weft_address_parse(&address, text), 0);
    assert_int_equal(weft_address_set_port(&address, port), 0);
    assert_int_equal(weft_address_port(&address), port);
    assert_int_equal(weft_address_format(&address, back, sizeof back), 0);
    assert_string_equal(back, expected);
}

TEST(a_port_can_be_changed)
{
    becomes("127.0.0.1:80", 8080, "127.0.0.1:8080");
    becomes("127.0.0.1:80", 0, "127.0.0.1:0");
    becomes("[::1]:0", 65535, "[::1]:65535");
    becomes("[fe80::1%3]:1", 258, "[fe80::1%3]:258");
}

static void has_no_port(struct weft_address *address, unsigned port)
{
    struct weft_address before = *address;
    assert_int_equal(weft_address_set_port(address, port), UV_EINVAL);
    assert_memory_equal(address, &before, sizeof before);
}

TEST(a_port_has_to_fit_and_to_be_there)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:80"), 0);
    has_no_port(&address, 65536);
    has_no_port(&address, UINT_MAX);
    address.size = sizeof address.to.ip4 - 1; /* too short for one */
    has_no_port(&address, 1);
    assert_int_equal(weft_address_port(&address), 0);
    assert_int_equal(weft_address_parse(&address, "unix:/run/weft.sock"), 0);
    has_no_port(&address, 1);
    memset(&address, 0, sizeof address);
    has_no_port(&address, 1);
    assert_int_equal(weft_address_set_port(NULL, 1), UV_EINVAL);
}

static bool are_equal(const char *one, const char *other)
{
    struct weft_address a, b;
    assert_int_equal(weft_address_parse(&a, one), 0);
    assert_int_equal(weft_address_parse(&b, other), 0);
    assert_true(weft_address_equal(&a, &a));
    assert_int_equal(weft_address_equal(&a, &b), weft_address_equal(&b, &a));
    return weft_address_equal(&a, &b);
}

TEST(two_addresses_are_equal_if_they_lead_to_the_same_place)
{
    assert_true(are_equal("127.0.0.1:80", "127.0.0.1:80"));
    assert_false(are_equal("127.0.0.1:80", "127.0.0.1:81"));
    assert_false(are_equal("127.0.0.1:80", "127.0.0.2:80"));
    assert_true(are_equal("[::1]:80", "[0:0:0:0:0:0:0:1]:80"));
    assert_false(are_equal("[::1]:80", "[::1]:81"));
    assert_false(are_equal("[::1]:80", "[::2]:80"));
    assert_true(are_equal("[fe80::1%2]:80", "[fe80::1%2]:80"));
    assert_false(are_equal("[fe80::1%2]:80", "[fe80::1%3]:80"));
    assert_false(are_equal("192.0.2.1:80", "[::ffff:192.0.2.1]:80"));
    assert_true(are_equal("unix:/a", "unix:/a"));
    assert_false(are_equal("unix:/a", "unix:/ab"));
    assert_false(are_equal("unix:a", "unix:@a"));
    assert_true(are_equal("unix:@ab", "unix:@ab"));
    assert_false(are_equal("unix:@ab", "unix:@ac"));
    assert_false(are_equal("unix:@ab", "127.0.0.1:80"));
}

TEST(what_is_not_part_of_an_address_does_not_make_two_of_one)
{
    struct weft_address a, b;
    assert_int_equal(weft_address_parse(&a, "127.0.0.1:80"), 0);
    memset(&b, 0xdd, sizeof b);
    b.to.ip4.sin_family = AF_INET;
    b.to.ip4.sin_port = a.to.ip4.sin_port;
    b.to.ip4.sin_addr = a.to.ip4.sin_addr;
    b.size = sizeof b.to;
    assert_true(weft_address_equal(&a, &b));
    assert_int_equal(weft_address_parse(&a, "[::1]:80"), 0);
    b = a;
    b.to.ip6.sin6_flowinfo = 7;
    assert_true(weft_address_equal(&a, &b));
    assert_int_equal(weft_address_parse(&a, "unix:/a"), 0);
    b = a;
    b.size--; /* a path need not count its NUL */
    assert_true(weft_address_equal(&a, &b));
}

TEST(the_names_of_unix_sockets_are_compared_to_their_ends)
{
    struct weft_address a, b;
    assert_int_equal(weft_address_parse(&a, "unix:@ab"), 0);
    b = a;
    b.size--;
    assert_false(weft_address_equal(&a, &b));
    b.size = offsetof(struct sockaddr_un, sun_path); /* no name */
    assert_false(weft_address_equal(&a, &b));
    assert_true(weft_address_equal(&b, &b));
    memset(a.to.local.sun_path, 'x', sizeof a.to.local.sun_path); /* no NUL, and a size beyond it */
    a.size = sizeof a.to.local + 100;
    b = a;
    assert_true(weft_address_equal(&a, &b));
    b.to.local.sun_path[sizeof b.to.local.sun_path - 1] = 'y';
    assert_false(weft_address_equal(&a, &b));
}

TEST(what_is_no_address_equals_nothing)
{
    struct weft_address none = {.size = 0}, address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:80"), 0);
    assert_false(weft_address_equal(&none, &none));
    assert_false(weft_address_equal(&none, &address));
    assert_false(weft_address_equal(&address, NULL));
    assert_false(weft_address_equal(NULL, NULL));
    none.size = sizeof none.to.ip4;
    none.to.any.sa_family = AF_PACKET;
    assert_false(weft_address_equal(&none, &none));
    none.to.any.sa_family = AF_INET6; /* too short for one */
    assert_false(weft_address_equal(&none, &none));
}
