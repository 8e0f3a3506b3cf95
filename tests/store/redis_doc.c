/* The program at the top of weft/redis.h, as it stands there: it compiles, and does what it says. A test
 * compares the two. */
#include "loop.h"
#include "redis.h"
#include <stdio.h>
#include <stdlib.h>
#include <weft/redis.h>

static struct redis_server server;

/* Another port than the one in the text: that may be somebody else's. */
static struct weft_redis *ours(struct weft_redis *redis)
{
    static char url[64];
    snprintf(url, sizeof url, "redis://:secret@127.0.0.1:%u/0", server.port);
    redis->url = url;
    return redis;
}
#undef weft_redis
#define weft_redis(parent, redis, then)                                                            \
    weft_redis_at(WEFT_HERE("redis", WEFT_NET | WEFT_HANDLE), parent, ours(redis), then)

/* ---- from the header ------------------------------------------------------------------------ */

// clang-format off
struct job { struct weft_op op; struct weft_redis redis; struct weft_redis_command get; };

static void got(struct weft_op *op, struct weft_op *get)
{
    struct job *job = weft_owner(op, struct job, op);
    if (get->status == 0 && job->get.reply->type == WEFT_REDIS_STRING)
        printf("%.*s\n", WEFT_TEXT_ARGS(job->get.reply->text));
    else
        printf("%s %s\n", weft_strerror(get->status), job->redis.why);
    weft_redis_command_free(&job->get);
    weft_redis_close(&job->redis);
}

static void job_begin(struct weft_op *op)
{
    static const struct weft_text get[] = {WEFT_REDIS_ARG("GET"), WEFT_REDIS_ARG("colour")};
    struct job *job = weft_owner(op, struct job, op);
    job->redis.url = "redis://:secret@127.0.0.1:6379/0";
    weft_redis(op, &job->redis, NULL);
    weft_redis_command(op, &job->get, &job->redis, get, 2, got);
    weft_join(op);
}
// clang-format on

/* ---- the tests ------------------------------------------------------------------------------ */

enum { TEXT = 64 * 1024 };

static void text_from(const char *name, char text[TEXT])
{
    static const char here[] = "tests/store/redis_doc.c";
    char path[SCRATCH_PATH];
    snprintf(path, sizeof path, "%.*s%s", (int)(sizeof __FILE__ - sizeof here), __FILE__, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("there is no %s", path);
    text[fread(text, 1, TEXT - 1, file)] = '\0';
    fclose(file);
}

TEST(the_program_of_the_header_is_the_one_here)
{
    static char header[TEXT], program[TEXT], line[256];
    unsigned lines = 0;
    text_from("include/weft/redis.h", header);
    text_from("tests/store/redis_doc.c", program);
    struct weft_text rest = weft_text_of(header);
    struct weft_text comment = weft_text_cut(&rest, '#');
    while (comment.data != NULL) {
        struct weft_text text = weft_text_cut(&comment, '\n');
        if (!weft_text_starts(text, " *     "))
            continue;
        lines++;
        snprintf(line, sizeof line, "\n%.*s\n", (int)text.size - 7, text.data + 7);
        if (strstr(program, line) == NULL)
            fail_msg("only the header has this line: %s", line);
    }
    assert_int_equal(lines, 20);
}

TEST(the_program_of_the_header_finds_what_it_asks_for)
{
    static struct job job;
    struct world w;
    redis_server_up(&server, "secret");
    redis_server_say(&server, "SET colour blue");
    memset(&job, 0, sizeof job);
    world_up(&w);
    weft_run(weft_root(&w.loop), &job.op, job_begin, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(job.get.op.status, 0);
    redis_server_down(&server);
}
