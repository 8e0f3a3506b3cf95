/* A program that has only what is installed of libweft-http: a server that a client asks once. */
#include <stdio.h>
#include <weft.h>
#include <weft/http.h>

static struct weft_op app;
static struct weft_http_server server;
static struct weft_http_client client;
static struct weft_http_fetch fetch;

static void answer(struct weft_op *op)
{
    weft_http_answerf(weft_owner(op, struct weft_http_request, op), 200, "text/plain", "weft %s\n",
                      weft_version());
}

static void answered(struct weft_op *op, struct weft_op *child)
{
    if (child->status == 0)
        fputs(fetch.body, stdout);
    weft_http_fetch_free(&fetch);
    weft_end(op, child->status);
}

static void begin(struct weft_op *op)
{
    static char url[64];
    weft_address_parse(&server.address, "127.0.0.1:0");
    server.handler = answer;
    weft_http_serve(op, &server, &server.address, NULL);
    weft_http_url(&server, url, sizeof url);
    weft_http_client_open(op, &client, NULL);
    weft_http_fetch(op, &fetch, &client, url, answered);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
