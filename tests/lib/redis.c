#include "redis.h"
#include "port.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_in loopback(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* ---- talking -------------------------------------------------------------------------------- */

static int dial(unsigned port)
{
    struct sockaddr_in address = loopback(port);
    struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* One line out, one read back: what the tests say is answered in one piece. */
static bool say_line(int fd, const char *line, char *answer, size_t room)
{
    if (send(fd, line, strlen(line), MSG_NOSIGNAL) != (ssize_t)strlen(line))
        return false;
    ssize_t size = recv(fd, answer, room - 1, 0);
    answer[size > 0 ? size : 0] = '\0';
    return size > 0;
}

static bool say(const struct redis_server *server, const char *line, char *answer, size_t room)
{
    char login[128];
    int fd = dial(server->port);
    if (fd < 0)
        return false;
    snprintf(login, sizeof login, "AUTH %s\r\n", server->password);
    bool good = (server->password[0] == '\0' || say_line(fd, login, answer, room)) &&
                say_line(fd, line, answer, room);
    close(fd);
    return good;
}

const char *redis_server_say(const struct redis_server *server, const char *format, ...)
{
    static char answer[4096];
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 2, format, args);
    va_end(args);
    strcat(line, "\r\n");
    if (!say(server, line, answer, sizeof answer))
        fail_msg("redis-server does not answer: %s", line);
    return answer;
}

/* ---- running -------------------------------------------------------------------------------- */

static void become_server(const struct redis_server *server)
{
    char port[16];
    bool keeps = server->folder[0] != '\0';
    snprintf(port, sizeof port, "%u", server->port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execlp("redis-server", "redis-server", "--port", port, "--bind", server->addresses,
           "--unixsocket", server->path, "--save", "", "--appendonly", keeps ? "yes" : "no",
           "--appendfsync", "always", "--dir", keeps ? server->folder : scratch_dir(),
           "--protected-mode", "no", "--requirepass", server->password, (char *)NULL);
    _exit(127);
}

static void rest(void)
{
    struct timespec moment = {.tv_nsec = 5 * 1000 * 1000};
    nanosleep(&moment, NULL);
}

/* Does it answer, and is it the one that was started here, not another test's? */
static bool is_up(const struct redis_server *server)
{
    char answer[4096], mine[64];
    snprintf(mine, sizeof mine, "process_id:%d\r\n", (int)server->pid);
    return say(server, "INFO server\r\n", answer, sizeof answer) && strstr(answer, mine) != NULL;
}

/* false: it has ended instead, most likely because somebody else has the port by now. 127 is how
 * become_server says that there is no such program. */
static bool start(struct redis_server *server)
{
    int how;
    server->pid = fork();
    assert_true(server->pid >= 0);
    if (server->pid == 0)
        become_server(server);
    while (waitpid(server->pid, &how, WNOHANG) == 0) {
        if (is_up(server))
            return true;
        rest();
    }
    server->pid = 0;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 127) {
        fputs("skipped: redis-server is not installed\n", stderr);
        skip();
    }
    return false;
}

void redis_server_again(struct redis_server *server)
{
    for (int i = 0; i < 100; i++) {
        if (start(server))
            return;
        rest();
    }
    fail_msg("redis-server does not start at port %u", server->port);
}

static void choose_place(struct redis_server *server)
{
    const char *at = server->password[0] != '\0' ? "@" : "", *colon = *at != '\0' ? ":" : "";
    server->port = free_port();
    scratch_new_path(server->path, "redis.sock");
    snprintf(server->url, sizeof server->url, "redis://%s%s%s127.0.0.1:%u", colon, server->password,
             at, server->port);
    snprintf(server->path_url, sizeof server->path_url, "unix:%s", server->path);
}

static void bring_up(struct redis_server *server)
{
    for (int i = 0; i < 50; i++) {
        choose_place(server);
        if (start(server))
            return;
    }
    fail_msg("redis-server does not start");
}

void redis_server_up(struct redis_server *server, const char *password)
{
    memset(server, 0, sizeof *server);
    snprintf(server->password, sizeof server->password, "%s", password != NULL ? password : "");
    server->addresses = "127.0.0.1";
    bring_up(server);
}

void redis_server_up_kept(struct redis_server *server, const char *addresses)
{
    memset(server, 0, sizeof *server);
    server->addresses = addresses != NULL ? addresses : "127.0.0.1";
    scratch_new_path(server->folder, "redis");
    assert_int_equal(mkdir(server->folder, 0700), 0);
    bring_up(server);
}

void redis_server_down(struct redis_server *server)
{
    if (server->pid <= 0)
        return;
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}
