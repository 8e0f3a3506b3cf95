/* Which addresses are out there for everybody, and which are somebody's own: what a program that
 * follows links of strangers may connect to.
 *
 * It follows the registries of special addresses (RFC 6890 and what was added since). Of IPv4 all is
 * public but a list. Of IPv6 nothing is but 2000::/3, and that without a list. Some IPv6 addresses
 * carry one of IPv4 inside, and a packet to them may come out there: mapped ones, NAT64 and 6to4. They
 * are what that one is. Teredo carries two, one of them in disguise, and nobody serves pages behind
 * it: it is in the list, with all else in 2001::/23 that has a protocol for a purpose. */
#include "address.h"
#include <stdint.h>
#include <string.h>

/* ---- IPv4 ----------------------------------------------------------------------------------- */

#define IP4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

static const struct range4 {
    uint32_t address;
    unsigned bits;
} not_public4[] = {
    {IP4(0, 0, 0, 0), 8},       /* this network; Linux takes 0.0.0.0 for loopback */
    {IP4(10, 0, 0, 0), 8},      /* private */
    {IP4(100, 64, 0, 0), 10},   /* behind a provider's NAT */
    {IP4(127, 0, 0, 0), 8},     /* loopback */
    {IP4(169, 254, 0, 0), 16},  /* link-local, and where clouds keep their keys */
    {IP4(172, 16, 0, 0), 12},   /* private */
    {IP4(192, 0, 0, 0), 24},    /* protocols */
    {IP4(192, 0, 2, 0), 24},    /* documentation */
    {IP4(192, 88, 99, 0), 24},  /* relays of 6to4 */
    {IP4(192, 168, 0, 0), 16},  /* private */
    {IP4(198, 18, 0, 0), 15},   /* benchmarks */
    {IP4(198, 51, 100, 0), 24}, /* documentation */
    {IP4(203, 0, 113, 0), 24},  /* documentation */
    {IP4(224, 0, 0, 0), 3},     /* multicast, reserved, broadcast */
};

static bool is_public4(uint32_t address)
{
    for (size_t i = 0; i < sizeof not_public4 / sizeof *not_public4; i++) {
        if ((address ^ not_public4[i].address) >> (32 - not_public4[i].bits) == 0)
            return false;
    }
    return true;
}

/* ---- IPv6 ----------------------------------------------------------------------------------- */

struct range6 {
    unsigned char address[16];
    unsigned bits;
};

static const struct range6 global = {{0x20}, 3};

static const struct range6 not_public6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23}, /* protocols, Teredo among them */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x3f, 0xff, 0x00}, 20},       /* documentation */
};

/* What carries an address of IPv4: at which byte. */
static const struct carrier {
    struct range6 range;
    unsigned at;
} carriers[] = {
    {{{[10] = 0xff, [11] = 0xff}, 96}, 12}, /* mapped */
    {{{0x00, 0x64, 0xff, 0x9b}, 96}, 12},   /* NAT64 */
    {{{0x20, 0x02}, 16}, 2},                /* 6to4 */
};

static bool is_in(const unsigned char *address, const struct range6 *range)
{
    unsigned whole = range->bits / 8, rest = range->bits % 8;
    return memcmp(address, range->address, whole) == 0 &&
           (rest == 0 || (address[whole] ^ range->address[whole]) >> (8 - rest) == 0);
}

static bool is_public6(const unsigned char *address)
{
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
        const unsigned char *inside = address + carriers[i].at;
        if (is_in(address, &carriers[i].range))
            return is_public4(IP4(inside[0], inside[1], inside[2], inside[3]));
    }
    for (size_t i = 0; i < sizeof not_public6 / sizeof *not_public6; i++) {
        if (is_in(address, &not_public6[i]))
            return false;
    }
    return is_in(address, &global);
}

bool weft_address_is_public(const struct weft_address *address)
{
    if (address == NULL || address->size < sizeof address->to.any.sa_family)
        return false;
    if (address->to.any.sa_family == AF_INET && address->size >= sizeof address->to.ip4)
        return is_public4(ntohl(address->to.ip4.sin_addr.s_addr));
    if (address->to.any.sa_family == AF_INET6 && address->size >= sizeof address->to.ip6)
        return is_public6(address->to.ip6.sin6_addr.s6_addr);
    return false;
}
