/* How a fetch fails: curl's codes told apart, and put into words.
 *
 * curl has about a hundred codes, few of which HTTP can meet. They come down to a dozen failures, a
 * detail where it matters (which check of TLS, which deadline), and a status. What curl says in
 * words is kept for the cases in which it knows more than the code does. */
#include "client.h"
#include "weft/http_message.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- curl's codes --------------------------------------------------------------------------- */

/* Results of OpenSSL's verification (x509_vfy.h) that people should know apart. */
static enum weft_http_fetch_detail verification(long result)
{
    switch (result) {
    case 0: /* OpenSSL has no fault to find, or was not asked: what is wrong is the host in it, and
             * that curl has checked */
    case 1:
    case 62:
        return WEFT_FETCH_TLS_WRONG_HOST;
    case 9:
        return WEFT_FETCH_TLS_NOT_YET;
    case 10:
        return WEFT_FETCH_TLS_EXPIRED;
    case 18:
        return WEFT_FETCH_TLS_SELF_SIGNED;
    case 2:
    case 19:
    case 20:
    case 21:
        return WEFT_FETCH_TLS_UNKNOWN_ISSUER;
    case 23:
        return WEFT_FETCH_TLS_REVOKED;
    default:
        return WEFT_FETCH_TLS_BAD_CERTIFICATE;
    }
}

static enum weft_http_fetch_detail tls_detail(CURL *easy, CURLcode code)
{
    long result = 0, of_proxy = 0;
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
        curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result);
        curl_easy_getinfo(easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &of_proxy);
        return verification(result != 0 ? result : of_proxy);
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return WEFT_FETCH_TLS_WRONG_KEY;
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
        return WEFT_FETCH_TLS_OUR_FILES;
    case CURLE_SSL_ISSUER_ERROR:
        return WEFT_FETCH_TLS_UNKNOWN_ISSUER;
    default:
        return WEFT_FETCH_TLS_HANDSHAKE;
    }
}

static int errno_of(CURL *easy, int otherwise)
{
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    return number > 0 && number != EAGAIN && number != EINPROGRESS
               ? uv_translate_sys_error((int)number)
               : otherwise;
}

static struct http_failure simple(int status, enum weft_http_fetch_failure failure,
                                  enum weft_http_fetch_detail detail)
{
    return (struct http_failure){status, failure, detail};
}

static struct http_failure protocol(enum weft_http_fetch_detail detail)
{
    return simple(WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, detail);
}

static struct http_failure of_connection(const struct weft_http_fetch *fetch, CURLcode code)
{
    CURL *easy = fetch->handle_->easy;
    switch (code) {
    case CURLE_COULDNT_CONNECT:
        if (fetch->refused_)
            return simple(WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED, WEFT_FETCH_NO_DETAIL);
        return simple(errno_of(easy, UV_ECONNREFUSED), WEFT_FETCH_FAILED_CONNECT,
                      WEFT_FETCH_NO_DETAIL);
    case CURLE_PROXY: /* it would not let us through */
        return simple(UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_PROXY);
    case CURLE_OPERATION_TIMEDOUT:
        return simple(UV_ETIMEDOUT, WEFT_FETCH_FAILED_TIMEOUT, WEFT_FETCH_LATE_CONNECT);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        if (fetch->phase_ < PHASE_ASKED && fetch->handle_->proxied)
            return simple(UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_PROXY);
        if (strstr(fetch->text_, "chunked-encoding") != NULL) /* curl has no code for it */
            return protocol(WEFT_FETCH_NO_DETAIL);
        return simple(errno_of(easy, UV_ECONNRESET), WEFT_FETCH_FAILED_LOST, WEFT_FETCH_NO_DETAIL);
    default:
        return simple(UV_EOF, WEFT_FETCH_FAILED_LOST, WEFT_FETCH_NO_DETAIL);
    }
}

/* There was memory, but curl has limits of its own, for a line of a head and for what it keeps while
 * nobody takes it, and calls it the same. */
static struct http_failure too_much_for_curl(const struct weft_http_fetch *fetch)
{
    return simple(UV_EFBIG, WEFT_FETCH_FAILED_SIZE,
                  fetch->told_ ? WEFT_FETCH_LARGE_UNPACKED : WEFT_FETCH_LARGE_HEAD);
}

struct http_failure weft__http_failure_of(struct weft_http_fetch *fetch, CURLcode code)
{
    struct weft_http_handle *handle = fetch->handle_;
    const char *said = handle->error[0] != '\0' ? handle->error : curl_easy_strerror(code);
    snprintf(fetch->text_, sizeof fetch->text_, "%.*s", (int)sizeof fetch->text_ - 1, said);
    if (weft__http_starved())
        return simple(UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
    switch (code) {
    case CURLE_OUT_OF_MEMORY:
        return too_much_for_curl(fetch);
    case CURLE_URL_MALFORMAT:
        return simple(UV_EINVAL, WEFT_FETCH_FAILED_INPUT, WEFT_FETCH_NO_DETAIL);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_ABORTED_BY_CALLBACK: /* resolver_start: see client_handle.c */
        return simple(UV_EAI_NONAME, WEFT_FETCH_FAILED_RESOLVE, WEFT_FETCH_NO_DETAIL);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
        return protocol(WEFT_FETCH_CUT_SHORT);
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WRITE_ERROR: /* not ours, who would have decided: of the one who unpacks */
        return protocol(WEFT_FETCH_BAD_ENCODING);
    case CURLE_SEND_FAIL_REWIND:
        return simple(UV_ESPIPE, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_USE_SSL_FAILED:
        return simple(WEFT_ETLS, WEFT_FETCH_FAILED_TLS, tls_detail(handle->easy, code));
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        return of_connection(fetch, code);
    default:
        return protocol(WEFT_FETCH_NO_DETAIL);
    }
}

/* ---- in words ------------------------------------------------------------------------------- */

/* host:port of a URL, without a password and without an empty port; if it has no host, the URL up
 * to its query, unless there may be a password in it. */
static struct weft_text place_of(const char *url)
{
    const char *start = url != NULL ? strstr(url, "://") : NULL;
    if (start == NULL)
        return weft_text_of("the host");
    start += 3;
    size_t size = strcspn(start, "/?#"), from = size;
    while (from > 0 && start[from - 1] != '@')
        from--;
    struct weft_text place = weft_text(start + from, size - from);
    if (place.size > 0 && place.data[0] != ':') {
        place.size -= place.data[place.size - 1] == ':';
        return place;
    }
    return from > 0 ? weft_text_of("the host") : weft_text(url, strcspn(url, "?#"));
}

/* "%.*s" is the host. */
static const char *tls_words(enum weft_http_fetch_detail detail)
{
    switch (detail) {
    case WEFT_FETCH_TLS_WRONG_HOST:
        return "the certificate of %.*s is for another host";
    case WEFT_FETCH_TLS_EXPIRED:
        return "the certificate of %.*s has expired";
    case WEFT_FETCH_TLS_NOT_YET:
        return "the certificate of %.*s is not valid yet";
    case WEFT_FETCH_TLS_SELF_SIGNED:
        return "the certificate of %.*s is signed by nobody but itself";
    case WEFT_FETCH_TLS_UNKNOWN_ISSUER:
        return "the certificate of %.*s is signed by somebody we do not trust";
    case WEFT_FETCH_TLS_REVOKED:
        return "the certificate of %.*s was revoked";
    case WEFT_FETCH_TLS_WRONG_KEY:
        return "the key of %.*s is not the one it should have";
    case WEFT_FETCH_TLS_OUR_FILES:
        return "no secure connection to %.*s: our own certificate files cannot be used";
    case WEFT_FETCH_TLS_BAD_CERTIFICATE:
        return "the certificate of %.*s cannot be accepted";
    default:
        return "no secure connection to %.*s: the two sides do not come to terms";
    }
}

static const char *late_words(enum weft_http_fetch_detail detail)
{
    switch (detail) {
    case WEFT_FETCH_LATE_CONNECT:
        return "there was no connection to %.*s yet";
    case WEFT_FETCH_LATE_FIRST_BYTE:
        return "no answer of %.*s had begun";
    case WEFT_FETCH_LATE_RATE:
        return "%.*s is too slow";
    default:
        return "%.*s was not done";
    }
}

static const char *other_words(const struct weft_http_fetch *fetch)
{
    switch (fetch->failure) {
    case WEFT_FETCH_FAILED_RESOLVE:
        return "cannot find %.*s";
    case WEFT_FETCH_FAILED_CONNECT:
        return fetch->detail == WEFT_FETCH_PROXY ? "the proxy does not let us through to %.*s"
                                                 : "cannot reach %.*s";
    case WEFT_FETCH_FAILED_SIZE:
        if (fetch->detail == WEFT_FETCH_LARGE_UNPACKED)
            return "the answer of %.*s unpacks to far more than what came";
        return fetch->detail == WEFT_FETCH_LARGE_HEAD
                   ? "the head of the answer of %.*s is too large"
                   : "the answer of %.*s is too large";
    case WEFT_FETCH_FAILED_PROTOCOL:
        if (fetch->detail == WEFT_FETCH_CUT_SHORT)
            return "the answer of %.*s was cut short";
        if (fetch->detail == WEFT_FETCH_BAD_ENCODING)
            return "the answer of %.*s cannot be unpacked";
        return "%.*s does not speak HTTP as it should";
    case WEFT_FETCH_FAILED_LOST:
        return "the connection to %.*s broke";
    case WEFT_FETCH_FAILED_REFUSED:
        return "the address of %.*s is not allowed";
    case WEFT_FETCH_FAILED_REDIRECT:
        return "too many redirects, the last one from %.*s";
    case WEFT_FETCH_FAILED_CALLER:
        return fetch->op.status == UV_ESPIPE ? "the body would have to be sent to %.*s again"
                                             : "what came from or went to %.*s was refused here";
    case WEFT_FETCH_FAILED_CANCEL:
        return "the request to %.*s was cancelled";
    case WEFT_FETCH_FAILED_MEMORY:
        return "no memory for the answer of %.*s";
    case WEFT_FETCH_FAILED_LIBRARY:
        return "%.*s cannot be asked: that needs libcurl, which cannot be loaded";
    default:
        return "%.*s cannot be asked: the URL or another input is wrong";
    }
}

/* The words of the status say more about these. */
static bool has_more_to_say(const struct weft_http_fetch *fetch)
{
    return fetch->failure == WEFT_FETCH_FAILED_RESOLVE ||
           (fetch->failure == WEFT_FETCH_FAILED_CONNECT && fetch->detail != WEFT_FETCH_PROXY) ||
           fetch->failure == WEFT_FETCH_FAILED_LOST ||
           (fetch->failure == WEFT_FETCH_FAILED_CALLER && fetch->op.status != UV_ESPIPE);
}

static bool curl_has_more_to_say(const struct weft_http_fetch *fetch)
{
    return (fetch->failure == WEFT_FETCH_FAILED_TLS ||
            fetch->failure == WEFT_FETCH_FAILED_LIBRARY) &&
           fetch->text_[0] != '\0';
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* all of them are above */

char *weft_http_fetch_explain(const struct weft_http_fetch *fetch, char *text, size_t size)
{
    struct weft_text place =
        place_of(fetch->effective_url != NULL ? fetch->effective_url : fetch->url);
    char words[WEFT_FETCH_EXPLAIN];
    const char *reason = weft_http_reason(fetch->status);
    const char *form = fetch->failure == WEFT_FETCH_FAILED_TLS       ? tls_words(fetch->detail)
                       : fetch->failure == WEFT_FETCH_FAILED_TIMEOUT ? late_words(fetch->detail)
                                                                     : other_words(fetch);
    if (place.size > 200)
        place.size = 200;
    snprintf(words, sizeof words, form, WEFT_TEXT_ARGS(place));
    if (fetch->failure == WEFT_FETCH_NO_FAILURE)
        snprintf(text, size, "%.*s answered %d", WEFT_TEXT_ARGS(place), fetch->status);
    else if (fetch->failure == WEFT_FETCH_FAILED_STATUS)
        snprintf(text, size, "%d%s%s from %.*s", fetch->status, reason[0] != '\0' ? " " : "",
                 reason, WEFT_TEXT_ARGS(place));
    else if (fetch->failure == WEFT_FETCH_FAILED_TIMEOUT)
        snprintf(text, size, "gave up after %.1f s: %s", (double)fetch->times.total / 1e6, words);
    else if (has_more_to_say(fetch))
        snprintf(text, size, "%s: %s", words, weft_strerror(fetch->op.status));
    else if (curl_has_more_to_say(fetch))
        snprintf(text, size, "%s (%s)", words, fetch->text_);
    else
        snprintf(text, size, "%s", words);
    return text;
}

#pragma GCC diagnostic pop
