/* The folders that are held open: entered, given up and closed again. */
#include "saving.h"
#include "spider/save_inside.h"
#include <unistd.h>

static size_t open_descriptors(void)
{
    return scratch_count("/proc/self/fd"); /* and one more, each time */
}

/* The folder that a descriptor leads to is the one at name. */
static void leads_to(int fd, const char *name)
{
    struct stat one, other;
    assert_int_equal(fstat(fd, &one), 0);
    assert_int_equal(stat(below(name), &other), 0);
    assert_true(one.st_ino == other.st_ino && one.st_dev == other.st_dev);
}

static void enter(struct save_place *place, const char *name, bool fresh)
{
    assert_int_equal(save_place_make(&folder, name, fresh, place), 0);
}

TEST_BOTH(two_pages_of_one_folder_share_its_descriptor)
{
    struct save_place one, other;
    enter(&one, "h/a/1.html", false);
    enter(&other, "h/a/2.html", false);
    assert_int_equal(one.fd, other.fd);
    assert_string_equal(one.last, "1.html");
    assert_string_equal(other.last, "2.html");
    save_place_leave(&folder, &one);
    leads_to(other.fd, "h/a");
    save_place_leave(&folder, &other);
    enter(&one, "h/a/3.html", false);
    assert_int_equal(one.fd, other.fd);
    save_place_leave(&folder, &one);
}

TEST_BOTH(folders_of_nearly_the_same_name_are_different)
{
    struct save_place places[3];
    enter(&places[0], "h/a/1.html", false);
    enter(&places[1], "h/ab/1.html", false);
    enter(&places[2], "h/1.html", false);
    leads_to(places[0].fd, "h/a");
    leads_to(places[1].fd, "h/ab");
    leads_to(places[2].fd, "h");
    for (int i = 0; i < 3; i++)
        save_place_leave(&folder, &places[i]);
}

TEST_BOTH(a_folder_that_is_entered_afresh_stays_open_for_those_who_are_in_it)
{
    struct save_place old, new;
    size_t before = open_descriptors();
    enter(&old, "h/a/1.html", false);
    assert_int_equal(rename(below("h/a"), below("h/moved")), 0);
    enter(&new, "h/a/1.html", true);
    assert_int_not_equal(old.fd, new.fd);
    leads_to(old.fd, "h/moved");
    leads_to(new.fd, "h/a");
    save_place_leave(&folder, &old);
    assert_int_equal(open_descriptors(), before + 1);
    save_place_leave(&folder, &new);
    assert_int_equal(open_descriptors(), before + 1);
}

TEST_BOTH(more_folders_than_are_held_can_be_entered_at_once)
{
    enum { MANY = 2 * SAVE_HELD };
    struct save_place places[MANY];
    char names[MANY][32], path[32];
    size_t before = open_descriptors();
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "h/%d/a.html", i);
        enter(&places[i], names[i], false);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "h/%d", i);
        leads_to(places[i].fd, path);
        save_place_leave(&folder, &places[i]);
    }
    assert_int_equal(open_descriptors(), before + SAVE_HELD);
}

TEST_BOTH(the_folder_that_was_not_used_for_the_longest_time_makes_room)
{
    struct save_place place;
    char name[32];
    for (int i = 0; i <= SAVE_HELD; i++) { /* one too many */
        snprintf(name, sizeof name, "h/%d/a.html", i);
        enter(&place, name, false);
        save_place_leave(&folder, &place);
        if (i < SAVE_HELD) { /* the first one is always in use */
            enter(&place, "h/0/a.html", false);
            save_place_leave(&folder, &place);
        }
    }
    bool held[SAVE_HELD + 1] = {false};
    for (int i = 0; i < SAVE_HELD; i++) {
        const struct save_held *its = &folder.held_[i];
        int number = 0;
        assert_int_equal(sscanf(its->path, "h/%d", &number), 1);
        held[number] = true;
    }
    assert_true(held[0] && held[SAVE_HELD] && !held[1]);
}

TEST_BOTH(a_path_that_is_too_long_is_not_held)
{
    struct save_place place;
    char name[512];
    memset(name, 'a', sizeof name);
    for (size_t i = 100; i < 400; i += 100)
        name[i] = '/';
    memcpy(name + 399, "/a.html", sizeof "/a.html");
    size_t before = open_descriptors();
    enter(&place, name, false);
    assert_null(place.held);
    save_place_leave(&folder, &place);
    assert_int_equal(open_descriptors(), before);
}

TEST_BOTH(what_is_held_is_closed_with_the_folder)
{
    struct save_place place;
    bool walk = folder.walk;
    save_folder_close(&folder);
    size_t before = open_descriptors();
    assert_int_equal(save_folder_open(&folder, root), 0);
    enter(&place, "h/a/1.html", false);
    save_place_leave(&folder, &place);
    save_folder_close(&folder);
    assert_int_equal(open_descriptors(), before);
    folder_up(walk);
}

TEST_BOTH(what_is_only_looked_for_is_not_held)
{
    struct save_place place;
    size_t before = open_descriptors();
    assert_int_equal(save_place_find(&folder, "h/a.html", &place), UV_ENOENT);
    assert_int_equal(save_place_find(&folder, "a.html", &place), 0);
    leads_to(place.fd, "");
    save_place_leave(&folder, &place);
    assert_int_equal(open_descriptors(), before);
}
