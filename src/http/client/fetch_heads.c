/* The heads word for word, for who asks for them (keep_heads): what was sent, what came.
 *
 * A fetch may make several requests, and an answer may have heads before its own (1xx, one that asks
 * for a password). Each begins anew, so what is left are the last two, which belong together. The
 * texts are set when a head is complete: half of one is none.
 *
 * Our own connections write the request themselves. curl tells what it sends to whoever asks it to be
 * verbose: so it is, for such a request alone, and everything else that it then tells is dropped. */
#include "client.h"
#include "weft/alloc.h"
#include <string.h>

static bool append(struct weft_http_kept *kept, struct weft_text text)
{
    if (text.size > kept->room - kept->size) {
        size_t room = kept->room + kept->room / 2 + text.size + 512;
        char *grown = weft_realloc(kept->data, room);
        if (grown == NULL)
            return false;
        kept->data = grown;
        kept->room = room;
    }
    memcpy(kept->data + kept->size, text.data, text.size);
    kept->size += text.size;
    return true;
}

int weft__http_heads_sent(struct weft_http_fetch *fetch, struct weft_text text)
{
    struct weft_http_kept *kept = &fetch->sent_;
    if (!fetch->keep_heads || text.size == 0)
        return 0;
    if (fetch->request_head.data != NULL) { /* it was complete: this is another one */
        fetch->request_head = weft_text(NULL, 0);
        kept->size = 0;
    }
    if (!append(kept, text))
        return UV_ENOMEM;
    if (kept->size >= 4 && memcmp(kept->data + kept->size - 4, "\r\n\r\n", 4) == 0)
        fetch->request_head = weft_text(kept->data, kept->size);
    return 0;
}

int weft__http_heads_came(struct weft_http_fetch *fetch, struct weft_text line, bool first)
{
    struct weft_http_kept *kept = &fetch->came_;
    if (!fetch->keep_heads)
        return 0;
    if (first)
        kept->size = 0;
    fetch->answer_head = weft_text(NULL, 0);
    if (!append(kept, line))
        return UV_ENOMEM;
    bool is_end = line.data[0] == '\n' || (line.size == 2 && line.data[0] == '\r');
    if (is_end && !first)
        fetch->answer_head = weft_text(kept->data, kept->size);
    return 0;
}

void weft__http_heads_begin(struct weft_http_fetch *fetch)
{
    fetch->request_head = fetch->answer_head = weft_text(NULL, 0);
    fetch->sent_.size = fetch->came_.size = 0;
}

void weft__http_heads_free(struct weft_http_fetch *fetch)
{
    weft_free(fetch->sent_.data);
    weft_free(fetch->came_.data);
    fetch->sent_ = fetch->came_ = (struct weft_http_kept){0};
    fetch->request_head = fetch->answer_head = weft_text(NULL, 0);
}

/* ---- curl ----------------------------------------------------------------------------------- */

/* What is said to a proxy, to be led on to the server, is no request of ours. */
static int told(CURL *easy, curl_infotype kind, char *data, size_t size, void *p)
{
    struct weft_http_fetch *fetch = ((struct weft_http_handle *)p)->fetch;
    struct weft_text text = weft_text(data, size);
    (void)easy;
    if (kind != CURLINFO_HEADER_OUT || fetch == NULL || weft_text_starts(text, "CONNECT "))
        return 0;
    if (weft__http_heads_sent(fetch, text) != 0)
        weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
    return 0;
}

CURLcode weft__http_heads_ask(struct weft_http_handle *handle)
{
    if (!handle->fetch->keep_heads)
        return CURLE_OK;
    handle->special = true;
    CURLcode code = curl_easy_setopt(handle->easy, CURLOPT_DEBUGFUNCTION, told);
    if (code == CURLE_OK)
        code = curl_easy_setopt(handle->easy, CURLOPT_DEBUGDATA, handle);
    return code == CURLE_OK ? curl_easy_setopt(handle->easy, CURLOPT_VERBOSE, 1L) : code;
}
