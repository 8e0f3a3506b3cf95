/* Hosts and their addresses.
 *
 * A name is looked up once, by a weft_http_resolve below the client, however many fetches wait for
 * it; they stand in its line. What comes is kept for a while and handed to curl with the first
 * request that needs it: curl has a table of its own for host and port, which our "host:port:…"
 * overwrites and "-host:port" empties; what came so never ages there. ports[] are the
 * ports for which curl is known to have the present addresses: it took them over when a request
 * that carried them was about to be sent. generation tells whether those were the present ones.
 *
 *     no name ──► lookup under way, fetches wait ──► addresses ──► too old: lookup again, …
 *                          │ failed, or nobody waits           └► evicted: the oldest first
 *                          ▼
 *                       no name
 *
 * curl itself never looks up a name: see weft__http_handle_take. */
#include "client.h"
#include "weft/alloc.h"
#include <stdio.h>
#include <string.h>

struct lookup {
    struct weft_http_resolve resolve;
    struct weft_http_name *name;
    bool abandoned; /* nobody waited any more: it was cancelled */
};

static unsigned bucket_of(const char *host)
{
    uint32_t hash = 2166136261u;
    for (; *host != '\0'; host++)
        hash = (hash ^ (unsigned char)*host) * 16777619u;
    return hash % NAME_BUCKETS;
}

static struct weft_http_name *find(const struct weft_http_engine *engine, const char *host)
{
    struct weft_http_name *name = engine->buckets[bucket_of(host)];
    while (name != NULL && strcmp(name->host, host) != 0)
        name = name->next;
    return name;
}

/* ---- making and forgetting ------------------------------------------------------------------ */

static void name_free(struct weft_http_name *name)
{
    struct weft_http_engine *engine = name->engine;
    struct weft_http_name **link = &engine->buckets[bucket_of(name->host)];
    while (*link != name)
        link = &(*link)->next;
    *link = name->next;
    links_remove(&name->age);
    engine->name_count--;
    weft_free(name->addresses);
    weft_free(name);
}

/* Have curl forget it as well. Without memory it does not: it only keeps what nobody asks for. */
static void forget(struct weft_http_name *name)
{
    char text[HOST_TEXT + 16];
    for (unsigned i = 0; i < name->port_count; i++) {
        snprintf(text, sizeof text, "-%s:%u", name->host, name->ports[i]);
        struct curl_slist *longer = curl_slist_append(name->engine->forget, text);
        if (longer != NULL)
            name->engine->forget = longer;
    }
    name_free(name);
}

/* There is room for one more. The oldest go first; those that are waited for stay. */
static void evict(struct weft_http_engine *engine)
{
    unsigned most = engine->client->dns_max != 0 ? engine->client->dns_max : WEFT_FETCH_DNS_ENTRIES;
    struct weft_http_chain *at = engine->names.next_;
    while (engine->name_count >= most && at != &engine->names) {
        struct weft_http_name *name = weft_owner(at, struct weft_http_name, age);
        at = at->next_;
        if (name->resolve == NULL)
            forget(name);
    }
}

static struct weft_http_name *name_make(struct weft_http_engine *engine, const char *host)
{
    evict(engine);
    size_t size = strlen(host) + 1;
    struct weft_http_name *name = weft_calloc(1, sizeof *name + size);
    if (name == NULL)
        return NULL;
    name->engine = engine;
    memcpy(name->host, host, size);
    links_init(&name->waiters);
    links_append(&engine->names, &name->age);
    name->next = engine->buckets[bucket_of(host)];
    engine->buckets[bucket_of(host)] = name;
    engine->name_count++;
    return name;
}

void weft__http_names_free(struct weft_http_engine *engine)
{
    while (!links_empty(&engine->names))
        name_free(weft_owner(engine->names.next_, struct weft_http_name, age));
    if (engine->forget != NULL)
        curl_slist_free_all(engine->forget);
    engine->forget = NULL;
}

/* ---- the lookup ----------------------------------------------------------------------------- */

/* The addresses as curl reads them, and behind them as they are. */
static char *addresses_text(const struct weft_http_resolve *resolve, struct weft_address **list,
                            size_t *count)
{
    enum { EACH = INET6_ADDRSTRLEN + 20 };
    size_t room = resolve->count * EACH + sizeof **list;
    room -= room % sizeof **list;
    char *text = weft_alloc(room + resolve->count * sizeof **list);
    size_t used = 0;
    if (text == NULL)
        return NULL;
    text[0] = '\0';
    *list = (struct weft_address *)(void *)(text + room);
    *count = 0;
    for (size_t i = 0; i < resolve->count; i++) {
        const struct weft_address *address = &resolve->addresses[i];
        char one[WEFT_ADDRESS_TEXT];
        if (weft_address_format(address, one, sizeof one) != 0 ||
            (address->to.any.sa_family != AF_INET && address->to.any.sa_family != AF_INET6))
            continue;
        *strrchr(one, ':') = '\0'; /* without the port */
        used += (size_t)snprintf(text + used, EACH, "%s%s", used > 0 ? "," : "", one);
        (*list)[(*count)++] = *address;
    }
    return text;
}

static int keep(struct weft_http_name *name, const struct weft_http_resolve *resolve)
{
    struct weft_http_client *client = name->engine->client;
    uint64_t ttl = client->dns_ttl_ms != 0 ? client->dns_ttl_ms : WEFT_FETCH_DNS_TTL_MS;
    struct weft_address *list = NULL;
    size_t count = 0;
    char *text =
        resolve->count <= WEFT_FETCH_ADDRESSES ? addresses_text(resolve, &list, &count) : NULL;
    if (text == NULL)
        return UV_ENOMEM;
    if (text[0] == '\0') {
        weft_free(text);
        return UV_EAI_NODATA;
    }
    weft_free(name->addresses);
    name->addresses = text;
    name->list = list;
    name->count = count;
    name->due = weft_now(name->engine->loop) + ttl;
    name->generation = ++name->engine->generations;
    name->port_count = 0;
    links_remove(&name->age);
    links_append(&name->engine->names, &name->age);
    return 0;
}

/* Everybody who waits goes on, or fails with status. */
static void release(struct weft_http_name *name, int status)
{
    uint64_t now = uv_hrtime();
    while (!links_empty(&name->waiters)) {
        struct weft_http_fetch *fetch =
            weft_owner(name->waiters.next_, struct weft_http_fetch, wait_);
        links_remove(&fetch->wait_);
        fetch->name_ = NULL;
        fetch->resolve_ns_ = now - name->ns;
        if (status != 0) {
            weft__http_fetch_decide(fetch, status,
                                    status == UV_ENOMEM ? WEFT_FETCH_FAILED_MEMORY
                                                        : WEFT_FETCH_FAILED_RESOLVE,
                                    WEFT_FETCH_NO_DETAIL);
            fetch->stopped_ = true;
        }
        weft__http_todo(fetch);
    }
}

static int ask(struct weft_http_name *name);

static void lookup_over(struct weft_op *client, struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    struct lookup *lookup = weft_owner(resolve, struct lookup, resolve);
    struct weft_http_name *name = lookup->name;
    struct weft_http_engine *engine = name->engine;
    (void)client;
    weft__http_enter(engine);
    engine->lookups--;
    name->resolve = NULL;
    bool again = lookup->abandoned && !links_empty(&name->waiters) && !engine->closing;
    int status = op->status != 0 ? op->status : keep(name, resolve);
    weft_free(lookup);
    if (again)
        status = ask(name);
    if (!again || status != 0)
        release(name, status);
    if (status != 0)
        forget(name);
    bool shut = engine->shut;
    weft__http_leave(engine);
    if (shut)
        weft__http_settle(engine);
}

/* The resolver is the user's, and may be asked because of an event of libuv's. */
static void begin_lookup(struct weft_http_client *client, struct lookup *lookup)
{
    weft_begin_fn *resolve = client->resolve != NULL ? client->resolve : weft_http_resolve_begin;
    struct weft_frame frame;
    weft_enter(&frame, &client->op, (weft_entry_fn *)resolve);
    weft_run_at(WEFT_HERE("http_resolve", WEFT_DNS), &client->op, &lookup->resolve.op, resolve,
                lookup_over);
    weft_leave(&frame);
}

static int ask(struct weft_http_name *name)
{
    struct weft_http_engine *engine = name->engine;
    struct weft_http_client *client = engine->client;
    struct lookup *lookup = weft_calloc(1, sizeof *lookup);
    if (lookup == NULL)
        return UV_ENOMEM;
    lookup->name = name;
    lookup->resolve.host = name->host;
    name->resolve = &lookup->resolve;
    name->ns = uv_hrtime();
    engine->lookups++;
    client->lookups++;
    begin_lookup(client, lookup);
    return 0;
}

/* ---- for the fetches ------------------------------------------------------------------------ */

/* What curl has to be told, into handle->resolve: what to forget, and the addresses. */
static int carry(struct weft_http_handle *handle, const struct weft_http_name *name)
{
    struct weft_http_engine *engine = handle->engine;
    handle->generation = 0;
    for (unsigned i = 0; i < name->port_count; i++) {
        if (name->ports[i] == handle->port)
            return 0;
    }
    size_t size = strlen(name->addresses) + HOST_TEXT + 16;
    char *text = weft_alloc(size);
    if (text == NULL)
        return UV_ENOMEM;
    snprintf(text, size, "%s:%u:%s", name->host, handle->port, name->addresses);
    struct curl_slist *list = curl_slist_append(engine->forget, text);
    weft_free(text);
    if (list == NULL)
        return UV_ENOMEM;
    engine->forget = NULL;
    handle->resolve = list;
    handle->generation = name->generation;
    return curl_easy_setopt(handle->easy, CURLOPT_RESOLVE, list) == CURLE_OK ? 0 : UV_ENOMEM;
}

int weft__http_name_want(struct weft_http_fetch *fetch, const char *host,
                         struct weft_http_name **name)
{
    struct weft_http_engine *engine = fetch->client->engine_;
    struct weft_http_name *its = *name = find(engine, host);
    if (its != NULL && its->resolve == NULL && weft_now(engine->loop) < its->due)
        return 0;
    if (its == NULL)
        its = name_make(engine, host);
    if (its == NULL)
        return UV_ENOMEM;
    fetch->name_ = its;
    links_append(&its->waiters, &fetch->wait_);
    if (its->resolve != NULL || ask(its) == 0)
        return 1;
    weft__http_name_leave(fetch);
    forget(its);
    return UV_ENOMEM;
}

int weft__http_name_load(struct weft_http_handle *handle)
{
    struct weft_http_name *name = NULL;
    int err = weft__http_name_want(handle->fetch, handle->host, &name);
    return err == 0 ? carry(handle, name) : err;
}

void weft__http_name_leave(struct weft_http_fetch *fetch)
{
    struct weft_http_name *name = fetch->name_;
    if (name == NULL)
        return;
    links_remove(&fetch->wait_);
    fetch->name_ = NULL;
    if (links_empty(&name->waiters) && name->resolve != NULL) {
        weft_owner(name->resolve, struct lookup, resolve)->abandoned = true;
        weft_cancel(&name->resolve->op, UV_ECANCELED);
    }
}

void weft__http_name_loaded(struct weft_http_handle *handle)
{
    if (handle->generation == 0)
        return;
    struct weft_http_name *name = find(handle->engine, handle->host);
    if (name != NULL && name->generation == handle->generation && name->port_count < NAME_PORTS)
        name->ports[name->port_count++] = handle->port;
    handle->generation = 0;
}

/* ---- the resolver that is used unless another is supplied ----------------------------------- */

static void looked_up(struct weft_op *op, struct weft_op *child)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    struct weft_lookup *lookup = weft_owner(child, struct weft_lookup, op);
    for (size_t i = 0; i < lookup->count && resolve->count < WEFT_FETCH_ADDRESSES; i++)
        resolve->addresses[resolve->count++] = lookup->addresses[i];
    weft_lookup_free(lookup);
    weft_finish(op, weft_cancelled(op) != 0 ? weft_cancelled(op) : child->status);
}

void weft_http_resolve_begin(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 0;
    weft_lookup(op, &resolve->lookup_, resolve->host, NULL, looked_up);
}
