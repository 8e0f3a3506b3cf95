/* Which start of the machine this is: what only Linux tells. Elsewhere nobody knows, and a journal
 * that was left behind is not believed: a second of work is then done again. */
#include "journal.h"
#include <string.h>

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

void weft__crawl_boot(char boot[WEFT__CRAWL_BOOT_SIZE])
{
    memset(boot, 0, WEFT__CRAWL_BOOT_SIZE);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (read(fd, boot, WEFT__CRAWL_BOOT_SIZE) < 36) /* the 36 characters of a UUID */
        memset(boot, 0, WEFT__CRAWL_BOOT_SIZE);
    close(fd);
}

#else

void weft__crawl_boot(char boot[WEFT__CRAWL_BOOT_SIZE])
{
    memset(boot, 0, WEFT__CRAWL_BOOT_SIZE);
}

#endif
