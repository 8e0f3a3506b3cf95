/* Path, line, path, line: all in one text, and where each begins. They are merged, runs of 1, of 2, of 4, from
 * one array into another and back: that keeps the order of equal ones, and can be stopped between two runs
 * and within long ones. */
#include "files/sorted.h"
#include "trace/table.h"
#include <uv.h>
#include <weft/alloc.h>

struct sorted_line {
    size_t path, path_size; /* the line follows, up to the path of the one that came next */
    size_t end;
};

struct out *sorted_add(struct sorted *sorted, struct weft_text path)
{
    if (sorted->count == sorted->capacity) {
        void *lines =
            grow(sorted->lines, sorted->capacity, &sorted->capacity, sizeof *sorted->lines);
        if (lines == NULL)
            return NULL;
        sorted->lines = lines;
    }
    if (sorted->text.size > SORTED_MOST)
        return NULL;
    if (sorted->count > 0)
        sorted->lines[sorted->count - 1].end = sorted->text.size;
    sorted->lines[sorted->count++] = (struct sorted_line){sorted->text.size, path.size, 0};
    out_text(&sorted->text, path);
    return sorted->text.failed ? NULL : &sorted->text;
}

static int rank(char byte)
{
    return byte == '/' ? 0 : (unsigned char)byte;
}

static bool comes_after(const char *text, const struct sorted_line *a, const struct sorted_line *b)
{
    size_t common = a->path_size < b->path_size ? a->path_size : b->path_size;
    for (size_t i = 0; i < common; i++) {
        char left = text[a->path + i], right = text[b->path + i];
        if (left != right)
            return rank(left) > rank(right);
    }
    return a->path_size > b->path_size;
}

enum { STOP_EVERY = 1024 /* lines between two looks at whether it is to stop; a power of two */ };

/* Two runs of from, the second one from middle to end, into one of to. false: it was stopped. */
static bool merge(const struct weft_work *work, const char *text, const struct sorted_line *from,
                  size_t begin, size_t middle, size_t end, struct sorted_line *to)
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++) {
        if (i % STOP_EVERY == 0 && weft_work_stopped(work))
            return false;
        bool is_right =
            left == middle || (right < end && comes_after(text, &from[left], &from[right]));
        to[i] = is_right ? from[right++] : from[left++];
    }
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int sorted_sort(struct sorted *sorted, const struct weft_work *work)
{
    size_t count = sorted->count;
    if (count == 0)
        return 0;
    sorted->lines[count - 1].end = sorted->text.size;
    struct sorted_line *spare = weft_alloc(count * sizeof *spare);
    if (spare == NULL)
        return UV_ENOMEM;
    bool stopped = false;
    for (size_t run = 1; run < count && !stopped; run *= 2) {
        for (size_t begin = 0; begin < count && !stopped; begin += 2 * run)
            stopped = !merge(work, sorted->text.data, sorted->lines, begin,
                             least(begin + run, count), least(begin + 2 * run, count), spare);
        struct sorted_line *merged = spare;
        spare = sorted->lines;
        sorted->lines = merged;
    }
    weft_free(spare);
    sorted->capacity = count;
    return stopped ? UV_ECANCELED : 0;
}

bool sorted_take(struct sorted *sorted, struct weft_text *line)
{
    if (sorted->next == sorted->count)
        return false;
    const struct sorted_line *it = &sorted->lines[sorted->next++];
    size_t begin = it->path + it->path_size;
    *line = weft_text(sorted->text.data + begin, it->end - begin);
    return true;
}

void sorted_free(struct sorted *sorted)
{
    out_free(&sorted->text);
    weft_free(sorted->lines);
    *sorted = (struct sorted){0};
}
