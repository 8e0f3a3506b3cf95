/* Names to addresses: uv_getaddrinfo on a block that can be left behind.
 *
 * getaddrinfo may take many seconds and cannot be stopped. So the request lives on the heap, like a
 * hop's: a cancel detaches it, the op finishes at once, and the block frees itself when the answer
 * comes. libuv copies host and service itself.
 *
 * The answer is copied into an array of ours: of what the system lists, some is no address that
 * can be connected to, and the same address may stand there twice (a host with two lines in the
 * hosts file). */
#include "core/op.h"
#include "weft/alloc.h"
#include "weft/dns.h"
#include <netdb.h>
#include <string.h>

struct weft_resolving {
    uv_getaddrinfo_t request;
    struct weft_loop *loop;
    struct weft_lookup *lookup; /* NULL: detached */
};

static bool is_address(const struct addrinfo *info)
{
    return info->ai_addr != NULL &&
           ((info->ai_family == AF_INET && info->ai_addrlen == sizeof(struct sockaddr_in)) ||
            (info->ai_family == AF_INET6 && info->ai_addrlen == sizeof(struct sockaddr_in6)));
}

static bool listed(const struct weft_lookup *lookup, const struct weft_address *address)
{
    for (size_t i = 0; i < lookup->count; i++) {
        if (weft_address_equal(&lookup->addresses[i], address))
            return true;
    }
    return false;
}

static int keep(struct weft_lookup *lookup, const struct addrinfo *first)
{
    size_t room = 0;
    for (const struct addrinfo *info = first; info != NULL; info = info->ai_next)
        room += is_address(info);
    if (room == 0)
        return UV_EAI_NODATA;
    lookup->addresses = weft_calloc(room, sizeof *lookup->addresses);
    if (lookup->addresses == NULL)
        return UV_ENOMEM;
    for (const struct addrinfo *info = first; info != NULL; info = info->ai_next) {
        struct weft_address address = {.size = info->ai_addrlen};
        if (!is_address(info))
            continue;
        memcpy(&address.to, info->ai_addr, info->ai_addrlen);
        if (!listed(lookup, &address))
            lookup->addresses[lookup->count++] = address;
    }
    return 0;
}

static void resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *list)
{
    struct weft_resolving *resolving = weft_owner(request, struct weft_resolving, request);
    struct weft_lookup *lookup = resolving->lookup;
    if (lookup == NULL) {
        resolving->loop->detached_--;
    } else {
        lookup->resolving_ = NULL;
        if (status == 0)
            status = keep(lookup, list);
    }
    uv_freeaddrinfo(list);
    weft_free(resolving);
    if (lookup != NULL)
        weft_finish(&lookup->op, status);
}

static void lookup_cancel(struct weft_op *op, int reason)
{
    struct weft_lookup *lookup = weft_owner(op, struct weft_lookup, op);
    struct weft_resolving *resolving = lookup->resolving_;
    lookup->resolving_ = NULL;
    resolving->lookup = NULL;
    resolving->loop->detached_++;
    uv_cancel((uv_req_t *)&resolving->request);
    weft_finish(op, reason);
}

/* 0, or why it could not be asked. */
static int ask(struct weft_lookup *lookup)
{
    bool family_known =
        lookup->family == 0 || lookup->family == AF_INET || lookup->family == AF_INET6;
    if ((lookup->host == NULL && lookup->service == NULL) || !family_known)
        return UV_EINVAL;
    struct weft_resolving *resolving = weft_calloc(1, sizeof *resolving);
    if (resolving == NULL)
        return UV_ENOMEM;
    resolving->loop = lookup->op.loop_;
    resolving->lookup = lookup;
    /* One line an address, not one for each kind of socket. */
    struct addrinfo hints = {
        .ai_family = lookup->family, .ai_flags = lookup->flags, .ai_socktype = SOCK_STREAM};
    int err = uv_getaddrinfo(resolving->loop->uv, &resolving->request, resolved, lookup->host,
                             lookup->service, &hints);
    if (err != 0) {
        weft_free(resolving);
        return err;
    }
    lookup->resolving_ = resolving;
    return 0;
}

void weft_lookup_begin(struct weft_op *op)
{
    struct weft_lookup *lookup = weft_owner(op, struct weft_lookup, op);
    lookup->resolving_ = NULL;
    lookup->addresses = NULL;
    lookup->count = 0;
    int err = weft_cancelled(op);
    if (err == 0)
        err = ask(lookup);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_on_cancel(op, lookup_cancel);
}

void weft_lookup_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_lookup *lookup, const char *host, const char *service,
                    weft_then_fn *then)
{
    op_check_start(parent, &lookup->op);
    lookup->host = host;
    lookup->service = service;
    weft_run_at(site, parent, &lookup->op, weft_lookup_begin, then);
}

void weft_lookup_free(struct weft_lookup *lookup)
{
    weft_free(lookup->addresses);
    lookup->addresses = NULL;
    lookup->count = 0;
}
