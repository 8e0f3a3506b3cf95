/* help and version. */
#include "command.h"
#include <stdio.h>
#include <string.h>
#include <weft.h>

void help_print_usage(const struct command *command)
{
    printf("usage: weft %s", command->usage);
}

static void print_overview(void)
{
    fputs("usage: weft COMMAND [ARGUMENT...]\n"
          "       weft --help | --version\n"
          "\n"
          "Programs built on libweft, the asynchronous C library.\n"
          "\n"
          "commands:\n",
          stdout);
    for (const struct command *command = commands; command->name != NULL; command++)
        printf("  %-12s %s\n", command->name, command->summary);
    fputs("\n`weft help COMMAND` tells more about one of them.\n", stdout);
}

int help_run(int argc, char **argv)
{
    if (argc > 2)
        return misused("help", "help takes one command");
    if (argc < 2) {
        print_overview();
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--list") == 0) {
        for (const struct command *command = commands; command->name != NULL; command++)
            puts(command->name);
        return EXIT_OK;
    }
    if (argv[1][0] == '-')
        return misused("help", "unknown option '%s'", argv[1]);
    const struct command *command = command_find(argv[1]);
    if (command == NULL)
        return unknown_command(argv[1]);
    help_print_usage(command);
    return EXIT_OK;
}

int version_run(int argc, char **argv)
{
    if (argc > 1)
        return misused("version", "unexpected '%s'", argv[1]);
    printf("weft %s\n", weft_version());
    return EXIT_OK;
}
