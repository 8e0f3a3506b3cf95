/* weft/http.h: all of libweft-http: a server, a client, and what both speak. Apart from weft.h,
 * since it needs libcurl and a library of its own. */
#ifndef WEFT_HTTP_H
#define WEFT_HTTP_H

#include "http_client.h"
#include "http_files.h"
#include "http_head.h"
#include "http_log.h"
#include "http_message.h"
#include "http_metrics.h"
#include "http_router.h"
#include "http_server.h"

#endif
