/* What is not in a robots.txt but around it: what its status means, and how long it is good. */
#include "robots.h"
#include <uv.h>

enum weft_robots_verdict weft_robots_of_status(int http_status, int op_status)
{
    if (op_status == UV_ELOOP)
        return WEFT_ROBOTS_ALLOW_ALL;
    if (op_status != 0 || http_status == 429)
        return WEFT_ROBOTS_DENY_ALL;
    if (http_status >= 200 && http_status < 300)
        return WEFT_ROBOTS_RULES;
    return http_status >= 300 && http_status < 500 ? WEFT_ROBOTS_ALLOW_ALL : WEFT_ROBOTS_DENY_ALL;
}

/* Digits, or digits in quotes; false for anything else. */
static bool seconds_of(struct weft_text value, uint32_t *seconds)
{
    uint32_t sum = 0;
    value = weft_text_trim(value);
    if (value.size >= 2 && value.data[0] == '"' && value.data[value.size - 1] == '"')
        value = weft_text(value.data + 1, value.size - 2);
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
        if (sum < WEFT_ROBOTS_AGE_MAX_S)
            sum = sum * 10 + (uint32_t)(value.data[i] - '0');
    }
    *seconds = sum;
    return value.size > 0;
}

/* What one directive says; false: nothing. */
static bool age_of(struct weft_text directive, uint32_t *seconds)
{
    struct weft_text value = directive;
    struct weft_text name = weft_text_trim(weft_text_cut(&value, '='));
    if (weft_text_same(name, weft_text_of("no-store")) ||
        (weft_text_same(name, weft_text_of("no-cache")) && value.data == NULL)) {
        *seconds = 0;
        return true;
    }
    return weft_text_same(name, weft_text_of("max-age")) && seconds_of(value, seconds);
}

/* When several speak of it, the shortest counts. */
uint32_t weft_robots_max_age_s(struct weft_text cache_control)
{
    uint32_t age = WEFT_ROBOTS_AGE_MAX_S, seconds;
    while (cache_control.data != NULL) {
        if (age_of(weft_text_cut(&cache_control, ','), &seconds) && seconds < age)
            age = seconds;
    }
    return age > WEFT_ROBOTS_AGE_MIN_S ? age : WEFT_ROBOTS_AGE_MIN_S;
}
