/* Which addresses are for everybody: the first and the last of each range that is not, and their
 * neighbours that are.
 * ctest: shuffle=no */
#include "check.h"
#include <string.h>
#include <weft/address.h>

static bool is_public(const char *text)
{
    struct weft_address address;
    if (weft_address_parse(&address, text) != 0)
        fail_msg("%s is no address", text);
    return weft_address_is_public(&address);
}

static void all_are(bool wanted, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        if (is_public(*texts) != wanted)
            fail_msg("%s should%s be public", *texts, wanted ? "" : " not");
    }
}

TEST(most_of_ip4_is_public)
{
    static const char *const open[] = {
        "1.0.0.0:80",         "8.8.8.8:53",         "9.255.255.255:1",
        "11.0.0.0:0",         "100.63.255.255:80",  "100.128.0.0:80",
        "126.255.255.255:8",  "128.0.0.0:80",       "169.253.255.255:80",
        "169.255.0.0:80",     "172.15.255.255:80",  "172.32.0.0:80",
        "191.255.255.255:80", "192.0.1.0:80",       "192.0.3.0:80",
        "192.88.98.255:80",   "192.88.100.0:80",    "192.167.255.255:80",
        "192.169.0.0:80",     "198.17.255.255:80",  "198.20.0.0:80",
        "198.51.99.255:80",   "198.51.101.0:80",    "203.0.112.255:80",
        "203.0.114.0:80",     "223.255.255.255:80", NULL};
    all_are(true, open);
}

TEST(what_is_somebodys_own_is_not)
{
    static const char *const closed[] = {
        "0.0.0.0:80",         "0.255.255.255:80",   "10.0.0.0:80",
        "10.255.255.255:80",  "100.64.0.0:80",      "100.127.255.255:80",
        "127.0.0.0:80",       "127.0.0.1:80",       "127.1.2.3:80",
        "127.255.255.255:80", "169.254.0.0:80",     "169.254.169.254:80",
        "172.16.0.0:80",      "172.31.255.255:80",  "192.0.0.0:80",
        "192.0.0.255:80",     "192.0.2.0:80",       "192.0.2.255:80",
        "192.88.99.1:80",     "192.168.0.0:80",     "198.18.0.0:80",
        "198.19.255.255:80",  "198.51.100.0:80",    "198.51.100.255:80",
        "203.0.113.0:80",     "203.0.113.255:80",   "224.0.0.0:80",
        "239.255.255.255:80", "240.0.0.0:80",       "255.255.255.254:80",
        "192.168.255.255:80", "255.255.255.255:80", NULL};
    all_are(false, closed);
}

TEST(of_ip6_only_global_unicast_is_public)
{
    static const char *const open[] = {"[2000::]:80",
                                       "[2001:200::]:80",
                                       "[2001:db7:ffff::1]:80",
                                       "[2001:db9::]:80",
                                       "[2001:4860:4860::8888]:53",
                                       "[2606:4700::1111]:80",
                                       "[2003::]:80",
                                       "[3ffe:ffff::]:80",
                                       "[3fff:1000::]:80",
                                       NULL};
    static const char *const closed[] = {"[::]:80",
                                         "[::1]:80",
                                         "[::2]:80",
                                         "[::127.0.0.1]:80", /* an old form of a carrier */
                                         "[::8.8.8.8]:80",
                                         "[::ffff:0:8.8.8.8]:80", /* and another */
                                         "[100::1]:80",           /* discarded */
                                         "[64:ff9b:1::8.8.8.8]:80",
                                         "[1fff:ffff::]:80",
                                         "[2001::]:80",
                                         "[2001:0:808:808::f7f7:f7f7]:80", /* Teredo */
                                         "[2001:10::1]:80",
                                         "[2001:1ff:ffff::]:80",
                                         "[2001:db8::]:80",
                                         "[2001:db8:ffff::1]:80",
                                         "[3fff::]:80",
                                         "[3fff:fff:ffff::]:80",
                                         "[4000::]:80",
                                         "[5f00::1]:80",
                                         "[fc00::]:80",
                                         "[fd12:3456::1]:80",
                                         "[fdff:ffff::]:80",
                                         "[fe80::1]:80",
                                         "[fe80::1%1]:80",
                                         "[febf::1]:80",
                                         "[fec0::1]:80",
                                         "[ff02::1]:80",
                                         "[ffff::]:80",
                                         NULL};
    all_are(true, open);
    all_are(false, closed);
}

TEST(an_address_that_carries_another_is_what_that_one_is)
{
    static const char *const open[] = {"[::ffff:8.8.8.8]:80", "[64:ff9b::8.8.8.8]:80",
                                       "[2002:808:808::1]:80", NULL};
    static const char *const closed[] = {
        "[::ffff:127.0.0.1]:80",       "[::ffff:10.0.0.1]:80", "[::ffff:0.0.0.0]:80",
        "[::ffff:169.254.169.254]:80", "[64:ff9b::7f00:1]:80", "[64:ff9b::192.168.0.1]:80",
        "[2002:7f00:1::]:80",          "[2002:c0a8:1::1]:80",  "[2002:a9fe:a9fe::]:80",
        "[2002:a00:1:8:8:8:8:8]:80",   "[2002:6440:1::1]:80",  NULL};
    all_are(true, open);
    all_are(false, closed);
}

TEST(what_is_no_address_is_not_public)
{
    struct weft_address none = {.size = 0}, address;
    assert_false(weft_address_is_public(NULL));
    assert_false(weft_address_is_public(&none));
    assert_false(is_public("unix:/run/a"));
    assert_false(is_public("unix:@a"));
    assert_int_equal(weft_address_parse(&address, "8.8.8.8:80"), 0);
    address.size = sizeof address.to.any.sa_family; /* too short for one */
    assert_false(weft_address_is_public(&address));
    assert_int_equal(weft_address_parse(&address, "[2606:4700::1]:80"), 0);
    address.size = sizeof address.to.ip4;
    assert_false(weft_address_is_public(&address));
    memset(&address, 0, sizeof address);
    address.size = sizeof address.to;
    address.to.any.sa_family = AF_PACKET;
    assert_false(weft_address_is_public(&address));
}
