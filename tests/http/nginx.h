/* nginx as a server from outside: plain, TLS and HTTP/2, with certificates of a test's own
 * authority.
 *
 * It is started once a program, in the scratch folder, on ports that were free a moment ago, and
 * ends with the program. Hosts: good.test, wrong.test (its certificate is good.test's),
 * expired.test, self.test and mutual.test, which wants to see a certificate too (guest.pem is one),
 * all on the TLS port; plain.test without TLS; old.test is HTTP/1.1 with TLS; on bare_port HTTP/2
 * is spoken without. What good.test was asked for, and how that ended, is in the file
 * access.log. */
#ifndef TESTS_HTTP_NGINX_H
#define TESTS_HTTP_NGINX_H

#include "outside.h"
#include "port.h"
#include "scratch.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct nginx {
    pid_t pid;
    unsigned port, tls_port, old_port, bare_port;
    char ca[SCRATCH_PATH], pin[128];
} nginx;

static inline void nginx_down(void)
{
    if (nginx.pid <= 0)
        return;
    kill(nginx.pid, SIGTERM);
    waitpid(nginx.pid, NULL, 0);
    nginx.pid = 0;
}

static inline void nginx_certificates(void)
{
    static const char script[] =
        "set -e\n"
        "cd \"$1\"\n"
        "key() { openssl ecparam -name prime256v1 -genkey -noout -out $1.key; }\n"
        "leaf() {\n"
        "  key $1\n"
        "  openssl req -new -key $1.key -subj /CN=$1.test -out $1.csr\n"
        "  echo \"subjectAltName=DNS:$1.test,DNS:old.test\" >$1.ext\n"
        "  openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $2"
        " -extfile $1.ext -out $1.pem\n"
        "}\n"
        "key ca; openssl req -x509 -new -key ca.key -subj /CN=ca -days 30 -out ca.pem\n"
        "leaf good 30; leaf expired -1; leaf mutual 30; leaf guest 30\n"
        "mkdir -p hashed; cp ca.pem hashed/; openssl rehash hashed\n"
        "key self; openssl req -x509 -new -key self.key -subj /CN=self.test"
        " -addext subjectAltName=DNS:self.test -days 30 -out self.pem\n"
        "openssl pkey -in good.key -pubout -outform der | openssl dgst -sha256 -binary |"
        " base64 >pin\n";
    char path[SCRATCH_PATH], command[2 * SCRATCH_PATH];
    scratch_file(path, "certificates.sh", script);
    snprintf(command, sizeof command, "bash %s %s >/dev/null 2>&1", path, scratch_dir());
    assert_int_equal(system(command), 0);
    scratch_path(nginx.ca, "ca.pem");
    FILE *file = fopen(scratch_path(path, "pin"), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%127s", nginx.pin), 1);
    fclose(file);
}

/* A site with TLS. more is what else is to be said about it. */
static inline size_t nginx_site(char *text, size_t size, const char *host, const char *certificate,
                                unsigned port, const char *how, const char *more)
{
    const char *dir = scratch_dir();
    return (size_t)snprintf(
        text, size,
        "server { listen 127.0.0.1:%u ssl %s; server_name %s.test; root %s/www;\n"
        "  ssl_certificate %s/%s.pem; ssl_certificate_key %s/%s.key;\n"
        "  %s }\n",
        port, how, host, dir, dir, certificate, dir, certificate, more);
}

static inline void nginx_configure(char path[SCRATCH_PATH])
{
    static char text[16384];
    const char *dir = scratch_dir();
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "daemon off; master_process off; pid %s/pid; error_log %s/error.log warn;\n"
        "events { worker_connections 512; }\n"
        "http { access_log off; default_type text/plain; gzip on; gzip_types text/plain;\n"
        "  gzip_min_length 100;\n"
        "  log_format ended '$uri $body_bytes_sent $request_completion.';\n"
        "  client_body_temp_path %s/t1; proxy_temp_path %s/t2; fastcgi_temp_path %s/t3;\n"
        "  uwsgi_temp_path %s/t4; scgi_temp_path %s/t5;\n"
        "server { listen 127.0.0.1:%u http2; root %s/www; }\n"
        "server { listen 127.0.0.1:%u; server_name plain.test; root %s/www;\n"
        "  location /slow { limit_rate 1k; }\n"
        "  location /cookie/set { add_header Set-Cookie \"a=b; Path=/; Max-Age=1000\"; return 200; "
        "}\n"
        "  location /cookie/get { return 200 \"$http_cookie\"; }\n"
        "  location /auth { return 200 \"$http_authorization\"; }\n"
        "  location /go { return 302 /big; } }\n",
        dir, dir, dir, dir, dir, dir, dir, nginx.bare_port, dir, nginx.port, dir);
#define SITE(...) used += nginx_site(text + used, sizeof text - used, __VA_ARGS__)
    SITE("good", "good", nginx.tls_port, "http2",
         "access_log access.log ended;\n"
         "  location /slow { limit_rate 20k; } location /less/slow { limit_rate 600k; }");
    SITE("wrong", "good", nginx.tls_port, "http2", "");
    SITE("expired", "expired", nginx.tls_port, "http2", "");
    SITE("self", "self", nginx.tls_port, "http2", "");
    SITE("mutual", "mutual", nginx.tls_port, "http2",
         "ssl_verify_client on; ssl_client_certificate ca.pem;\n"
         "  location /who { return 200 $ssl_client_s_dn; }");
    SITE("old", "good", nginx.old_port, "", "");
#undef SITE
    snprintf(text + used, sizeof text - used, "}\n");
    scratch_file(path, "nginx.conf", text);
}

static inline void nginx_files(void)
{
    static char big[200001];
    char command[2 * SCRATCH_PATH], path[SCRATCH_PATH];
    snprintf(command, sizeof command, "mkdir -p %s/www/less", scratch_dir());
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof big - 1; i++)
        big[i] = (char)('a' + i % 26);
    scratch_file(path, "www/big", big);
    scratch_file(path, "www/slow", big);
    scratch_file(path, "www/less/slow", big);
    scratch_file(path, "www/small", "small");
}

/* It writes this file when it listens everywhere. That somebody listens on the ports would not do:
 * it may be another test, which was faster. */
static inline bool nginx_listens(void)
{
    char path[SCRATCH_PATH];
    return scratch_exists(scratch_path(path, "pid"));
}

static inline bool nginx_try(void)
{
    char path[SCRATCH_PATH];
    unlink(scratch_path(path, "pid"));
    nginx.port = free_port();
    nginx.tls_port = free_port();
    nginx.old_port = free_port();
    nginx.bare_port = free_port();
    nginx_configure(path);
    pid_t parent = getpid();
    nginx.pid = fork();
    if (nginx.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            execlp("nginx", "nginx", "-p", scratch_dir(), "-c", path, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 500; i++) {
        if (nginx_listens())
            return true;
        if (waitpid(nginx.pid, NULL, WNOHANG) == nginx.pid) {
            nginx.pid = 0; /* a port was taken in the meantime */
            break;
        }
        usleep(10000);
    }
    nginx_down();
    return false;
}

/* Start it, or skip the test if it is not installed. */
static inline void nginx_up(void)
{
    if (nginx.pid > 0)
        return;
    if (system("nginx -v >/dev/null 2>&1 && openssl version >/dev/null 2>&1") != 0) {
        print_error("nginx or openssl is not installed: skipped\n");
        skip();
    }
    atexit(nginx_down);
    nginx_certificates();
    nginx_files();
    for (int i = 0; i < 5 && nginx.pid <= 0; i++)
        nginx_try();
    assert_true(nginx.pid > 0);
}

/* A world with a client that trusts the test's authority; the caller may change client before it is
 * opened, by nginx_open. */
static inline void nginx_scene(struct scene *scene)
{
    nginx_up();
    memset(scene, 0, sizeof *scene);
    world_up(&scene->w);
    scene->client.resolve = resolve_to_loopback;
    scene->client.ca_file = nginx.ca;
}

static inline void nginx_open(struct scene *scene)
{
    weft_http_client_open(scene_root(scene), &scene->client, noted);
}

static inline void nginx_scene_down(struct scene *scene)
{
    weft_http_client_close(&scene->client);
    world_down(&scene->w);
}

static inline void nginx_get(struct scene *scene, struct weft_http_fetch *fetch, const char *host,
                             const char *path)
{
    static char urls[32][URL_MAX];
    static unsigned next;
    char *url = urls[next++ % 32];
    bool plain = strcmp(host, "plain") == 0;
    unsigned port = plain ? nginx.port : strcmp(host, "old") == 0 ? nginx.old_port : nginx.tls_port;
    snprintf(url, URL_MAX, "http%s://%s.test:%u%s", plain ? "" : "s", host, port, path);
    weft_http_fetch(scene_root(scene), fetch, &scene->client, url, noted);
}

static inline void nginx_got(struct scene *scene, struct weft_http_fetch *fetch)
{
    char text[WEFT_FETCH_EXPLAIN];
    await(&scene->w, &fetch->op);
    if (fetch->op.status != 0)
        fail_msg("%s", weft_http_fetch_explain(fetch, text, sizeof text));
}

#endif
