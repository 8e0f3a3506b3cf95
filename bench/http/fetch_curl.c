/* The same as fetch_weft with bare libcurl: its multi socket interface on epoll, handles used again,
 * bodies collected. Of the ways to drive curl this is the fastest that was found here.
 *     fetch_curl URL COUNT CONNECTIONS
 * links: curl */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { EVENTS = 64 };

struct worker {
    CURL *easy;
    char *body;
    size_t size, room;
};

static struct crawl {
    CURLM *multi;
    int epoll;
    long timeout;
    const char *base;
    unsigned long next, count, done, bytes;
} crawl;

static size_t collect(char *data, size_t size, size_t count, void *p)
{
    struct worker *worker = p;
    size *= count;
    if (worker->room - worker->size < size) {
        worker->room = worker->room * 2 + size;
        worker->body = realloc(worker->body, worker->room);
        if (worker->body == NULL)
            exit(1);
    }
    memcpy(worker->body + worker->size, data, size);
    worker->size += size;
    return size;
}

static int socket_set(CURL *easy, curl_socket_t fd, int what, void *p, void *known)
{
    struct epoll_event event = {.data.fd = fd};
    (void)easy;
    (void)p;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(crawl.epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    epoll_ctl(crawl.epoll, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    if (known == NULL)
        curl_multi_assign(crawl.multi, fd, &crawl);
    return 0;
}

static int timer_set(CURLM *multi, long ms, void *p)
{
    (void)multi;
    (void)p;
    crawl.timeout = ms;
    return 0;
}

static void fetch_next(struct worker *worker)
{
    char url[256];
    snprintf(url, sizeof url, "%s/%lu", crawl.base, crawl.next++);
    worker->size = 0;
    curl_easy_setopt(worker->easy, CURLOPT_URL, url);
    curl_multi_add_handle(crawl.multi, worker->easy);
}

static void look_who_is_done(void)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(crawl.multi, &left)) != NULL) {
        struct worker *worker = NULL;
        long status = 0;
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&worker);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (code != CURLE_OK || status != 200) {
            fprintf(stderr, "%s\n", curl_easy_strerror(code));
            exit(1);
        }
        crawl.bytes += worker->size;
        crawl.done++;
        curl_multi_remove_handle(crawl.multi, easy);
        if (crawl.next < crawl.count)
            fetch_next(worker);
    }
}

static void turn(void)
{
    struct epoll_event events[EVENTS];
    int running, count = epoll_wait(crawl.epoll, events, EVENTS, (int)crawl.timeout);
    if (count == 0) {
        crawl.timeout = -1; /* curl says so if there is another */
        curl_multi_socket_action(crawl.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (int i = 0; i < count; i++) {
        int flags = 0;
        if (events[i].events & EPOLLIN)
            flags |= CURL_CSELECT_IN;
        if (events[i].events & EPOLLOUT)
            flags |= CURL_CSELECT_OUT;
        if (events[i].events & (EPOLLERR | EPOLLHUP))
            flags |= CURL_CSELECT_ERR;
        curl_multi_socket_action(crawl.multi, events[i].data.fd, flags, &running);
    }
    look_who_is_done();
}

static void start(unsigned connections)
{
    for (unsigned i = 0; i < connections && crawl.next < crawl.count; i++) {
        struct worker *worker = calloc(1, sizeof *worker);
        if (worker == NULL || (worker->easy = curl_easy_init()) == NULL)
            exit(1);
        curl_easy_setopt(worker->easy, CURLOPT_PRIVATE, worker);
        curl_easy_setopt(worker->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(worker->easy, CURLOPT_WRITEFUNCTION, collect);
        curl_easy_setopt(worker->easy, CURLOPT_WRITEDATA, worker);
        fetch_next(worker);
    }
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    struct timespec begin, end;
    if (argc != 4)
        return 2;
    crawl.base = argv[1];
    crawl.count = strtoul(argv[2], NULL, 10);
    crawl.timeout = -1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    curl_global_init(CURL_GLOBAL_ALL);
    crawl.multi = curl_multi_init();
    crawl.epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(crawl.multi, CURLMOPT_SOCKETFUNCTION, socket_set);
    curl_multi_setopt(crawl.multi, CURLMOPT_TIMERFUNCTION, timer_set);
    curl_multi_setopt(crawl.multi, CURLMOPT_MAXCONNECTS, strtol(argv[3], NULL, 10));
    start((unsigned)strtoul(argv[3], NULL, 10));
    while (crawl.done < crawl.count)
        turn();
    clock_gettime(CLOCK_MONOTONIC, &end);
    double took = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    getrusage(RUSAGE_SELF, &usage);
    printf("pages/s=%.0f cpu=%.3f bytes=%lu\n", (double)crawl.count / took,
           seconds(usage.ru_utime) + seconds(usage.ru_stime), crawl.bytes);
    return 0;
}
