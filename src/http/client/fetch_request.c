/* The request: what the fetch's fields mean to curl.
 *
 * Everything that becomes part of the request line or of a field is checked here: names are tokens,
 * values have no control characters, lengths are ours to say. A plain GET sets next to nothing, so
 * that a handle can be used again as it is; anything else marks it as special. */
#include "client.h"
#include "weft/alloc.h"
#include "weft/http_message.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET(option, value) (code = code == CURLE_OK ? curl_easy_setopt(easy, option, value) : code)

static int status_of(CURLcode code)
{
    return code == CURLE_OK ? 0 : code == CURLE_OUT_OF_MEMORY ? UV_ENOMEM : UV_EINVAL;
}

/* ---- the URL -------------------------------------------------------------------------------- */

static bool is_literal(const char *host)
{
    struct in_addr address;
    return host[0] == '[' || inet_pton(AF_INET, host, &address) == 1;
}

/* A part of the URL into text, in lower case. It is ASCII, also the host: what curl makes of other
 * letters depends on the locale, so they have to come as xn--… already. */
static int get_part(CURLU *url, CURLUPart part, unsigned flags, char *text, size_t size)
{
    char *got = NULL;
    CURLUcode code = curl_url_get(url, part, &got, flags);
    if (code != CURLUE_OK)
        return code == CURLUE_OUT_OF_MEMORY ? UV_ENOMEM : UV_EINVAL;
    size_t length = strlen(got);
    bool ascii = true;
    for (size_t i = 0; i <= length && length < size; i++) {
        text[i] = weft_text_lower(got[i]);
        ascii = ascii && (unsigned char)got[i] < 0x80;
    }
    curl_free(got);
    return length == 0 || length >= size || !ascii ? UV_EINVAL : 0;
}

/* curl reads "http:/host" and "http:///host" too; we do not. Nor do we read '\\' before the query, which is
 * '/' to some and a letter like any other to curl: they would not agree on the host. */
static bool shape_ok(const char *url)
{
    const char *colon = strchr(url, ':');
    return colon != NULL && strncmp(colon, "://", 3) == 0 && colon[3] != '/' &&
           memchr(url, '\\', strcspn(url, "?#")) == NULL;
}

static int take_apart(struct weft_http_handle *handle, const char *url, bool *secure)
{
    char scheme[8], port[8];
    if (!shape_ok(url))
        return UV_EINVAL;
    curl_url_set(handle->url, CURLUPART_URL, NULL, 0);
    CURLUcode code = curl_url_set(handle->url, CURLUPART_URL, url, 0);
    if (code != CURLUE_OK)
        return code == CURLUE_OUT_OF_MEMORY ? UV_ENOMEM : UV_EINVAL;
    int err = get_part(handle->url, CURLUPART_SCHEME, 0, scheme, sizeof scheme);
    if (err == 0)
        err = get_part(handle->url, CURLUPART_HOST, 0, handle->host, HOST_TEXT);
    if (err == 0)
        err = get_part(handle->url, CURLUPART_PORT, CURLU_DEFAULT_PORT, port, sizeof port);
    if (err != 0)
        return err;
    handle->port = (unsigned)strtoul(port, NULL, 10);
    *secure = strcmp(scheme, "https") == 0;
    return *secure || strcmp(scheme, "http") == 0 ? 0 : UV_EINVAL;
}

/* Where to: the host itself, or the proxy. */
static CURLcode set_way(struct weft_http_handle *handle, bool wait_for_http2)
{
    struct weft_http_engine *engine = handle->engine;
    CURL *easy = handle->easy;
    CURLcode code = CURLE_OK;
    bool proxied = weft__http_proxy_used(engine, handle->host);
    if (proxied) {
        memcpy(handle->host, engine->proxy_host, HOST_TEXT);
        handle->port = engine->proxy_port;
    }
    handle->literal = is_literal(handle->host);
    if (proxied != handle->proxied)
        SET(CURLOPT_PROXY, proxied ? engine->client->proxy : "");
    if (wait_for_http2 != handle->piped)
        SET(CURLOPT_PIPEWAIT, wait_for_http2 ? 1L : 0L);
    handle->proxied = proxied;
    handle->piped = wait_for_http2;
    return code;
}

/* ---- the fields ----------------------------------------------------------------------------- */

static bool one_of(struct weft_text name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (weft_text_same(name, weft_text_of(*names)))
            return true;
    }
    return false;
}

/* Is this field left out after a redirect? */
static bool left_behind(const struct weft_http_fetch *fetch, struct weft_text name)
{
    static const char *const personal[] = {"Authorization", "Cookie", "Proxy-Authorization", "Host",
                                           NULL};
    static const char *const of_body[] = {
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest", NULL};
    return (fetch->stranger_ && one_of(name, personal)) ||
           (fetch->as_get_ && one_of(name, of_body));
}

static int append(struct weft_http_handle *handle, const char *line)
{
    struct curl_slist *longer = curl_slist_append(handle->fields, line);
    if (longer == NULL)
        return UV_ENOMEM;
    handle->fields = longer;
    return 0;
}

/* "Name: value"; to curl an empty value is "Name;". */
static int append_field(struct weft_http_handle *handle, struct weft_text name,
                        struct weft_text value)
{
    size_t size = name.size + value.size + 3;
    char *line = weft_alloc(size);
    if (line == NULL)
        return UV_ENOMEM;
    snprintf(line, size, "%.*s%s%.*s", WEFT_TEXT_ARGS(name), value.size > 0 ? ": " : ";",
             WEFT_TEXT_ARGS(value));
    int err = append(handle, line);
    weft_free(line);
    return err;
}

/* Fields that curl would add to a body by itself. */
struct given {
    bool type, expect;
};

int weft__http_field_read(const struct weft_http_fetch *fetch, const char *field,
                          struct weft_text *name, struct weft_text *value)
{
    static const char *const framing[] = {"Content-Length", "Transfer-Encoding", NULL};
    const char *colon = field != NULL ? strchr(field, ':') : NULL;
    if (colon == NULL)
        return UV_EINVAL;
    *name = weft_text(field, (size_t)(colon - field));
    *value = weft_text_trim(weft_text_of(colon + 1));
    if (!weft_http_name_ok(*name) || !weft_http_value_ok(*value) || one_of(*name, framing))
        return UV_EINVAL;
    return left_behind(fetch, *name) ? 1 : 0;
}

static int add_field(struct weft_http_fetch *fetch, const char *field, struct given *given)
{
    struct weft_text name, value;
    int err = weft__http_field_read(fetch, field, &name, &value);
    if (err != 0)
        return err < 0 ? err : 0;
    given->type |= weft_text_same(name, weft_text_of("Content-Type"));
    given->expect |= weft_text_same(name, weft_text_of("Expect"));
    return append_field(fetch->handle_, name, value);
}

static int set_fields(struct weft_http_fetch *fetch, bool has_body)
{
    struct weft_http_handle *handle = fetch->handle_;
    struct given given = {false, false};
    int err = 0;
    if (fetch->fields == NULL && fetch->fields_count > 0)
        return UV_EINVAL;
    for (size_t i = 0; i < fetch->fields_count && err == 0; i++)
        err = add_field(fetch, fetch->fields[i], &given);
    if (err == 0 && has_body && !given.type)
        err = append(handle, "Content-Type:"); /* none, and not curl's guess */
    if (err == 0 && has_body && !given.expect)
        err = append(handle, "Expect:"); /* many a server lets us wait for its "100 Continue" */
    if (err != 0 || handle->fields == NULL)
        return err;
    handle->special = true;
    return status_of(curl_easy_setopt(handle->easy, CURLOPT_HTTPHEADER, handle->fields));
}

/* ---- method and body ------------------------------------------------------------------------ */

/* Methods that say how long their body is even if there is none. */
static bool sends(const char *method)
{
    static const char *const sending[] = {"POST", "PUT", "PATCH", NULL};
    return one_of(weft_text_of(method), sending);
}

static CURLcode set_body(struct weft_http_fetch *fetch, CURL *easy)
{
    CURLcode code = CURLE_OK;
    if (fetch->pull != NULL && !fetch->as_get_) {
        curl_off_t size = fetch->pull_size != 0 ? (curl_off_t)fetch->pull_size : -1;
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_INFILESIZE_LARGE, size);
        return code;
    }
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)fetch->data_size);
    SET(CURLOPT_POSTFIELDS, fetch->data != NULL ? fetch->data : "");
    return code;
}

static int set_method(struct weft_http_fetch *fetch, const char *method, bool has_body)
{
    CURL *easy = fetch->handle_->easy;
    CURLcode code = CURLE_OK;
    bool head = strcmp(method, "HEAD") == 0;
    if (strcmp(method, "GET") == 0 && !has_body)
        return 0;
    fetch->handle_->special = true;
    if (head) {
        SET(CURLOPT_NOBODY, 1L);
        return status_of(code);
    }
    if (has_body || sends(method))
        code = set_body(fetch, easy);
    SET(CURLOPT_CUSTOMREQUEST, method);
    return status_of(code);
}

/* The method this request has, redirects considered; NULL: it cannot be sent. */
static const char *method_of(const struct weft_http_fetch *fetch, bool has_body)
{
    const char *method = fetch->method != NULL ? fetch->method : has_body ? "POST" : "GET";
    if (!weft_http_name_ok(weft_text_of(method)) || strcmp(method, "CONNECT") == 0 ||
        (strcmp(method, "HEAD") == 0 && has_body))
        return NULL;
    return fetch->as_get_ && strcmp(method, "HEAD") != 0 ? "GET" : method;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static CURLcode set_auth(struct weft_http_fetch *fetch, CURL *easy)
{
    CURLcode code = CURLE_OK;
    if ((fetch->user == NULL && fetch->password == NULL) || fetch->stranger_)
        return code;
    fetch->handle_->special = true;
    if (fetch->auth == WEFT_FETCH_AUTH_BEARER) {
        SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        SET(CURLOPT_XOAUTH2_BEARER, fetch->password);
        return code;
    }
    SET(CURLOPT_HTTPAUTH,
        fetch->auth == WEFT_FETCH_AUTH_DIGEST ? (long)CURLAUTH_DIGEST : (long)CURLAUTH_BASIC);
    SET(CURLOPT_USERNAME, fetch->user != NULL ? fetch->user : "");
    SET(CURLOPT_PASSWORD, fetch->password != NULL ? fetch->password : "");
    return code;
}

static CURLcode set_version(struct weft_http_fetch *fetch, CURL *easy)
{
    static const long versions[] = {
        [WEFT_FETCH_1_0] = CURL_HTTP_VERSION_1_0,
        [WEFT_FETCH_1_1] = CURL_HTTP_VERSION_1_1,
        [WEFT_FETCH_2] = CURL_HTTP_VERSION_2TLS,
        [WEFT_FETCH_2_ALONE] = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
    };
    if (fetch->version == WEFT_FETCH_ANY_VERSION)
        return CURLE_OK;
    fetch->handle_->special = true;
    return curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, versions[fetch->version]);
}

static CURLcode set_options(struct weft_http_fetch *fetch, CURL *easy)
{
    struct weft_http_handle *handle = fetch->handle_;
    CURLcode code = set_auth(fetch, easy);
    if (code == CURLE_OK)
        code = set_version(fetch, easy);
    if (fetch->connect_ms != 0)
        SET(CURLOPT_CONNECTTIMEOUT_MS,
            fetch->connect_ms < INT32_MAX ? (long)fetch->connect_ms : (long)INT32_MAX);
    if (fetch->referer != NULL)
        SET(CURLOPT_REFERER, fetch->referer);
    if (fetch->range != NULL)
        SET(CURLOPT_RANGE, fetch->range);
    if (fetch->connect_ms != 0 || fetch->referer != NULL || fetch->range != NULL)
        handle->special = true;
    bool all = fetch->accept_encoding != NULL && fetch->accept_encoding[0] == '\0';
    if (all != handle->encoded || (fetch->accept_encoding != NULL && !all))
        SET(CURLOPT_ACCEPT_ENCODING, fetch->accept_encoding);
    handle->special |= fetch->accept_encoding != NULL && !all;
    handle->encoded = all;
    return code;
}

static bool text_ok(const char *text)
{
    return text == NULL || weft_http_value_ok(weft_text_of(text));
}

bool weft__http_inputs_ok(const struct weft_http_fetch *fetch)
{
    bool bearer = fetch->auth == WEFT_FETCH_AUTH_BEARER;
    return text_ok(fetch->referer) && text_ok(fetch->range) && text_ok(fetch->accept_encoding) &&
           text_ok(fetch->user) && text_ok(fetch->password) &&
           (!bearer || fetch->password != NULL) && fetch->auth <= WEFT_FETCH_AUTH_BEARER &&
           fetch->version <= WEFT_FETCH_2_ALONE && !(fetch->data == NULL && fetch->data_size > 0) &&
           !(fetch->data != NULL && fetch->pull != NULL) && fetch->data_size <= INT64_MAX &&
           fetch->pull_size <= INT64_MAX;
}

int weft__http_request_set(struct weft_http_fetch *fetch)
{
    struct weft_http_handle *handle = fetch->handle_;
    const char *url = fetch->target_ != NULL ? fetch->target_ : fetch->url;
    bool has_body = (fetch->data != NULL || fetch->pull != NULL) && !fetch->as_get_;
    const char *method = method_of(fetch, fetch->data != NULL || fetch->pull != NULL);
    bool secure = false;
    if (url == NULL || method == NULL || !weft__http_inputs_ok(fetch))
        return UV_EINVAL;
    int err = take_apart(handle, url, &secure);
    bool http2 = fetch->version >= WEFT_FETCH_2 ||
                 (fetch->version == WEFT_FETCH_ANY_VERSION && !handle->engine->client->no_http2);
    if (err == 0)
        err = status_of(set_way(handle, http2 && secure));
    if (err == 0)
        err = set_fields(fetch, has_body || sends(method));
    if (err == 0)
        err = set_method(fetch, method, has_body);
    if (err == 0)
        err = status_of(weft__http_heads_ask(handle));
    return err != 0 ? err : status_of(set_options(fetch, handle->easy));
}
