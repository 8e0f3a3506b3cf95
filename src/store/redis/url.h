/* Where a server is, read from its URL. */
#ifndef WEFT_STORE_REDIS_URL_H
#define WEFT_STORE_REDIS_URL_H

#include "weft/address.h"
#include "weft/redis.h"

enum { REDIS_HOST = 256, REDIS_PORT = 6, REDIS_USER = 256, REDIS_PASSWORD = 1024 };

struct redis_place {
    char host[REDIS_HOST], port[REDIS_PORT]; /* for weft_connect; host "": see local */
    struct weft_address local;               /* a Unix socket */
    char user[REDIS_USER], password[REDIS_PASSWORD];
    bool has_user, has_password, has_database;
    unsigned database;
};

/* weft_redis_url_check, and what it says. */
int weft__redis_url_read(const char *url, struct redis_place *place, char why[WEFT_REDIS_WHY]);

#endif
