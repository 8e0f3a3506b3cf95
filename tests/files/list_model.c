/* Random trees, listed by explorers and by a plain recursive walk: both find the same.
 * ctest: labels=model,threads timeout=120 */
#include "model.h"
#include "tree_kit.h"
#include <dirent.h>

static char **expected;
static size_t expected_count, expected_room;

static void expect(char kind, const char *path)
{
    if (expected_count == expected_room) {
        expected_room = expected_room * 2 + 64;
        expected = realloc(expected, expected_room * sizeof *expected);
        assert_non_null(expected);
    }
    size_t size = strlen(path) + 3;
    char *line = malloc(size);
    assert_non_null(line);
    snprintf(line, size, "%c %s", kind, path);
    expected[expected_count++] = line;
}

static void forget_expected(void)
{
    while (expected_count > 0)
        free(expected[--expected_count]);
}

/* ---- trees ---------------------------------------------------------------------------------- */

struct shape {
    struct dice dice;
    unsigned budget, width, deep; /* deep: one in so many entries is a folder */
};

static void grow_tree(struct shape *shape, const char *path, unsigned depth)
{
    unsigned count = (unsigned)roll(&shape->dice, shape->width + 1);
    for (unsigned i = 0; i < count && shape->budget > 0; i++) {
        char name[SCRATCH_PATH];
        shape->budget--;
        snprintf(name, sizeof name, "%s/%c%u", path, "abc"[roll(&shape->dice, 3)], i);
        if (depth < 30 && chance(&shape->dice, shape->deep)) {
            make_folder(name);
            grow_tree(shape, name, depth + 1);
        } else if (chance(&shape->dice, 8)) {
            make_link(chance(&shape->dice, 2) ? depth > 0 ? ".." : "." : "nowhere", name);
        } else {
            make_file(name, "");
        }
    }
}

/* ---- the plain walk ------------------------------------------------------------------------- */

static bool is_folder(mode_t mode)
{
    return S_ISDIR(mode);
}

/* What lies below, and how often a way up was met: links lead nowhere, or up, and that is a loop. */
static unsigned walk(const char *path, const char *below, size_t depth, bool follow)
{
    unsigned loops = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char full[SCRATCH_PATH * 2], name[SCRATCH_PATH];
        struct stat st, to;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(full, sizeof full, "%s/%s", path, entry->d_name);
        snprintf(name, sizeof name, "%s%s%s", below, *below != '\0' ? "/" : "", entry->d_name);
        assert_int_equal(lstat(full, &st), 0);
        bool link = S_ISLNK(st.st_mode), up = link && stat(full, &to) == 0;
        expect(link ? follow && up ? 'd' : 'l' : is_folder(st.st_mode) ? 'd' : 'f', name);
        if (is_folder(st.st_mode) && depth != 1)
            loops += walk(full, name, depth == 0 ? 0 : depth - 1, follow);
        loops += link && up && follow && depth != 1;
    }
    closedir(dir);
    return loops;
}

static void compare(const char *root, unsigned limit, size_t depth, bool follow)
{
    forget_expected();
    unsigned loops = walk(root, "", depth, follow);
    if (expected_count > 0)
        qsort(expected, expected_count, sizeof *expected, compare_lines);
    tree_reset();
    tree.list.tree.limit = limit;
    tree.list.tree.depth = depth;
    tree.list.tree.follow = follow;
    assert_int_equal(list_path(root), 0);
    assert_int_equal(tree.errors, loops);
    assert_int_equal(tree.count, expected_count);
    for (size_t i = 0; i < tree.count; i++)
        assert_string_equal(tree.lines[i], expected[i]);
}

TEST(random_trees_are_found_as_a_plain_walk_finds_them)
{
    static const unsigned limits[] = {1, 2, 4, 64};
    unsigned long count = check_scale(12);
    for (unsigned long i = 0; i < count; i++) {
        uint64_t seed = check_seed() + i;
        struct shape shape = {.dice = {seed}};
        char root[SCRATCH_PATH];
        scratch_empty();
        make_folder("tree");
        shape.budget = 100 + (unsigned)roll(&shape.dice, 1500);
        shape.width = 2 + (unsigned)roll(&shape.dice, 60);
        shape.deep = 2 + (unsigned)roll(&shape.dice, 4);
        grow_tree(&shape, "tree", 0);
        scratch_path(root, "tree");
        print_message("seed %llu\n", (unsigned long long)seed);
        for (size_t j = 0; j < sizeof limits / sizeof *limits; j++)
            compare(root, limits[j], (size_t)roll(&shape.dice, 6), chance(&shape.dice, 2));
    }
    forget_expected();
    tree_reset();
}
