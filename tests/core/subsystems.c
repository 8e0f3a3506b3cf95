/* weft_subsystems tells the truth: its rows are compared with the sites in the headers and sources,
 * which are read as text. */
#include "check.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/hook.h>

enum { ROWS = 256, PATH_SIZE = 1024 };

static bool used[ROWS];
static unsigned sites;

static const struct {
    const char *name;
    unsigned bit;
} groups[] = {
    {"WEFT_USER", WEFT_USER},   {"WEFT_FLOW", WEFT_FLOW},       {"WEFT_QUEUE", WEFT_QUEUE},
    {"WEFT_TIMER", WEFT_TIMER}, {"WEFT_FS", WEFT_FS},           {"WEFT_DNS", WEFT_DNS},
    {"WEFT_NET", WEFT_NET},     {"WEFT_PROCESS", WEFT_PROCESS}, {"WEFT_SIGNAL", WEFT_SIGNAL},
    {"WEFT_HTTP", WEFT_HTTP},   {"WEFT_PROMISE", WEFT_PROMISE}, {"WEFT_THREAD", WEFT_THREAD},
    {"WEFT_CACHE", WEFT_CACHE}, {"WEFT_LOOP", WEFT_LOOP},       {"WEFT_HANDLE", WEFT_HANDLE}};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* ---- reading sources ------------------------------------------------------------------------ */

/* The mask that is written from text to end: "WEFT_NET | WEFT_HANDLE". */
static unsigned read_groups(const char *text, const char *end)
{
    unsigned mask = 0;
    while (text < end) {
        size_t length = 0;
        while (text + length < end && (isalnum((unsigned char)text[length]) || text[length] == '_'))
            length++;
        for (int i = 0; i < GROUPS; i++) {
            if (strlen(groups[i].name) == length && memcmp(groups[i].name, text, length) == 0)
                mask |= groups[i].bit;
        }
        text += length > 0 ? length : 1;
    }
    return mask;
}

static void found(const char *path, const char *type, size_t length, unsigned group)
{
    size_t count;
    const struct weft_subsystem *table = weft_subsystems(&count);
    sites++;
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].type) != length || memcmp(table[i].type, type, length) != 0)
            continue;
        used[i] = true;
        if (table[i].group != group)
            fail_msg("%s: \"%s\" is of another group than weft_subsystems says", path,
                     table[i].type);
        return;
    }
    fail_msg("%s: weft_subsystems does not list \"%.*s\"", path, (int)length, type);
}

/* The type is the last string before end, the groups are behind it. */
static void read_site(const char *path, const char *text, const char *end, unsigned more)
{
    const char *close = end;
    while (close > text && *close != '"')
        close--;
    const char *open = close - 1;
    while (open > text && *open != '"')
        open--;
    if (close <= text || open <= text)
        return; /* a macro's own definition, or the name of a function of the user's */
    unsigned group = read_groups(close, end) | more;
    if (strncmp(open, "\"throw\"", 7) != 0) /* a place, and no resource */
        found(path, open + 1, (size_t)(close - open - 1), group);
}

static void read_all(const char *path, const char *text, const char *word, char last, unsigned more)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        at += strlen(word);
        const char *end = strchr(at, last);
        assert_non_null(end);
        read_site(path, at - 1, end, more);
    }
}

static void read_source(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    read_all(path, text, "WEFT_HERE(", ')', 0);
    read_all(path, text, "weft_handle_open(", ';', WEFT_HANDLE);
    read_all(path, text, "_site = {", '}', 0);
    read_all(path, text, " site = {", '}', 0);
    free(text);
}

static void read_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        char path[PATH_SIZE];
        struct stat st;
        size_t length = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            read_folder(path);
        else if (length > 2 && (strcmp(entry->d_name + length - 2, ".c") == 0 ||
                                strcmp(entry->d_name + length - 2, ".h") == 0))
            read_source(path);
    }
    closedir(dir);
}

static void read_room(const char *room)
{
    static const char here[] = "tests/core/subsystems.c";
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.*s%s", (int)(sizeof __FILE__ - sizeof here), __FILE__, room);
    read_folder(path);
}

TEST(every_type_of_the_libraries_is_listed_with_its_group_and_no_other)
{
    size_t count;
    const struct weft_subsystem *table = weft_subsystems(&count);
    assert_true(count <= ROWS);
    memset(used, 0, sizeof used);
    sites = 0;
    read_room("include/weft");
    read_room("src");
    for (size_t i = 0; i < count; i++) {
        if (!used[i])
            fail_msg("weft_subsystems lists \"%s\", which nothing is", table[i].type);
    }
    assert_true(sites >= count);
}

TEST(a_type_is_listed_once_and_is_in_one_group)
{
    size_t count;
    const struct weft_subsystem *table = weft_subsystems(&count);
    for (size_t i = 0; i < count; i++) {
        unsigned group = table[i].group & ~(unsigned)WEFT_HANDLE;
        assert_int_equal(__builtin_popcount(group), 1);
        assert_true(weft_group_name(group)[0] != '\0');
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(table[i].type, table[k].type);
    }
}

TEST(every_group_has_a_name_and_a_mask_that_of_its_lowest_one)
{
    for (int i = 0; i < GROUPS - 1; i++) {
        char name[32];
        size_t length = strlen(groups[i].name + 5);
        for (size_t k = 0; k <= length; k++)
            name[k] = (char)tolower((unsigned char)groups[i].name[5 + k]);
        assert_string_equal(weft_group_name(groups[i].bit), name);
        assert_string_equal(weft_group_name(groups[i].bit | WEFT_HANDLE), name);
    }
    assert_string_equal(weft_group_name(WEFT_NET | WEFT_HTTP), "net");
    assert_string_equal(weft_group_name(0), "");
    assert_string_equal(weft_group_name(WEFT_HANDLE), "");
}
