/* Hosts and the connections to them: which one a request gets, and who has to wait.
 *
 *     being made ──► used ◄──► idle ──► closed: too many are idle, one too old, the server left
 *
 * A request takes the connection to its host that was used last; if there is none and the limits
 * allow it, a new one; otherwise it waits in its host's line (its phase is PHASE_CURL: the time
 * does not count as connecting). Where it is only the limit of all that is in the way, an idle
 * connection of another host makes room.
 *
 * Whenever a request leaves, with its connection let go or closed, one who waits is called: of this
 * host first, else of the host that waits longest. Who is called takes what he finds, as anybody
 * would, or waits again. Nobody waits beside an idle connection that could help him, so one that
 * closes while it is idle changes nothing.
 *
 * A connection counts from the first try to reach the host: that several addresses may be tried
 * beside each other for a moment does not. */
#include "direct.h"
#include "weft/alloc.h"
#include <string.h>

/* ---- hosts ---------------------------------------------------------------------------------- */

static unsigned bucket_of(const char *name, unsigned port)
{
    uint32_t hash = 2166136261u ^ port;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash % DIRECT_BUCKETS;
}

struct direct_host *weft__http_host_join(struct weft_http_engine *engine, const char *name,
                                         unsigned port)
{
    unsigned bucket = bucket_of(name, port);
    struct direct_host *host = engine->hosts[bucket];
    while (host != NULL && (host->port != port || strcmp(host->name, name) != 0))
        host = host->next;
    if (host == NULL) {
        size_t size = strlen(name) + 1;
        host = weft_calloc(1, sizeof *host + size);
        if (host == NULL)
            return NULL;
        host->engine = engine;
        host->port = port;
        memcpy(host->name, name, size);
        links_init(&host->idle);
        links_init(&host->waiters);
        host->next = engine->hosts[bucket];
        engine->hosts[bucket] = host;
    }
    host->users++;
    return host;
}

static void forget_if_unused(struct direct_host *host)
{
    if (host->users != 0 || host->connections != 0)
        return;
    struct direct_host **link = &host->engine->hosts[bucket_of(host->name, host->port)];
    while (*link != host)
        link = &(*link)->next;
    *link = host->next;
    links_remove(&host->hungry);
    weft_free(host);
}

void weft__http_host_leave(struct direct_host *host)
{
    host->users--;
    forget_if_unused(host);
}

/* ---- limits --------------------------------------------------------------------------------- */

static bool below(unsigned count, unsigned most)
{
    return most == 0 || count < most;
}

static bool host_has_room(const struct direct_host *host)
{
    return below(host->connections, host->engine->client->max_host_connections);
}

static bool all_have_room(const struct weft_http_engine *engine)
{
    return below(engine->direct_connections, engine->client->max_connections);
}

static struct direct_connection *first_idle(const struct weft_http_chain *idle)
{
    return weft_owner(idle->next_, struct direct_connection, age);
}

/* Room for one more, if an idle one has to go for it. */
static bool make_room(struct direct_host *host)
{
    struct weft_http_engine *engine = host->engine;
    if (!host_has_room(host) && !links_empty(&host->idle))
        weft__http_connection_close(weft_owner(host->idle.next_, struct direct_connection, beside));
    if (!host_has_room(host))
        return false;
    if (!all_have_room(engine) && !links_empty(&engine->idle))
        weft__http_connection_close(first_idle(&engine->idle));
    return all_have_room(engine);
}

/* Would somebody who waits for this host get anywhere? */
static bool could_go(const struct direct_host *host)
{
    const struct weft_http_engine *engine = host->engine;
    return !links_empty(&host->idle) ||
           (host_has_room(host) && (all_have_room(engine) || !links_empty(&engine->idle)));
}

static bool call_one(struct direct_host *host)
{
    if (links_empty(&host->waiters) || !could_go(host))
        return false;
    struct weft_http_fetch *fetch = weft_owner(host->waiters.next_, struct weft_http_fetch, wait_);
    links_remove(&fetch->wait_);
    if (links_empty(&host->waiters))
        links_remove(&host->hungry);
    weft__http_todo(fetch);
    return true;
}

void weft__http_pool_serve(struct direct_host *host)
{
    struct weft_http_engine *engine = host->engine;
    struct weft_http_chain *at = engine->hungry.next_;
    if (engine->closing || at == &engine->hungry || call_one(host))
        return;
    while (at != &engine->hungry) {
        struct direct_host *other = weft_owner(at, struct direct_host, hungry);
        at = at->next_;
        if (links_empty(&other->waiters))
            links_remove(&other->hungry);
        else if (call_one(other))
            return;
    }
}

/* ---- taking and keeping --------------------------------------------------------------------- */

static void out_of_idle(struct direct_connection *connection)
{
    links_remove(&connection->beside);
    links_remove(&connection->age);
    connection->host->engine->idle_count--;
}

/* The one that was used last, and can be used. */
static struct direct_connection *take_idle(struct direct_host *host)
{
    uint64_t now = weft_now(host->engine->loop);
    while (!links_empty(&host->idle)) {
        struct direct_connection *connection =
            weft_owner(host->idle.prev_, struct direct_connection, beside);
        if (now - connection->idle_since <= DIRECT_AGE_MS &&
            !weft__http_connection_stale(connection)) {
            out_of_idle(connection);
            return connection;
        }
        weft__http_connection_close(connection);
    }
    return NULL;
}

int weft__http_pool_take(struct weft_http_direct *direct)
{
    struct direct_host *host = direct->host;
    struct direct_connection *kept = direct->fresh ? NULL : take_idle(host);
    if (kept != NULL) {
        kept->user = direct;
        direct->connection = kept;
        direct->reused = true;
        weft__http_socket_want(kept->sock, true);
        weft__http_direct_ask(direct);
        return 0;
    }
    if (make_room(host)) {
        direct->slot = true;
        host->connections++;
        host->engine->direct_connections++;
        weft__http_dial(direct);
        return 0;
    }
    links_append(&host->waiters, &direct->fetch->wait_);
    if (host->hungry.next_ == NULL)
        links_append(&host->engine->hungry, &host->hungry);
    return 1;
}

void weft__http_pool_keep(struct direct_connection *connection)
{
    struct direct_host *host = connection->host;
    struct weft_http_engine *engine = host->engine;
    const struct weft_http_client *client = engine->client;
    unsigned handles = client->max_handles != 0 ? client->max_handles : WEFT_FETCH_HANDLES;
    connection->user = NULL;
    connection->idle_since = weft_now(engine->loop);
    weft__http_buffer_give(connection);
    weft__http_socket_want(connection->sock, false);
    weft__http_socket_watch(connection->sock, UV_READABLE);
    links_append(&host->idle, &connection->beside);
    links_append(&engine->idle, &connection->age);
    if (++engine->idle_count > (client->max_idle != 0 ? client->max_idle : handles))
        weft__http_connection_close(first_idle(&engine->idle));
}

void weft__http_pool_less(struct direct_host *host)
{
    host->connections--;
    host->engine->direct_connections--;
    forget_if_unused(host);
}
