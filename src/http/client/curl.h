/* libcurl, loaded when it is first needed. Its header gives the types and constants; its functions
 * are called by their own names, which lead through a table that weft__http_curl_load fills. So
 * whoever calls one has to know that it is loaded: an engine whose multi is set does, and so does
 * everything that only curl can have made. */
#ifndef WEFT_HTTP_CLIENT_CURL_H
#define WEFT_HTTP_CLIENT_CURL_H

#include <stddef.h>
#include <curl/curl.h>

/* The library's name: a test may have another one looked for. */
extern const char *weft__http_curl_name;

enum { CURL_WHY = 128 };

/* Load and initialise libcurl, once for the process and from any thread. 0; UV_ENOMEM; UV_ENOSYS:
 * there is none that we can use, and why is in words (NULL: nobody wants to know). After an error
 * it may be tried again. */
int weft__http_curl_load(char why[CURL_WHY]);

/* Macros in the header. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#undef curl_share_setopt

/* clang-format off */
#define WEFT_CURL_FUNCTIONS(each) \
    each(easy_cleanup) each(easy_getinfo) each(easy_init) each(easy_pause) each(easy_reset) \
    each(easy_setopt) each(easy_strerror) each(free) each(global_init_mem) each(multi_add_handle) \
    each(multi_cleanup) each(multi_info_read) each(multi_init) each(multi_remove_handle) \
    each(multi_setopt) each(multi_socket_action) each(multi_timeout) each(share_cleanup) \
    each(share_init) each(share_setopt) each(slist_append) each(slist_free_all) each(url) \
    each(url_cleanup) each(url_dup) each(url_get) each(url_set) each(version_info)
/* clang-format on */

struct curl_functions {
#define WEFT_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    WEFT_CURL_FUNCTIONS(WEFT_CURL_MEMBER)
#undef WEFT_CURL_MEMBER
};

extern struct curl_functions weft__http_curl;

/* One that is missing here is missed by the linker. */
#define curl_easy_cleanup weft__http_curl.easy_cleanup
#define curl_easy_getinfo weft__http_curl.easy_getinfo
#define curl_easy_init weft__http_curl.easy_init
#define curl_easy_pause weft__http_curl.easy_pause
#define curl_easy_reset weft__http_curl.easy_reset
#define curl_easy_setopt weft__http_curl.easy_setopt
#define curl_easy_strerror weft__http_curl.easy_strerror
#define curl_free weft__http_curl.free
#define curl_global_init_mem weft__http_curl.global_init_mem
#define curl_multi_add_handle weft__http_curl.multi_add_handle
#define curl_multi_cleanup weft__http_curl.multi_cleanup
#define curl_multi_info_read weft__http_curl.multi_info_read
#define curl_multi_init weft__http_curl.multi_init
#define curl_multi_remove_handle weft__http_curl.multi_remove_handle
#define curl_multi_setopt weft__http_curl.multi_setopt
#define curl_multi_socket_action weft__http_curl.multi_socket_action
#define curl_multi_timeout weft__http_curl.multi_timeout
#define curl_share_cleanup weft__http_curl.share_cleanup
#define curl_share_init weft__http_curl.share_init
#define curl_share_setopt weft__http_curl.share_setopt
#define curl_slist_append weft__http_curl.slist_append
#define curl_slist_free_all weft__http_curl.slist_free_all
#define curl_url weft__http_curl.url
#define curl_url_cleanup weft__http_curl.url_cleanup
#define curl_url_dup weft__http_curl.url_dup
#define curl_url_get weft__http_curl.url_get
#define curl_url_set weft__http_curl.url_set
#define curl_version_info weft__http_curl.version_info

#endif
