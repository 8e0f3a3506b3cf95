/* Names to addresses: those that every machine knows by itself, and some that only this test does.
 *
 * getaddrinfo goes through here: a host called "fake" has the addresses below, and they take as
 * long as the test likes.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <weft/dns.h>

static struct {
    bool wait;
    sem_t reached, go_on;
    int result;
    atomic_uint asked, freed;
    struct addrinfo *list;
} fake;

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **list)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (host == NULL || strcmp(host, "fake") != 0)
        return real(host, service, hints, list);
    if (fake.wait) {
        sem_post(&fake.reached);
        sem_wait(&fake.go_on);
    }
    atomic_fetch_add(&fake.asked, 1);
    *list = fake.list;
    return hints->ai_socktype == SOCK_STREAM ? fake.result : EAI_SOCKTYPE;
}

void freeaddrinfo(struct addrinfo *list)
{
    static void (*real)(struct addrinfo *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "freeaddrinfo");
    if (list != fake.list)
        real(list);
    else
        atomic_fetch_add(&fake.freed, 1);
}

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

static void is(const struct weft_address *address, const char *text)
{
    char found[WEFT_ADDRESS_TEXT];
    assert_int_equal(weft_address_format(address, found, sizeof found), 0);
    assert_string_equal(found, text);
}

TEST(an_address_as_text_is_that_address)
{
    assert_int_equal(looked_up("192.0.2.7", "8080", 0, 0), 0);
    assert_int_equal(lookup.count, 1);
    is(&lookup.addresses[0], "192.0.2.7:8080");
    weft_lookup_free(&lookup);
    assert_null(lookup.addresses);
    assert_int_equal(lookup.count, 0);
    weft_lookup_free(&lookup);

    assert_int_equal(looked_up("2001:db8::7", NULL, 0, 0), 0);
    assert_int_equal(lookup.count, 1);
    is(&lookup.addresses[0], "[2001:db8::7]:0");
    weft_lookup_free(&lookup);
}

TEST(localhost_is_this_machine)
{
    assert_int_equal(looked_up("localhost", "80", AF_INET, 0), 0);
    is(&lookup.addresses[0], "127.0.0.1:80");
    weft_lookup_free(&lookup);
}

TEST(no_host_is_this_machine_too)
{
    assert_int_equal(looked_up(NULL, "80", AF_INET, 0), 0);
    is(&lookup.addresses[0], "127.0.0.1:80");
    weft_lookup_free(&lookup);
    assert_int_equal(looked_up(NULL, "80", AF_INET, AI_PASSIVE), 0);
    is(&lookup.addresses[0], "0.0.0.0:80");
    weft_lookup_free(&lookup);
}

TEST(each_address_stands_once)
{
    assert_int_equal(looked_up("localhost", "80", 0, 0), 0);
    for (size_t i = 0; i < lookup.count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_false(weft_address_equal(&lookup.addresses[i], &lookup.addresses[j]));
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
    is(&lookup.addresses[0], "192.0.2.7:81");
    weft_lookup_free(&lookup);
}

/* Two that are the same, one that differs in its port, one that is no address at all. */
static void make_fake_list(void)
{
    static struct sockaddr_in addresses[3];
    static struct sockaddr other = {.sa_family = AF_UNIX};
    static struct addrinfo list[4];
    for (int i = 0; i < 3; i++) {
        addresses[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(7)};
        inet_pton(AF_INET, "192.0.2.1", &addresses[i].sin_addr);
        list[i] = (struct addrinfo){.ai_family = AF_INET,
                                    .ai_addrlen = sizeof addresses[i],
                                    .ai_addr = (struct sockaddr *)&addresses[i],
                                    .ai_next = &list[i + 1]};
    }
    addresses[2].sin_port = htons(8);
    list[3] = (struct addrinfo){
        .ai_family = AF_UNIX, .ai_addrlen = sizeof other, .ai_addr = &other, .ai_next = NULL};
    fake.list = list;
    fake.wait = false;
    fake.result = 0;
    atomic_store(&fake.asked, 0);
    atomic_store(&fake.freed, 0);
}

TEST(the_same_address_twice_is_one_and_what_is_none_is_left_out)
{
    make_fake_list();
    assert_int_equal(looked_up("fake", "7", 0, 0), 0);
    assert_int_equal(lookup.count, 2);
    is(&lookup.addresses[0], "192.0.2.1:7");
    is(&lookup.addresses[1], "192.0.2.1:8");
    weft_lookup_free(&lookup);
    assert_int_equal(atomic_load(&fake.freed), 1);
}

TEST(an_answer_without_an_address_is_an_error)
{
    make_fake_list();
    fake.list += 3;
    assert_int_equal(looked_up("fake", "7", 0, 0), UV_EAI_NODATA);
    assert_int_equal(atomic_load(&fake.freed), 1);
}

TEST(an_error_of_the_system_is_passed_on)
{
    make_fake_list();
    fake.result = EAI_AGAIN;
    assert_int_equal(looked_up("fake", "7", 0, 0), UV_EAI_AGAIN);
}

/* The op, its host and its service are gone before the system answers. */
TEST(a_question_that_is_being_asked_is_left_behind_by_a_cancel)
{
    make_fake_list();
    fake.wait = true;
    sem_init(&fake.reached, 0, 0);
    sem_init(&fake.go_on, 0, 0);
    struct world w;
    world_up(&w);
    struct weft_lookup *gone = calloc(1, sizeof *gone);
    char *host = strdup("fake");
    weft_lookup(weft_root(&w.loop), gone, host, "7", noted);
    sem_wait(&fake.reached);
    weft_cancel(&gone->op, UV_ETIMEDOUT);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    memset(gone, 0xdd, sizeof *gone);
    free(gone);
    free(host);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    sem_post(&fake.go_on);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(atomic_load(&fake.freed), 1);
    sem_destroy(&fake.reached);
    sem_destroy(&fake.go_on);
}

static void begin_cancelled(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    weft_lookup_begin(op);
}

TEST(a_lookup_that_was_cancelled_before_it_asked_does_not_ask)
{
    make_fake_list();
    struct world w;
    world_up(&w);
    lookup = (struct weft_lookup){.host = "fake", .service = "7"};
    weft_run(weft_root(&w.loop), &lookup.op, begin_cancelled, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(atomic_load(&fake.asked), 0);
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
