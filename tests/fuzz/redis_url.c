/* The URL of a server: what is accepted is a host or a socket, whole and terminated, and is accepted again. */
#include "store/redis/url.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "redis_url.c:%d: %s\n", __LINE__, #holds);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool is_local(const struct redis_place *place)
{
    return place->local.size > 0;
}

static void check_place(const struct redis_place *place)
{
    int port = atoi(place->port);
    CHECK(is_local(place) != (place->host[0] != '\0'));
    CHECK(memchr(place->host, '\0', sizeof place->host) != NULL);
    CHECK(memchr(place->password, '\0', sizeof place->password) != NULL);
    CHECK(is_local(place) || (port > 0 && port <= 65535));
    CHECK(!place->has_user || place->has_password);
    CHECK(place->database <= 65535);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct redis_place place;
    char why[WEFT_REDIS_WHY] = "";
    char *url = malloc(size + 1);
    if (url == NULL)
        return 0;
    memcpy(url, data, size);
    url[size] = '\0';
    int status = weft__redis_url_read(url, &place, why);
    CHECK(status == 0 || status == UV_EINVAL || status == UV_ENAMETOOLONG);
    CHECK((status == 0) == (why[0] == '\0'));
    CHECK(memchr(why, '\0', sizeof why) != NULL);
    CHECK(weft_redis_url_check(url, NULL) == status);
    if (status == 0)
        check_place(&place);
    free(url);
    return 0;
}
