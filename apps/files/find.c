/* weft find: the text files below a folder that hold a keyword. */
#include "command.h"
#include "files/choosing.h"
#include "files/teller.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char find_usage[] =
    "find [OPTION...] DIR KEYWORD...\n"
    "\n"
    "Finds the text files below DIR that hold one of the KEYWORDs, in the order in which they\n"
    "are found. A KEYWORD is text, not a pattern. A file with a NUL byte among its first 65536\n"
    "bytes is binary, and left out. What cannot be read is told on standard error, and the\n"
    "rest goes on.\n"
    "\n"
    "  -i, --ignore-case        letters are the same in any case, also those beyond ASCII\n"
    "  -a, --all                files that hold each of the KEYWORDs\n"
    "  -l, --files              print which files (the default)\n"
    "  -n, --lines              print the lines that hold one, with their numbers\n"
    "  -c, --count              print how many such lines each file has, if any\n"
    "  -q, --quiet              print nothing, end at the first one: exits with 1 if there is\n"
    "                           none\n" CHOOSING_USAGE
    "  -j, --jobs N             files that are searched at the same time\n"
    "  -s, --sort               sorted by the names of files, when all are there\n"
    "  -0, --null               a NUL byte behind each path instead of a newline or colon\n"
    "      --json               one object a line\n"
    "\n"
    "Exits with 0 if all was searched, found or not; with 1 if something could not be read.\n";

struct finding {
    struct teller teller;
    struct choosing choosing;
    struct weft_find find;
    bool files, lines, counts, quiet;
    bool found; /* with quiet: there is one */
};

/* ---- what is found -------------------------------------------------------------------------- */

static void put_object(struct out *out, const struct weft_find_match *match,
                       enum weft_find_what what)
{
    out_string(out, "{");
    teller_json(out, "path", weft_text(match->path, match->size));
    if (what == WEFT_FIND_COUNTS)
        out_json_number(out, "count", (int64_t)match->line);
    if (what == WEFT_FIND_LINES) {
        out_json_number(out, "line", (int64_t)match->line);
        out_json_number(out, "offset", (int64_t)match->offset);
        teller_json(out, "text", match->text);
        out_json_number(out, "at", (int64_t)match->at);
        out_json_flag(out, "cut", match->cut);
    }
    out_string(out, "}\n");
}

/* A '\r' before the end of a line belongs to the line, but on a terminal it would be a '?' that nobody
 * wrote. */
static struct weft_text shown_text(const struct teller *teller, struct weft_text text)
{
    if (teller->terminal && text.size > 0 && text.data[text.size - 1] == '\r')
        text.size--;
    return text;
}

static void put_line(const struct teller *teller, struct out *out,
                     const struct weft_find_match *match, enum weft_find_what what)
{
    teller_path(teller, out, weft_text(match->path, match->size));
    if (what == WEFT_FIND_FILES) {
        teller_end_line(teller, out);
        return;
    }
    out_text(out, weft_text(teller->null ? "\0" : ":", 1));
    out_format(out, "%" PRIu64, match->line);
    if (what == WEFT_FIND_LINES) {
        out_string(out, ":");
        teller_text(teller, out, shown_text(teller, match->text));
    }
    out_string(out, "\n");
}

static bool found(struct weft_find *find, const struct weft_find_match *match)
{
    struct finding *finding = weft_owner(find, struct finding, find);
    struct teller *teller = &finding->teller;
    if (finding->quiet) {
        finding->found = true;
        weft_end(&find->op, 0);
        return true;
    }
    struct out *out = teller_line(teller, weft_text(match->path, match->size));
    if (out == NULL)
        return true;
    if (teller->json)
        put_object(out, match, find->what);
    else
        put_line(teller, out, match, find->what);
    return teller_told(teller);
}

static bool failed(struct weft_find *find, const char *path, int status)
{
    return teller_complain(&weft_owner(find, struct finding, find)->teller, path, status);
}

/* ---- the run -------------------------------------------------------------------------------- */

static void searched(struct weft_op *op, struct weft_op *find)
{
    const struct weft_find *it = weft_owner(find, struct weft_find, op);
    teller_over(weft_owner(op, struct teller, op), it->tree.path, find->status);
}

static void begin(struct teller *teller)
{
    struct weft_find *find = &weft_owner(teller, struct finding, teller)->find;
    weft_find(&teller->op, find, find->tree.path, find->keywords, find->keyword_count, searched);
}

static void resume(struct teller *teller)
{
    weft_find_resume(&weft_owner(teller, struct finding, teller)->find);
}

static int read_words(struct finding *finding, int argc, char **argv)
{
    static struct weft_text keywords[WEFT_FIND_KEYWORDS];
    struct weft_find *find = &finding->find;
    size_t size = 0;
    if (argc < 3)
        return misused("find", argc < 2 ? "a folder and a keyword" : "a keyword to look for");
    if (argc - 2 > WEFT_FIND_KEYWORDS)
        return misused("find", "%d keywords at most", WEFT_FIND_KEYWORDS);
    for (int i = 2; i < argc; i++) {
        keywords[i - 2] = weft_text_of(argv[i]);
        if (argv[i][0] == '\0')
            return misused("find", "a keyword that is not empty");
        if (keywords[i - 2].size > WEFT_FIND_KEYWORD_SIZE)
            return misused("find", "a keyword has %d bytes at most", WEFT_FIND_KEYWORD_SIZE);
        size += keywords[i - 2].size;
    }
    if (size > WEFT_FIND_KEYWORDS_SIZE)
        return misused("find", "all keywords together have %d bytes at most",
                       WEFT_FIND_KEYWORDS_SIZE);
    if (argv[1][0] == '\0')
        return misused("find", "a folder with a name that is not empty");
    find->tree.path = argv[1];
    find->keywords = keywords;
    find->keyword_count = (size_t)argc - 2;
    return EXIT_OK;
}

/* What is found may go to a file below the folder. */
static void except_output(struct weft_find *find)
{
    struct stat output;
    if (fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode))
        return;
    find->except_dev = output.st_dev;
    find->except_ino = output.st_ino;
}

static int check(const struct finding *finding)
{
    if (finding->files + finding->lines + finding->counts + finding->quiet > 1)
        return misused("find", "one of --files, --lines, --count and --quiet");
    if (finding->teller.json && finding->teller.null)
        return misused("find", "--json or --null, not both");
    return EXIT_OK;
}

int find_run(int argc, char **argv)
{
    static struct finding finding;
    finding = (struct finding){.teller = {.begin = begin, .resume = resume},
                               .choosing = {.kinds = 1u << WEFT_KIND_FILE}};
    struct teller *teller = &finding.teller;
    struct weft_find *find = &finding.find;
    const struct option options[] = {
        {.name = "ignore-case", .letter = 'i', .flag = &find->ignore_case},
        {.name = "all", .letter = 'a', .flag = &find->all},
        {.name = "files", .letter = 'l', .flag = &finding.files},
        {.name = "lines", .letter = 'n', .flag = &finding.lines},
        {.name = "count", .letter = 'c', .flag = &finding.counts},
        {.name = "quiet", .letter = 'q', .flag = &finding.quiet},
        CHOOSING_OPTIONS(&finding.choosing),
        {.name = "sort", .letter = 's', .flag = &teller->sort},
        {.name = "null", .letter = '0', .flag = &teller->null},
        {.name = "json", .flag = &teller->json},
        {.name = NULL},
    };
    int status = options_read("find", options, &argc, argv);
    if (status == EXIT_OK)
        status = check(&finding);
    if (status == EXIT_OK)
        status = choosing_read("find", &finding.choosing);
    if (status == EXIT_OK)
        status = read_words(&finding, argc, argv);
    if (status != EXIT_OK)
        return status;
    find->what = finding.lines    ? WEFT_FIND_LINES
                 : finding.counts ? WEFT_FIND_COUNTS
                                  : WEFT_FIND_FILES;
    find->on_found = found;
    find->on_error = failed;
    except_output(find);
    choosing_apply(&finding.choosing, &find->tree);
    status = teller_run(teller);
    if (status == EXIT_OK && finding.quiet) /* there is one, whatever was met on the way to it */
        return finding.found ? EXIT_OK : EXIT_FAILED;
    return status == EXIT_OK && find->stats.errors > 0 ? EXIT_FAILED : status;
}
