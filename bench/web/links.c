/* How fast are the links of a page found? Every HTML file of a manual is read into memory; then all
 * of them are worked through, ours and the peers' in turns. gumbo builds its tree, which is walked
 * for href and src and destroyed; libxml2 calls back for each start tag (SAX, nothing is built).
 * Ours finds all that weft/links.h lists. The folder is the argument; the default is PostgreSQL's
 * manual. Bars: 3 times gumbo, 1 time libxml2.
 * links: gumbo xml2 */
#include "../bench.h"
#include <dirent.h>
#include <gumbo.h>
#include <libxml/HTMLparser.h>
#include <string.h>
#include <weft/links.h>

enum { FILES_MAX = 4096 };

static struct {
    char *data;
    size_t size;
} files[FILES_MAX];
static size_t file_count, byte_count, link_count;

static void load(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || file_count == FILES_MAX)
        return;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    bench_check(data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size, "reading");
    data[size] = '\0'; /* for the peer that asks for a string */
    fclose(file);
    files[file_count].data = data;
    files[file_count++].size = (size_t)size;
    byte_count += (size_t)size;
}

static void load_all(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (end != NULL && strcmp(end, ".html") == 0)
            load(folder, entry->d_name);
    }
    if (dir != NULL)
        closedir(dir);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static int on_link(struct weft_links *links, const struct weft_link *link)
{
    (void)links;
    link_count += link->url.size > 0;
    return 0;
}

static void ours(void)
{
    static struct weft_links links = {.on_link = on_link};
    for (size_t i = 0; i < file_count; i++) {
        int status = weft_links_scan(&links, WEFT_LINKS_HTML, weft_text(NULL, 0), files[i].data,
                                     files[i].size);
        bench_check(status == 0, "weft_links");
    }
}

/* ---- theirs ---------------------------------------------------------------------------------- */

static void walk(const GumboNode *node)
{
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE)
        return;
    const GumboElement *element = &node->v.element;
    link_count += gumbo_get_attribute(&element->attributes, "href") != NULL;
    link_count += gumbo_get_attribute(&element->attributes, "src") != NULL;
    for (unsigned i = 0; i < element->children.length; i++)
        walk(element->children.data[i]);
}

static void gumbo(void)
{
    for (size_t i = 0; i < file_count; i++) {
        GumboOutput *output =
            gumbo_parse_with_options(&kGumboDefaultOptions, files[i].data, files[i].size);
        walk(output->root);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    (void)context;
    (void)name;
    for (; attributes != NULL && attributes[0] != NULL; attributes += 2)
        link_count += strcmp((const char *)attributes[0], "href") == 0 ||
                      strcmp((const char *)attributes[0], "src") == 0;
}

static void libxml2(void)
{
    htmlSAXHandler handler = {.startElement = on_start};
    for (size_t i = 0; i < file_count; i++) {
        htmlParserCtxtPtr parser =
            htmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
        htmlCtxtUseOptions(parser, HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
        htmlParseChunk(parser, files[i].data, (int)files[i].size, 1);
        htmlFreeParserCtxt(parser);
    }
}

/* ---- beside each other ----------------------------------------------------------------------- */

static void measure(void work(void), double *best)
{
    uint64_t begun = uv_hrtime();
    work();
    bench_keep_best(best, uv_hrtime() - begun, byte_count);
}

static size_t links_of(void work(void))
{
    link_count = 0;
    work();
    return link_count;
}

static void compare(const char *peer, void theirs(void))
{
    double our_best = 0, their_best = 0;
    size_t our_links = links_of(ours), their_links = links_of(theirs);
    printf("# %s: %zu links, ours: %zu, in %zu files, %.1f MB\n", peer, their_links, our_links,
           file_count, (double)byte_count / 1e6);
    bench_check(our_links > 0 && their_links > 0, "no links found");
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        measure(ours, &our_best);
        measure(theirs, &their_best);
    }
    printf("bench web/links peer=%s ours=%.1fMB/s theirs=%.1fMB/s ratio=%.2f\n", peer,
           1e3 / our_best, 1e3 / their_best, their_best / our_best);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    load_all(count > 1 ? arguments[1] : "/usr/share/doc/postgresql-doc-15/html");
    bench_check(byte_count > 0, "no HTML files in that folder");
    compare("gumbo", gumbo);
    compare("libxml2", libxml2);
    return 0;
}
