/* What the server keeps for the next who needs it: connections, exchanges (a parser, its fields and
 * the caller's request) and large buffers.
 *
 * Three free lists of bounded length. The last one that was put is the first one taken: it is still
 * in the processor's cache, and under a steady load nothing is allocated at all.
 *
 * Everything that outlives a moment holds the pool: the listener, and each connection. They all end
 * before the server does, so the last one frees it. */
#include "server.h"
#include "weft/alloc.h"

struct list {
    void *first; /* each begins with a pointer to the next */
    unsigned count;
};

struct weft_http_pool {
    struct list connections, exchanges, buffers;
    size_t request_at, exchange_size, buffer_size, fields_max;
    unsigned holders;
};

static void *list_take(struct list *list)
{
    void **first = list->first;
    if (first == NULL)
        return NULL;
    list->first = *first;
    list->count--;
    return first;
}

static void list_put(struct list *list, void *block)
{
    if (list->count >= SPARE_MAX) {
        weft_free(block);
        return;
    }
    *(void **)block = list->first;
    list->first = block;
    list->count++;
}

static void list_free(struct list *list)
{
    void *block;
    while ((block = list_take(list)) != NULL)
        weft_free(block);
}

static size_t aligned(size_t size)
{
    size_t to = _Alignof(max_align_t);
    return (size + to - 1) / to * to;
}

struct weft_http_pool *weft__http_pool_new(const struct weft_http_server *server)
{
    struct weft_http_pool *pool = weft_calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->fields_max = server->fields_max;
    pool->request_at = aligned(sizeof(struct weft_http_exchange) +
                               server->fields_max * sizeof(struct weft_http_field));
    pool->exchange_size = pool->request_at + server->request_size;
    pool->buffer_size = server->head_max + BODY_ROOM;
    pool->holders = 1;
    return pool;
}

void weft__http_pool_hold(struct weft_http_pool *pool)
{
    pool->holders++;
}

bool weft__http_pool_drop(struct weft_http_pool *pool)
{
    if (--pool->holders > 0)
        return false;
    list_free(&pool->connections);
    list_free(&pool->exchanges);
    list_free(&pool->buffers);
    weft_free(pool);
    return true;
}

struct weft_http_connection *weft__http_take_connection(struct weft_http_pool *pool)
{
    struct weft_http_connection *c = list_take(&pool->connections);
    if (c == NULL)
        c = weft_alloc(sizeof *c);
    if (c != NULL)
        memset(c, 0, offsetof(struct weft_http_connection, small));
    return c;
}

void weft__http_put_connection(struct weft_http_pool *pool, struct weft_http_connection *c)
{
    list_put(&pool->connections, c);
}

struct weft_http_exchange *weft__http_take_exchange(struct weft_http_pool *pool)
{
    struct weft_http_exchange *x = list_take(&pool->exchanges);
    if (x == NULL)
        x = weft_alloc(pool->exchange_size);
    if (x == NULL)
        return NULL;
    memset(x, 0, offsetof(struct weft_http_exchange, small_out));
    char *block = (char *)x;
    x->parser.fields = (struct weft_http_field *)(void *)(block + sizeof *x);
    x->parser.capacity = pool->fields_max;
    x->request = (struct weft_http_request *)(void *)(block + pool->request_at);
    memset(x->request, 0, pool->exchange_size - pool->request_at);
    return x;
}

void weft__http_put_exchange(struct weft_http_pool *pool, struct weft_http_exchange *x)
{
    list_put(&pool->exchanges, x);
}

size_t weft__http_buffer_size(const struct weft_http_pool *pool)
{
    return pool->buffer_size;
}

char *weft__http_take_buffer(struct weft_http_pool *pool)
{
    char *buffer = list_take(&pool->buffers);
    return buffer != NULL ? buffer : weft_alloc(pool->buffer_size);
}

void weft__http_put_buffer(struct weft_http_pool *pool, char *buffer)
{
    list_put(&pool->buffers, buffer);
}
