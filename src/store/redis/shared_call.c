/* The scripts, and a call of one.
 *
 * What has to hold between processes is in three scripts, because Redis runs each of them alone, with
 * nothing in between:
 *
 *   take     the value if there is one that is not too old for who asks; else the lease, if nobody has it.
 *            A value that ends within the time of "refresh ahead" is given to those who do not get the
 *            lease. How old it is follows from how long it was to live, which stands in it, and what is
 *            left of that.
 *   settle   give the lease back and store the value, but only if the lease is still ours and the
 *            generation the one it was taken in: what was forgotten meanwhile is not stored.
 *   forget   remove value and lease, or the generation, and tell the others. The next take makes a new one;
 *            so nothing is written here, and it is obeyed also where there is no room left.
 *
 * All have the same keys: value, lease, generation. Redis is taught take and settle when the connection is
 * there, and they are called by the SHA-1 of their text from then on; should it have been made to forget them
 * (NOSCRIPT) the text is sent. A test sees that the sums are right. Forgetting is always called by its text:
 * commands are obeyed in their order, and a take that follows may not overtake it. */
#include "shared.h"
#include "weft/alloc.h"

#define TAKE                                                                                       \
    "local g = redis.pcall('GET', KEYS[3])\n"                                                      \
    "if type(g) ~= 'string' or #g ~= 16 then\n"                                                    \
    "  g = ARGV[4]\n"                                                                              \
    "  redis.call('SET', KEYS[3], g)\n"                                                            \
    "end\n"                                                                                        \
    "local v, own = redis.pcall('GET', KEYS[1]), tonumber(ARGV[6])\n"                              \
    "local life = type(v) == 'string' and tonumber(string.sub(v, 19, 32), 16)\n"                   \
    "local good = life and #v >= 32 and string.sub(v, 1, 18) == ARGV[5] .. g\n"                    \
    "local left = good and redis.call('PTTL', KEYS[1]) or 0\n"                                     \
    "if good and own > 0 and life <= 9007199254740992 then\n"                                      \
    "  local rest = left < 0 and 0 or own - life + left\n"                                         \
    "  if rest < left or left < 0 then left = rest end\n"                                          \
    "  good = rest > 0\n"                                                                          \
    "end\n"                                                                                        \
    "if good and (left < 0 or left > tonumber(ARGV[3])) then return {'value', left, v} end\n"      \
    "if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then\n"                           \
    "  local odd = v and (type(v) ~= 'string' or string.sub(v, 1, 2) ~= ARGV[5])\n"                \
    "  return {'lease', odd and 1 or 0, g}\n"                                                      \
    "end\n"                                                                                        \
    "if good then return {'value', left, v} end\n"                                                 \
    "return {'busy', 0, ''}\n"

#define SETTLE                                                                                     \
    "if redis.pcall('GET', KEYS[2]) ~= ARGV[1] then return 0 end\n"                                \
    "redis.call('DEL', KEYS[2])\n"                                                                 \
    "if #ARGV == 1 then return 1 end\n"                                                            \
    "if redis.pcall('GET', KEYS[3]) ~= ARGV[2] then return 0 end\n"                                \
    "local v = ARGV[3] .. ARGV[2] .. ARGV[6] .. ARGV[4]\n"                                         \
    "if ARGV[5] == '0' then redis.call('SET', KEYS[1], v)\n"                                       \
    "else redis.call('SET', KEYS[1], v, 'PX', ARGV[5]) end\n"                                      \
    "return 1\n"

#define FORGET                                                                                     \
    "if ARGV[3] then redis.call('DEL', KEYS[3])\n"                                                 \
    "else redis.call('DEL', KEYS[1], KEYS[2]) end\n"                                               \
    "return redis.call('PUBLISH', ARGV[1], ARGV[2])\n"

static const struct {
    struct weft_text text, sum;
} scripts[] = {
    [SHARED_TAKE] = {WEFT_REDIS_ARG(TAKE),
                     WEFT_REDIS_ARG("d1ae5713a8b140c4dbb18bc48d222434860cf1f6")},
    [SHARED_SETTLE] = {WEFT_REDIS_ARG(SETTLE),
                       WEFT_REDIS_ARG("9fde7ddc204640a2507143694462d1297b355ae2")},
    [SHARED_FORGET] = {WEFT_REDIS_ARG(FORGET), {NULL, 0}},
};

enum { BY_SUM_OR_TEXT = 1, KEYS_AT = 3, KEYS = 3 };

/* ---- the names of the keys ------------------------------------------------------------------ */

static void put(char **at, struct weft_text text)
{
    if (text.size > 0)
        memcpy(*at, text.data, text.size);
    *at += text.size;
}

static struct weft_text put_name(char **at, struct weft_text prefix, const char *kind,
                                 struct weft_text key)
{
    char *name = *at;
    put(at, prefix);
    put(at, weft_text_of(kind));
    put(at, key);
    return weft_text(name, (size_t)(*at - name));
}

int weft__shared_call_init(struct shared_call *call, struct weft_shared_engine *engine,
                           enum shared_script script, struct weft_text key)
{
    struct weft_text prefix = weft_text(engine->shared->prefix, engine->prefix_size);
    char *at = call->names = weft_alloc(KEYS * (prefix.size + 2) + 2 * key.size);
    if (at == NULL)
        return UV_ENOMEM;
    call->engine = engine;
    call->script = script;
    call->args[2] = weft_text("3", 1);
    call->args[KEYS_AT] = put_name(&at, prefix, "v:", key);
    call->args[KEYS_AT + 1] = put_name(&at, prefix, "l:", key);
    call->args[KEYS_AT + 2] = put_name(&at, prefix, "g", weft_text(NULL, 0));
    call->count = KEYS_AT + KEYS;
    return 0;
}

void weft__shared_call_arg(struct shared_call *call, const void *data, size_t size)
{
    call->args[call->count++] = weft_text(data, size);
}

void weft__shared_call_free(struct shared_call *call)
{
    weft_redis_command_free(&call->command);
    weft_free(call->names);
    call->names = NULL;
}

/* ---- the op --------------------------------------------------------------------------------- */

static bool is_unknown(const struct weft_redis_command *command)
{
    return command->op.status == WEFT_ESTATUS && command->reply != NULL &&
           weft_text_starts(command->reply->text, "NOSCRIPT");
}

static void send_call(struct shared_call *call, weft_then_fn *then)
{
    weft_redis_command(&call->op, &call->command, &call->engine->shared->redis, call->args,
                       call->count, then);
}

static void send_text(struct shared_call *call, weft_then_fn *then)
{
    call->args[0] = weft_text_of("EVAL");
    call->args[BY_SUM_OR_TEXT] = scripts[call->script].text;
    send_call(call, then);
}

/* A command has command_ms for its answer. So it is only where one has waited for a connection before, or
 * is the second of its call, that it would take longer than that; then it is left to itself. */
static void too_late(struct weft_timer *timer)
{
    weft_cancel(&weft_owner(timer, struct shared_call, timer)->command.op, UV_ETIMEDOUT);
}

static void watch(struct shared_call *call)
{
    uint64_t now = weft_now(weft_loop_of(&call->op));
    weft_timer_start(weft_loop_of(&call->op), &call->timer,
                     call->due_ms > now ? call->due_ms - now : 0, too_late);
}

static void called(struct weft_op *op, struct weft_op *child)
{
    struct shared_call *call = weft_owner(op, struct shared_call, op);
    weft_timer_stop(weft_loop_of(op), &call->timer);
    if (!is_unknown(&call->command) || weft_text_is(call->args[0], "EVAL")) {
        weft_finish(op, child->status);
        return;
    }
    weft_redis_command_free(&call->command);
    send_text(call, called);
    watch(call);
}

/* By its text if it has no other name. */
static void call_begin(struct shared_call *call)
{
    if (scripts[call->script].sum.size == 0) {
        send_text(call, called);
        return;
    }
    call->args[0] = weft_text_of("EVALSHA");
    call->args[BY_SUM_OR_TEXT] = scripts[call->script].sum;
    send_call(call, called);
}

void weft__shared_call_begin(struct weft_op *op)
{
    struct shared_call *call = weft_owner(op, struct shared_call, op);
    const struct weft_redis *redis = &call->engine->shared->redis;
    uint64_t ms = redis->command_ms != 0 ? redis->command_ms : WEFT_REDIS_COMMAND_MS;
    call->due_ms = weft_now(weft_loop_of(op)) + ms;
    call_begin(call);
    if (!redis->connected)
        watch(call);
}

/* ---- teaching ------------------------------------------------------------------------------- */

static void taught(struct weft_op *shared_op, struct weft_op *op)
{
    struct weft_redis_command *lesson = weft_owner(op, struct weft_redis_command, op);
    (void)shared_op;
    weft_redis_command_free(lesson);
    weft_free(lesson);
}

/* What is not taught now is sent when it is called. */
static void teach(struct weft_shared *shared, enum shared_script script)
{
    const struct weft_text args[] = {WEFT_REDIS_ARG("SCRIPT"), WEFT_REDIS_ARG("LOAD"),
                                     scripts[script].text};
    struct weft_redis_command *lesson = weft_calloc(1, sizeof *lesson);
    if (lesson != NULL)
        weft_redis_command(&shared->op, lesson, &shared->redis, args, 3, taught);
}

void weft__shared_teach(struct weft_shared_engine *engine)
{
    teach(engine->shared, SHARED_TAKE);
    teach(engine->shared, SHARED_SETTLE);
}
