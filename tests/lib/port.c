#include "port.h"
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_free(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return good;
}

unsigned free_port(void)
{
    for (int i = 0; i < 1000; i++) {
        unsigned draw = 0;
        assert_int_equal(getrandom(&draw, sizeof draw, 0), sizeof draw);
        unsigned port = 10000 + draw % 10000;
        if (is_free(port))
            return port;
    }
    fail_msg("there is no free port");
    return 0;
}
