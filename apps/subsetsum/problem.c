/* Where the numbers of a command line come from: an option, a file or standard input. */
#include "subsetsum/subsetsum.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

/* Ample for 64 numbers: what is longer is something else. */
enum { TEXT_MAX = 64 * 1024 };

/* All of it; one byte more than allowed if there is more. False, and errno, if it cannot be read. */
static bool read_all(int fd, char text[TEXT_MAX + 1], size_t *size)
{
    ssize_t got = 1;
    *size = 0;
    while (got != 0 && *size <= TEXT_MAX) {
        got = read(fd, text + *size, TEXT_MAX + 1 - *size);
        if (got < 0 && errno != EINTR)
            return false;
        *size += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static int take_values(struct subset_problem *problem, const char *from, struct weft_text text)
{
    char why[SUBSET_WHY];
    if (subset_parse_values(problem, text, why) == 0)
        return EXIT_OK;
    complain("%s: %s", from, why);
    return EXIT_FAILED;
}

static int read_values(struct subset_problem *problem, const char *file)
{
    static char text[TEXT_MAX + 1];
    bool standard = strcmp(file, "-") == 0;
    const char *name = standard ? "standard input" : file;
    size_t size;
    int fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    bool read = fd >= 0 && read_all(fd, text, &size);
    int reason = errno;
    if (fd >= 0 && !standard)
        close(fd);
    if (!read) {
        complain("%s: %s", name, strerror(reason));
        return EXIT_FAILED;
    }
    if (size > TEXT_MAX) {
        complain("%s: more than %d bytes cannot be an array of %d integers", name, TEXT_MAX,
                 SUBSET_MAX);
        return EXIT_FAILED;
    }
    return take_values(problem, name, weft_text(text, size));
}

int subsetsum_problem(const char *part, const char *data, const char *sum, int argc, char **argv,
                      struct subset_problem *problem)
{
    char why[SUBSET_WHY];
    memset(problem, 0, sizeof *problem);
    if (argc > 2)
        return misused("subsetsum", "%s takes one file", part);
    if (data == NULL && argc < 2)
        return misused("subsetsum", "%s needs --data '[1,2,3]' or a file", part);
    if (data != NULL && argc == 2)
        return misused("subsetsum", "%s takes --data or a file, not both", part);
    if (sum == NULL)
        return misused("subsetsum", "%s needs --sum", part);
    if (subset_parse_sum(problem, weft_text_of(sum), why) != 0)
        return misused("subsetsum", "--sum: %s", why);
    return data != NULL ? take_values(problem, "--data", weft_text_of(data))
                        : read_values(problem, argv[1]);
}
