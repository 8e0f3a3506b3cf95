/* The log of requests, for tests that end the client by force: what stands there was answered
 * completely, or was cut; what does not was under way. Each line is one write(2), at once, so that
 * none is lost or torn. A line that cannot be written is left out. */
#include "site.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_SHOWN = 4000 };

int log_open(int *fd, const char *path)
{
    *fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return *fd >= 0 ? 0 : uv_translate_sys_error(errno);
}

void log_visit(int fd, uint64_t ms, const struct visit *visit)
{
    const struct weft_http_request *request = &visit->request;
    struct weft_text target = request->head.target;
    char line[PATH_SHOWN + 100];
    int size;
    if (target.size == 0)
        target = weft_text_of("-");
    if (target.size > PATH_SHOWN)
        target.size = PATH_SHOWN;
    if (request->op.status != 0)
        size = snprintf(line, sizeof line, "cut %.*s\n", WEFT_TEXT_ARGS(target));
    else
        size =
            snprintf(line, sizeof line, "%llu %d %llu %.*s\n", (unsigned long long)ms,
                     request->answered, (unsigned long long)request->sent, WEFT_TEXT_ARGS(target));
    if (write(fd, line, (size_t)size) < 0)
        return;
}
