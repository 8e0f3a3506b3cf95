/* The client: opening and closing what requests share.
 *
 *     client.c         opens and closes the engine: all that requests share, and when one of them
 *                      needs it a multi handle of curl's
 *     client_drive.c   when curl is called, and what has to wait until it has returned
 *     client_socket.c  curl's sockets, watched by the loop
 *     client_name.c    hosts and their addresses; one lookup however many fetches wait
 *     client_handle.c  the pool of easy handles, and what all requests of a client have in common
 *     client_proxy.c   who is reached through the proxy
 *     curl.c           loads curl, when it is first needed
 *     fetch*.c         the requests
 *     direct*.c        those that do not need curl, over connections of our own
 *
 * The engine lives on the heap: from the begin of the client's op until all that refers to it has
 * let go, which is when the op finishes. Closing goes in two steps: shut ends all fetches and
 * closes curl, at once or, if that is inside curl, when curl returns; then libuv takes a turn to
 * let go of the sockets, and lookups report; settle notices the last of them. Children that the
 * user has put below the client are awaited by the join. */
#include "client.h"
#include "direct.h"
#include "weft/alloc.h"
#include "weft/http_message.h"
#include <string.h>

/* ---- closing -------------------------------------------------------------------------------- */

static void engine_free(struct weft_http_engine *engine)
{
    weft__http_names_free(engine);
    if (engine->multi != NULL)
        curl_multi_cleanup(engine->multi);
    if (engine->share != NULL)
        curl_share_cleanup(engine->share);
    weft__http_sockets_free(engine);
    weft__http_direct_free(engine);
    weft_free(engine);
}

void weft__http_settle(struct weft_http_engine *engine)
{
    struct weft_http_client *client = engine->client;
    if (!engine->closing || !engine->shut || engine->open_polls != 0 || engine->ticking ||
        engine->lookups != 0)
        return;
    engine_free(engine);
    weft_join(&client->op);
}

/* Cookies are written by a handle that knows them and is closed. */
static void save_cookies(struct weft_http_engine *engine)
{
    CURL *easy = engine->client->cookie_file != NULL ? curl_easy_init() : NULL;
    if (easy == NULL)
        return;
    curl_easy_setopt(easy, CURLOPT_SHARE, engine->share);
    curl_easy_setopt(easy, CURLOPT_COOKIEJAR, engine->client->cookie_file);
    curl_easy_cleanup(easy);
}

static void close_curl(struct weft_http_engine *engine)
{
    if (engine->multi == NULL)
        return;
    save_cookies(engine);
    weft__http_handles_free(engine);
    curl_multi_cleanup(engine->multi);
    engine->multi = NULL;
}

void weft__http_shut(struct weft_http_engine *engine)
{
    if (engine->shut)
        return;
    engine->shut = true;
    engine->inside = 1;
    engine->client->engine_ = NULL;
    weft_timer_stop(engine->loop, &engine->timer);
    while (!links_empty(&engine->fetches))
        weft__http_fetch_over(weft_owner(engine->fetches.next_, struct weft_http_fetch, all_),
                              engine->reason, WEFT_FETCH_FAILED_CANCEL, WEFT_FETCH_NO_DETAIL);
    weft__http_direct_shut(engine);
    close_curl(engine);
    weft__http_sockets_retire(engine);
    weft__http_settle(engine);
}

static void client_cancel(struct weft_op *op, int reason)
{
    struct weft_http_engine *engine = weft_owner(op, struct weft_http_client, op)->engine_;
    engine->closing = true;
    engine->reason = reason;
    if (engine->inside == 0)
        weft__http_shut(engine);
}

void weft_http_client_close(struct weft_http_client *client)
{
    if (client->engine_ != NULL)
        weft_end(&client->op, 0);
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool text_ok(const char *text)
{
    return text == NULL || weft_http_value_ok(weft_text_of(text));
}

static bool settings_ok(const struct weft_http_client *client)
{
    return text_ok(client->user_agent) && text_ok(client->proxy) && text_ok(client->no_proxy);
}

static int load_cookies(struct weft_http_engine *engine)
{
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        return UV_ENOMEM;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SHARE, engine->share);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_COOKIEFILE, engine->client->cookie_file);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_COOKIELIST, "RELOAD");
    curl_easy_cleanup(easy);
    return code == CURLE_OK ? 0 : UV_ENOMEM;
}

static int open_share(struct weft_http_engine *engine)
{
    const struct weft_http_client *client = engine->client;
    if (!client->cookies && client->cookie_file == NULL)
        return 0;
    engine->share = curl_share_init();
    if (engine->share == NULL ||
        curl_share_setopt(engine->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK)
        return UV_ENOMEM;
    return client->cookie_file != NULL ? load_cookies(engine) : 0;
}

static int open_multi(struct weft_http_engine *engine)
{
    const struct weft_http_client *client = engine->client;
    CURLM *multi = engine->multi = curl_multi_init();
    if (multi == NULL)
        return UV_ENOMEM;
    unsigned handles = client->max_handles != 0 ? client->max_handles : WEFT_FETCH_HANDLES;
    unsigned idle = client->max_idle != 0 ? client->max_idle : handles;
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, weft__http_socket_set);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, engine);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, weft__http_timer_set);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, engine);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING,
                      client->no_http2 ? (long)CURLPIPE_NOTHING : (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)client->max_connections);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)client->max_host_connections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)idle);
    return 0;
}

int weft__http_curl_open(struct weft_http_engine *engine, char why[CURL_WHY])
{
    if (engine->multi != NULL)
        return 0;
    int err = weft__http_curl_load(why);
    return err == 0 ? open_multi(engine) : err;
}

/* What a request could not ask for any more: the proxy's URL has to be one, and cookies are read
 * before the first request. */
static int open_at_once(struct weft_http_engine *engine)
{
    const struct weft_http_client *client = engine->client;
    if (client->proxy == NULL && !client->cookies && client->cookie_file == NULL)
        return 0;
    int err = weft__http_curl_open(engine, NULL);
    if (err == 0)
        err = weft__http_proxy_read(engine);
    return err == 0 ? open_share(engine) : err;
}

static int open_engine(struct weft_http_client *client)
{
    if (!settings_ok(client))
        return UV_EINVAL;
    struct weft_http_engine *engine = weft_calloc(1, sizeof *engine);
    if (engine == NULL)
        return UV_ENOMEM;
    engine->client = client;
    engine->loop = weft_loop_of(&client->op);
    links_init(&engine->fetches);
    links_init(&engine->line);
    links_init(&engine->todo);
    links_init(&engine->resumes);
    links_init(&engine->names);
    links_init(&engine->hungry);
    links_init(&engine->idle);
    int err = open_at_once(engine);
    if (err != 0) {
        engine_free(engine);
        return err;
    }
    client->engine_ = engine;
    return 0;
}

void weft_http_client_begin(struct weft_op *op)
{
    struct weft_http_client *client = weft_owner(op, struct weft_http_client, op);
    client->engine_ = NULL;
    client->fetches = client->connections = client->lookups = 0;
    int err = weft_cancelled(op);
    if (err == 0)
        err = open_engine(client);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_on_cancel(op, client_cancel);
}

void weft_http_client_open_at(const struct weft_site *site, struct weft_op *parent,
                              struct weft_http_client *client, weft_then_fn *then)
{
    weft_run_at(site, parent, &client->op, weft_http_client_begin, then);
}
