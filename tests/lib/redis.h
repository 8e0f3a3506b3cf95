/* tests/lib/redis.h: a real redis-server of the test's own, on a free port and a Unix socket.
 *
 *     struct redis_server server;
 *     redis_server_up(&server, NULL);       // leaves the test (skipped) if there is no redis-server
 *     ... server.url ...
 *     redis_server_down(&server);
 *
 * It keeps nothing on disk, unless it is told to, and dies with the test program. */
#ifndef TESTS_REDIS_H
#define TESTS_REDIS_H

#include "check.h"
#include "scratch.h"
#include <sys/types.h>

struct redis_server {
    pid_t pid; /* 0: it does not run */
    unsigned port;
    char password[64]; /* "": none */
    char url[128], path_url[SCRATCH_PATH + 8];
    char path[SCRATCH_PATH];
    char folder
        [SCRATCH_PATH]; /* of one that keeps what it was told, synced before it answers; "": none */
    const char *addresses; /* where it listens */
};

/* Start it, and wait until it answers. password: NULL for none. */
void redis_server_up(struct redis_server *server, const char *password);
/* The same, but it keeps what it was told when it is killed; and listens at addresses, NULL: the loopback's. */
void redis_server_up_kept(struct redis_server *server, const char *addresses);
/* The same server again, at the same place, with what it keeps or empty, after redis_server_down. */
void redis_server_again(struct redis_server *server);
/* Kill it with no warning, and wait for it. Safe on one that does not run. */
void redis_server_down(struct redis_server *server);

/* Say something to it, in a line with spaces, over a connection of its own, and wait for the answer: the
 * raw reply in a static buffer, up to its first kilobytes. */
const char *redis_server_say(const struct redis_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
