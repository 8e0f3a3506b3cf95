/* A ledger for one bench: made in the folder for such things, filled by `weft sales load`, and
 * removed at the end.
 *
 * A child fills it, as the servers are children, too: whoever opens a ledger does so in a process of
 * its own, and this one stays small. */
#include "sales/bench.h"
#include "command.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool bench_temporary_make(struct bench_temporary *temporary)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    int length =
        snprintf(temporary->folder, sizeof temporary->folder, "%s/weft-sales-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof temporary->folder) {
        complain("the name of the folder for temporary files is too long");
        temporary->folder[0] = '\0';
        return false;
    }
    if (mkdtemp(temporary->folder) == NULL) {
        complain("cannot make a folder in '%s': %s", folder, strerror(errno));
        temporary->folder[0] = '\0';
        return false;
    }
    return true;
}

void bench_temporary_fill(struct weft_op *parent, struct bench_temporary *temporary,
                          const char *command, weft_then_fn *then)
{
    const char *const words[] = {command,   "sales",  "load",   "--db", temporary->folder,
                                 "--count", "100000", "--seed", "1",    NULL};
    temporary->process.group = true;
    temporary->process.err = (struct weft_stdio){.kind = WEFT_STDIO_INHERIT};
    weft_process(parent, &temporary->process, words, then);
}

/* Only files: a ledger has no folders in it. */
void bench_temporary_remove(struct bench_temporary *temporary)
{
    if (temporary->folder[0] == '\0')
        return;
    DIR *folder = opendir(temporary->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    if (rmdir(temporary->folder) != 0)
        complain("cannot remove '%s': %s", temporary->folder, strerror(errno));
    temporary->folder[0] = '\0';
}
