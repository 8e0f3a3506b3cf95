/* Names to addresses: only those that every machine knows by itself.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <weft/dns.h>

static struct weft_lookup lookup;

static int looked_up(const char *host, const char *service, int family, int flags)
{
    struct world w;
    world_up(&w);
    lookup = (struct weft_lookup){.family = family, .flags = flags};
    weft_lookup(weft_root(&w.loop), &lookup, host, service, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    if (seen.status != 0) {
        assert_null(lookup.addresses);
        assert_int_equal(lookup.count, 0);
    } else {
        assert_true(lookup.count > 0);
    }
    return seen.status;
}

static void is_v4(const struct sockaddr_storage *address, const char *text, uint16_t port)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    char found[64];
    assert_int_equal(in->sin_family, AF_INET);
    assert_int_equal(ntohs(in->sin_port), port);
    assert_string_equal(inet_ntop(AF_INET, &in->sin_addr, found, sizeof found), text);
}

TEST(an_address_as_text_is_that_address)
{
    assert_int_equal(looked_up("192.0.2.7", "8080", 0, 0), 0);
    assert_int_equal(lookup.count, 1);
    is_v4(&lookup.addresses[0], "192.0.2.7", 8080);
    weft_lookup_free(&lookup);
    assert_null(lookup.addresses);
    assert_int_equal(lookup.count, 0);
    weft_lookup_free(&lookup);

    assert_int_equal(looked_up("2001:db8::7", NULL, 0, 0), 0);
    assert_int_equal(lookup.count, 1);
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&lookup.addresses[0];
    char found[64];
    assert_int_equal(in6->sin6_family, AF_INET6);
    assert_int_equal(in6->sin6_port, 0);
    assert_string_equal(inet_ntop(AF_INET6, &in6->sin6_addr, found, sizeof found), "2001:db8::7");
    weft_lookup_free(&lookup);
}

TEST(localhost_is_this_machine)
{
    assert_int_equal(looked_up("localhost", "80", AF_INET, 0), 0);
    is_v4(&lookup.addresses[0], "127.0.0.1", 80);
    weft_lookup_free(&lookup);
}

TEST(no_host_is_this_machine_too)
{
    assert_int_equal(looked_up(NULL, "80", AF_INET, 0), 0);
    is_v4(&lookup.addresses[0], "127.0.0.1", 80);
    weft_lookup_free(&lookup);
    assert_int_equal(looked_up(NULL, "80", AF_INET, AI_PASSIVE), 0);
    is_v4(&lookup.addresses[0], "0.0.0.0", 80);
    weft_lookup_free(&lookup);
}

TEST(each_address_stands_once)
{
    assert_int_equal(looked_up("localhost", "80", 0, 0), 0);
    for (size_t i = 0; i < lookup.count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(&lookup.addresses[i], &lookup.addresses[j],
                                    sizeof(struct sockaddr_storage));
    }
    weft_lookup_free(&lookup);
}

TEST(a_family_is_kept_to)
{
    assert_int_equal(looked_up("127.0.0.1", "80", AF_INET, 0), 0);
    weft_lookup_free(&lookup);
    int status = looked_up("127.0.0.1", "80", AF_INET6, AI_NUMERICHOST);
    assert_true(status == UV_EAI_ADDRFAMILY || status == UV_EAI_NONAME || status == UV_EAI_FAMILY ||
                status == UV_EAI_NODATA);
    assert_int_equal(looked_up("127.0.0.1", "80", AF_UNIX, 0), UV_EINVAL);
    assert_int_equal(looked_up("127.0.0.1", "80", -1, 0), UV_EINVAL);
}

TEST(nothing_at_all_is_refused)
{
    assert_int_equal(looked_up(NULL, NULL, 0, 0), UV_EINVAL);
}

TEST(what_is_no_name_is_an_error)
{
    char *name = malloc(100001);
    assert_non_null(name);
    memset(name, 'x', 100000);
    name[100000] = '\0';
    assert_true(looked_up(name, "80", 0, AI_NUMERICHOST) < 0);
    name[300] = '\0';
    assert_true(looked_up(name, "80", 0, AI_NUMERICHOST) < 0);
    free(name);
    assert_true(looked_up("", "80", 0, AI_NUMERICHOST) < 0);
    assert_int_equal(looked_up("not an address", NULL, 0, AI_NUMERICHOST), UV_EAI_NONAME);
    assert_true(looked_up("\xff\xfe", NULL, 0, AI_NUMERICHOST) < 0);
    assert_int_equal(looked_up("127.0.0.1", "no such service", 0, 0), UV_EAI_SERVICE);
}

TEST(host_and_service_may_go_as_soon_as_it_has_begun)
{
    struct world w;
    world_up(&w);
    lookup = (struct weft_lookup){.family = AF_INET};
    char *host = strdup("192.0.2.7"), *service = strdup("81");
    weft_lookup(weft_root(&w.loop), &lookup, host, service, noted);
    memset(host, 'x', strlen(host));
    free(host);
    free(service);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    is_v4(&lookup.addresses[0], "192.0.2.7", 81);
    weft_lookup_free(&lookup);
}

/* More than the pool has threads: some are asked, some wait, all are left alone. */
TEST(many_lookups_cancelled_at_once_let_go_at_once)
{
    enum { MANY = 20 };
    struct weft_lookup lookups[MANY];
    memset(lookups, 0, sizeof lookups);
    struct world w;
    world_up(&w);
    for (int i = 0; i < MANY; i++)
        weft_lookup(weft_root(&w.loop), &lookups[i], "localhost", "80", noted);
    weft_cancel(weft_root(&w.loop), UV_EINTR);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, MANY);
    memset(lookups, 0xdd, sizeof lookups);
    world_down(&w);
    assert_int_equal(seen.calls, MANY);
}
