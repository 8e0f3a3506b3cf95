/* How long something is to last: numbers of seconds, and the Retry-After that may also be a date.
 * What others ask us to wait is theirs to ask and ours to bound. */
#include "scan.h"

int weft_http_seconds(struct weft_text text, uint32_t *seconds)
{
    uint64_t number;
    int err = number_parse(text, UINT64_C(1) << 31, &number);
    *seconds = (uint32_t)number;
    return err == UV_EINVAL ? err : 0;
}

int weft_http_retry_after(struct weft_text value, int64_t now, uint32_t most, uint32_t *seconds)
{
    int64_t time;
    int err = weft_http_seconds(value, seconds);
    if (err != 0) {
        if ((err = weft_http_date_parse(value, now, &time)) != 0)
            return err;
        /* Unsigned, because now may be anything. */
        uint64_t wait = time > now ? (uint64_t)time - (uint64_t)now : 0;
        *seconds = wait < most ? (uint32_t)wait : most;
    }
    if (*seconds > most)
        *seconds = most;
    return 0;
}
