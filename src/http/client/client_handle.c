/* The pool of easy handles.
 *
 * A handle is made when it is first needed, is told what all requests of this client have in
 * common, and goes back to the pool after each request: curl keeps its connections apart from it.
 * One that was used for more than a plain GET is wiped before the next (special), so that nothing
 * of a request is left in another.
 *
 * curl is told not to look up names: whoever sends it to a host gives it the addresses, and if it
 * should ask all the same (resolver_start) the request fails. Only addresses written as numbers go
 * through there, and those curl reads itself. */
#include "client.h"
#include "weft/alloc.h"
#include <stdio.h>
#include <string.h>

static int resolver_start(void *state, void *reserved, void *data)
{
    struct weft_http_handle *handle = data;
    (void)state;
    (void)reserved;
    return handle->literal ? 0 : 1;
}

/* A connection is there and the request about to be sent, over a new one or a kept one. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the type is curl's */
static int about_to_send(void *data, char *ip, char *local_ip, int port, int local_port)
{
    struct weft_http_handle *handle = data;
    struct weft_http_fetch *fetch = handle->fetch;
    struct weft_http_client *client = handle->engine->client;
    struct weft_address address;
    (void)local_ip;
    (void)local_port;
    weft__http_name_loaded(handle);
    if (client->allow_address != NULL) {
        char text[WEFT_ADDRESS_TEXT];
        snprintf(text, sizeof text, strchr(ip, ':') != NULL ? "[%s]:%d" : "%s:%d", ip, port);
        if (weft_address_parse(&address, text) != 0 || !weft__http_allowed(client, &address)) {
            weft__http_fetch_decide(fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED,
                                    WEFT_FETCH_NO_DETAIL);
            return CURL_PREREQFUNC_ABORT;
        }
    }
    if (fetch->stopped_ || fetch->told_) /* told: curl asks again, and we have heard enough */
        return CURL_PREREQFUNC_ABORT;
    weft__http_deadlines_phase(fetch, PHASE_ASKED);
    return CURL_PREREQFUNC_OK;
}

/* ---- what all requests have in common ------------------------------------------------------- */

#define SET(option, value) (code = code == CURLE_OK ? curl_easy_setopt(easy, option, value) : code)

static CURLcode set_callbacks(struct weft_http_handle *handle)
{
    CURL *easy = handle->easy;
    CURLcode code = CURLE_OK;
    SET(CURLOPT_PRIVATE, handle);
    SET(CURLOPT_ERRORBUFFER, handle->error);
    SET(CURLOPT_CURLU, handle->url);
    SET(CURLOPT_HEADERFUNCTION, weft__http_head_line);
    SET(CURLOPT_HEADERDATA, handle);
    SET(CURLOPT_WRITEFUNCTION, weft__http_body_take);
    SET(CURLOPT_WRITEDATA, handle);
    SET(CURLOPT_READFUNCTION, weft__http_body_give);
    SET(CURLOPT_READDATA, handle);
    SET(CURLOPT_SEEKFUNCTION, weft__http_body_rewind);
    SET(CURLOPT_SEEKDATA, handle);
    SET(CURLOPT_OPENSOCKETFUNCTION, weft__http_socket_open);
    SET(CURLOPT_OPENSOCKETDATA, handle);
    SET(CURLOPT_CLOSESOCKETFUNCTION, weft__http_socket_close);
    SET(CURLOPT_CLOSESOCKETDATA, handle->engine);
    SET(CURLOPT_PREREQFUNCTION, about_to_send);
    SET(CURLOPT_PREREQDATA, handle);
    SET(CURLOPT_RESOLVER_START_FUNCTION, resolver_start);
    SET(CURLOPT_RESOLVER_START_DATA, handle);
    return code;
}

static CURLcode set_tls(struct weft_http_handle *handle)
{
    const struct weft_http_client *client = handle->engine->client;
    CURL *easy = handle->easy;
    CURLcode code = CURLE_OK;
    if (client->tls_no_verify) {
        SET(CURLOPT_SSL_VERIFYPEER, 0L);
        SET(CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (client->ca_file != NULL || client->ca_path != NULL) {
        SET(CURLOPT_CAINFO, client->ca_file); /* NULL: nor the system's, if one is given */
        SET(CURLOPT_CAPATH, client->ca_path);
    }
    if (client->pinned_key != NULL)
        SET(CURLOPT_PINNEDPUBLICKEY, client->pinned_key);
    if (client->cert_file != NULL)
        SET(CURLOPT_SSLCERT, client->cert_file);
    if (client->key_file != NULL)
        SET(CURLOPT_SSLKEY, client->key_file);
    return code;
}

static CURLcode set_common(struct weft_http_handle *handle)
{
    const struct weft_http_client *client = handle->engine->client;
    uint64_t connect_ms = client->connect_ms != 0 ? client->connect_ms : WEFT_FETCH_CONNECT_MS;
    CURL *easy = handle->easy;
    CURLcode code = set_callbacks(handle);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_HTTP_VERSION,
        client->no_http2 ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
    SET(CURLOPT_CONNECTTIMEOUT_MS, connect_ms < INT32_MAX ? (long)connect_ms : 0L);
    SET(CURLOPT_PROXY, ""); /* and not what the environment says */
    SET(CURLOPT_NOPROXY, "");
    if (client->user_agent != NULL)
        SET(CURLOPT_USERAGENT, client->user_agent);
    if (client->netrc_file != NULL) {
        SET(CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
        SET(CURLOPT_NETRC_FILE, client->netrc_file);
    }
    if (handle->engine->share != NULL) {
        SET(CURLOPT_SHARE, handle->engine->share);
        SET(CURLOPT_COOKIEFILE, "");
    }
    return code == CURLE_OK ? set_tls(handle) : code;
}

/* Until 8.1.0 curl kept a pointer to a freed field from one request of a handle to the next, and
 * followed it when the first line of an answer was a folded one: any server could do that. No
 * handle is used twice there. */
static bool curl_lingers(void)
{
    return curl_version_info(CURLVERSION_NOW)->version_num < 0x080100;
}

static bool replace(struct weft_http_handle *handle)
{
    CURL *fresh = curl_easy_init();
    if (fresh == NULL)
        return false;
    curl_easy_cleanup(handle->easy);
    handle->easy = fresh;
    return true;
}

/* false: no memory; then it is as special as before. A reset cannot say that it failed half way. */
static bool wipe(struct weft_http_handle *handle)
{
    weft__http_starved();
    if (!curl_lingers())
        curl_easy_reset(handle->easy);
    else if (!replace(handle))
        return false;
    handle->piped = handle->proxied = handle->encoded = false;
    handle->special = set_common(handle) != CURLE_OK || weft__http_starved();
    return !handle->special;
}

/* ---- the pool ------------------------------------------------------------------------------- */

static void handle_free(struct weft_http_handle *handle)
{
    curl_easy_cleanup(handle->easy);
    curl_url_cleanup(handle->url);
    curl_slist_free_all(handle->fields);
    curl_slist_free_all(handle->resolve);
    weft_free(handle);
}

static struct weft_http_handle *handle_make(struct weft_http_engine *engine)
{
    struct weft_http_handle *handle = weft_calloc(1, sizeof *handle);
    if (handle == NULL)
        return NULL;
    handle->engine = engine;
    handle->easy = curl_easy_init();
    handle->url = curl_url();
    if (handle->easy == NULL || handle->url == NULL || set_common(handle) != CURLE_OK) {
        handle_free(handle);
        return NULL;
    }
    handle->all = engine->handles;
    engine->handles = handle;
    return handle;
}

struct weft_http_handle *weft__http_handle_take(struct weft_http_engine *engine)
{
    struct weft_http_handle *handle = engine->free_handles;
    weft__http_cookies_thin_out(engine);
    if (handle == NULL)
        return handle_make(engine);
    if ((handle->special || curl_lingers()) && !wipe(handle))
        return NULL;
    engine->free_handles = handle->next;
    return handle;
}

void weft__http_handle_clear(struct weft_http_handle *handle)
{
    if (handle->resolve != NULL)
        curl_easy_setopt(handle->easy, CURLOPT_RESOLVE, NULL);
    curl_slist_free_all(handle->fields);
    curl_slist_free_all(handle->resolve);
    handle->fields = handle->resolve = NULL;
    handle->generation = 0;
    handle->error[0] = '\0';
}

bool weft__http_handle_renew(struct weft_http_handle *handle)
{
    weft__http_handle_clear(handle);
    return (!handle->special && !curl_lingers()) || wipe(handle);
}

void weft__http_handle_give(struct weft_http_handle *handle)
{
    struct weft_http_engine *engine = handle->engine;
    weft__http_handle_clear(handle);
    handle->fetch = NULL;
    handle->next = engine->free_handles;
    engine->free_handles = handle;
}

void weft__http_handles_free(struct weft_http_engine *engine)
{
    while (engine->handles != NULL) {
        struct weft_http_handle *handle = engine->handles;
        engine->handles = handle->all;
        handle_free(handle);
    }
    engine->free_handles = NULL;
}
