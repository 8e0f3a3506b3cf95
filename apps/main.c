/* weft: one command, with the programs built on the library as its subcommands.
 *
 * main() only finds the command and looks after what all share: the general options, and that
 * output which could not be written is an error. */
#include "command.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static bool is_option(const char *word, const char *brief, const char *full)
{
    return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

/* Every command knows --help, so that none has to; and -h, where it is no value of an option. */
static bool asks_for_help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "-h") == 0)
        return true;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return true;
    }
    return false;
}

static int run_command(int argc, char **argv)
{
    const struct command *command = command_find(argv[0]);
    if (command == NULL)
        return unknown_command(argv[0]);
    if (asks_for_help(argc, argv)) {
        help_print_usage(command);
        return EXIT_OK;
    }
    return command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    char *help[] = {"help", NULL}, *version[] = {"version", NULL};
    /* Nothing asked for is not a mistake worth an error: show what there is. */
    if (argc < 2 || is_option(argv[1], "-h", "--help"))
        return help_run(1, help);
    if (is_option(argv[1], "-V", "--version"))
        return version_run(1, version);
    if (argv[1][0] == '-')
        return misused(NULL, "unknown option '%s'", argv[1]);
    return run_command(argc - 1, argv + 1);
}

/* Whoever starts us with a standard descriptor closed would have the next file that is opened take
 * its place: what is meant for people would go into that one. So each has something behind it, which
 * is open the wrong way round: to use it is the same error as before. */
static void occupy_standard_descriptors(void)
{
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* The lowest that is free is taken, and those below are not. */
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", wrong_way[fd]);
    }
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    signal(SIGXFSZ,
           SIG_IGN); /* a file that may not grow is an error, which is told and cleaned up after */
    int status = dispatch(argc, argv);
    if (!finish_output() && status == EXIT_OK)
        status = EXIT_FAILED;
    return status;
}
