/* weft list: everything below a folder, a line each. */
#include "command.h"
#include "files/choosing.h"
#include "files/teller.h"
#include <string.h>

const char list_usage[] =
    "list [OPTION...] [DIR]\n"
    "\n"
    "Lists the files below DIR (default: the current folder), in the order in which they are\n"
    "found. What cannot be read is told on standard error, and the rest goes on.\n"
    "\n"
    "  -t, --type TYPES         what is listed, by letters: f files, d folders, l symbolic\n"
    "                           links, p pipes, s sockets, c and b devices, u what cannot be\n"
    "                           told, a all of them (default: all but folders)\n" CHOOSING_USAGE
    "  -j, --jobs N             folders that are read at the same time\n"
    "  -s, --sort               sorted by their names, when all are there\n"
    "  -0, --null               a NUL byte behind each path instead of a newline\n"
    "      --json               one object a line: path and type\n"
    "\n"
    "Exits with 1 if something could not be read.\n";

struct listing {
    struct teller teller;
    struct choosing choosing;
    struct weft_list list;
    const char *types;
};

/* In the order of enum weft_file_kind. */
static const struct kind_name {
    char letter;
    const char *name;
} kind_names[] = {{'u', "unknown"}, {'f', "file"},   {'d', "folder"}, {'l', "link"},
                  {'p', "pipe"},    {'s', "socket"}, {'c', "char"},   {'b', "block"}};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

static int misused_types(const struct listing *listing)
{
    return misused("list", "--type takes letters of fdlpscbua, not '%s'", listing->types);
}

static int read_types(struct listing *listing)
{
    unsigned kinds = 0;
    if (listing->types == NULL)
        kinds = ~(1u << WEFT_KIND_DIR);
    for (const char *letter = listing->types; letter != NULL && *letter != '\0'; letter++) {
        size_t i = 0;
        while (i < KINDS && kind_names[i].letter != *letter)
            i++;
        if (*letter == 'a')
            kinds = ~0u;
        else if (i < KINDS)
            kinds |= 1u << i;
        else if (*letter != ',')
            return misused_types(listing);
    }
    if (kinds == 0)
        return misused_types(listing);
    listing->choosing.kinds = kinds;
    return EXIT_OK;
}

/* ---- what is found -------------------------------------------------------------------------- */

static bool found(struct weft_list *list, const struct weft_tree_entry *entry)
{
    struct listing *listing = weft_owner(list, struct listing, list);
    struct teller *teller = &listing->teller;
    struct weft_text path = weft_text(entry->path, entry->size);
    struct out *out = teller_line(teller, path);
    if (out == NULL)
        return true;
    if (teller->json) {
        out_string(out, "{");
        teller_json(out, "path", path);
        out_json_member(out, "type", weft_text_of(kind_names[entry->kind].name));
        out_string(out, "}");
    } else {
        teller_path(teller, out, path);
    }
    teller_end_line(teller, out);
    return teller_told(teller);
}

static bool failed(struct weft_list *list, const char *path, int status)
{
    return teller_complain(&weft_owner(list, struct listing, list)->teller, path, status);
}

/* ---- the run -------------------------------------------------------------------------------- */

static void listed(struct weft_op *op, struct weft_op *list)
{
    const struct weft_list *it = weft_owner(list, struct weft_list, op);
    teller_over(weft_owner(op, struct teller, op), it->tree.path, list->status);
}

static void begin(struct teller *teller)
{
    struct listing *listing = weft_owner(teller, struct listing, teller);
    weft_list(&teller->op, &listing->list, listing->list.tree.path, listed);
}

static void resume(struct teller *teller)
{
    weft_list_resume(&weft_owner(teller, struct listing, teller)->list);
}

int list_run(int argc, char **argv)
{
    static struct listing listing;
    listing = (struct listing){.teller = {.begin = begin, .resume = resume}};
    struct teller *teller = &listing.teller;
    const struct option options[] = {
        {.name = "type", .letter = 't', .text = &listing.types},
        CHOOSING_OPTIONS(&listing.choosing),
        {.name = "sort", .letter = 's', .flag = &teller->sort},
        {.name = "null", .letter = '0', .flag = &teller->null},
        {.name = "json", .flag = &teller->json},
        {.name = NULL},
    };
    int status = options_read("list", options, &argc, argv);
    if (status == EXIT_OK)
        status = read_types(&listing);
    if (status == EXIT_OK)
        status = choosing_read("list", &listing.choosing);
    if (status != EXIT_OK)
        return status;
    if (argc > 2)
        return misused("list", "one folder, not also '%s'", argv[2]);
    if (argc > 1 && argv[1][0] == '\0')
        return misused("list", "a folder with a name that is not empty");
    if (teller->json && teller->null)
        return misused("list", "--json or --null, not both");
    listing.list.tree.path = argc > 1 ? argv[1] : ".";
    listing.list.on_found = found;
    listing.list.on_error = failed;
    choosing_apply(&listing.choosing, &listing.list.tree);
    status = teller_run(teller);
    return status == EXIT_OK && listing.list.stats.errors > 0 ? EXIT_FAILED : status;
}
