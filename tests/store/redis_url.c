/* URLs of servers: what is one, and where it leads. */
#include "check.h"
#include "store/redis/url.h"

static void leads_to(const char *url, const char *host, const char *port, const char *user,
                     const char *password, unsigned database)
{
    struct redis_place place;
    char why[WEFT_REDIS_WHY] = "";
    if (weft__redis_url_read(url, &place, why) != 0)
        fail_msg("%s: %s", url, why);
    assert_string_equal(place.host, host);
    assert_string_equal(place.port, port);
    assert_int_equal(place.has_user, user != NULL);
    assert_string_equal(place.user, user != NULL ? user : "");
    assert_int_equal(place.has_password, password != NULL);
    assert_string_equal(place.password, password != NULL ? password : "");
    assert_int_equal(place.database, database);
}

TEST(a_url_says_host_port_login_and_database)
{
    leads_to("redis://host", "host", "6379", NULL, NULL, 0);
    leads_to("redis://host/", "host", "6379", NULL, NULL, 0);
    leads_to("redis://host:1", "host", "1", NULL, NULL, 0);
    leads_to("redis://127.0.0.1:65535/15", "127.0.0.1", "65535", NULL, NULL, 15);
    leads_to("redis://[::1]:7000/0", "::1", "7000", NULL, NULL, 0);
    leads_to("redis://[::1]", "::1", "6379", NULL, NULL, 0);
    leads_to("redis://:secret@host", "host", "6379", NULL, "secret", 0);
    leads_to("redis://user:pass:word@host:2/3", "host", "2", "user", "pass:word", 3);
    leads_to("redis://a%40b:%2f%3A%25@host", "host", "6379", "a@b", "/:%", 0);
    leads_to("redis://user:@host", "host", "6379", "user", "", 0);
}

TEST(a_unix_socket_is_a_url_too)
{
    struct redis_place place;
    assert_int_equal(weft__redis_url_read("unix:/run/redis.sock", &place, NULL), 0);
    assert_string_equal(place.host, "");
    assert_int_equal(place.local.to.any.sa_family, AF_UNIX);
    assert_string_equal(place.local.to.local.sun_path, "/run/redis.sock");
}

TEST(what_is_no_url_is_refused_with_a_reason)
{
    static const char *const bad[] = {"",
                                      "redis",
                                      "redis:",
                                      "redis:/host",
                                      "redis://",
                                      "redis:///0",
                                      "redis://:6379",
                                      "http://host",
                                      "rediss://host",
                                      "REDIS://host",
                                      "redis://host:",
                                      "redis://host:0",
                                      "redis://host:65536",
                                      "redis://host:06379",
                                      "redis://host:6379x",
                                      "redis://host:-1",
                                      "redis://host/x",
                                      "redis://host/1/2",
                                      "redis://host/-1",
                                      "redis://host/00",
                                      "redis://ho st",
                                      "redis://host?db=1",
                                      "redis://host#1",
                                      "redis://[::1",
                                      "redis://::1",
                                      "redis://[]",
                                      "redis://[host]",
                                      "redis://[::1]x",
                                      "redis://user@host",
                                      "redis://a%4:b@host",
                                      "redis://a%zz:b@host",
                                      "redis://a:b%00c@host",
                                      "redis://a:b c@host",
                                      "redis://a:b@",
                                      "redis://a@b:c@host",
                                      "unix:",
                                      " redis://host",
                                      "redis://host "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char why[WEFT_REDIS_WHY] = "";
        if (weft_redis_url_check(bad[i], why) != UV_EINVAL)
            fail_msg("%s is accepted", bad[i]);
        assert_true(strlen(why) > 10);
    }
    assert_int_equal(weft_redis_url_check(NULL, NULL), UV_EINVAL);
}

TEST(what_is_too_long_is_refused)
{
    char long_one[3000] = "redis://";
    memset(long_one + 8, 'a', 2000);
    assert_int_equal(weft_redis_url_check(long_one, NULL), UV_ENAMETOOLONG);
    strcpy(long_one + 8 + 1990, "@host");
    long_one[8] = ':';
    assert_int_equal(weft_redis_url_check(long_one, NULL), UV_ENAMETOOLONG);
    memcpy(long_one, "unix:/aa", 8);
    assert_int_equal(weft_redis_url_check(long_one, NULL), UV_ENAMETOOLONG);
}

TEST(a_reason_never_repeats_the_password)
{
    char why[WEFT_REDIS_WHY];
    assert_int_equal(weft_redis_url_check("redis://me:hunter 2@host", why), UV_EINVAL);
    assert_null(strstr(why, "hunter"));
    assert_int_equal(weft_redis_url_check("redis://me:hunter2@host:x", why), UV_EINVAL);
    assert_null(strstr(why, "hunter"));
    /* Also where it was not written as one. */
    static const char *const slips[] = {
        "redis://:hun/ter@host", "redis://me:hunter",    "redis://:hunter",  "redis://me:hun/ter",
        "redis://me:1/hunter",   "redis://hun/ter@host", "redis://:hunter/", "me:hunter@host",
        "redis://:/hunter",      "redis://hun@ter/@x",   "redis://:hun ter",
    };
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        assert_int_equal(weft_redis_url_check(slips[i], why), UV_EINVAL);
        if (strstr(why, "hun") != NULL || strstr(why, "ter\"") != NULL)
            fail_msg("%s: %s", slips[i], why);
    }
}

static void is_told(const char *url, const char *expected)
{
    char why[WEFT_REDIS_WHY];
    assert_int_equal(weft_redis_url_check(url, why), UV_EINVAL);
    assert_string_equal(why, expected);
}

TEST(a_reason_names_what_is_wrong)
{
    is_told("redis://:p/w@h", "a / in the user or the password has to be written as %2F");
    is_told("redis://:p%2Fw@h:x", "the port is no number from 1 to 65535: \"x\"");
    is_told("redis://h/first",
            "the database, behind the host, is no number from 0 to 65535: \"first\"");
    is_told("redis://ho st", "the host is neither a name nor an address: \"ho st\"");
    is_told("redis://ho\nst\377", "the host is neither a name nor an address: \"ho?st?\"");
    is_told("redis://h:x", "the port is no number from 1 to 65535"); /* or is it a password? */
    char url[400] = "redis://";
    memset(url + 8, '+', 200);
    char why[WEFT_REDIS_WHY];
    assert_int_equal(weft_redis_url_check(url, why), UV_EINVAL);
    assert_true(strlen(why) < 120);
}
