/* A log is a text to be compared and a table to be checked against. */
#include "hook_log.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void note(struct hook_log *log, const char *format,
                                                       ...)
{
    if (log->paused)
        return;
    size_t length = strlen(log->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log->text + length, sizeof log->text - length, format, arguments);
    va_end(arguments);
    assert_true(strlen(log->text) + 1 < sizeof log->text);
}

static struct hook_log_resource *by_id(struct hook_log *log, uint64_t id)
{
    for (unsigned i = log->count; i-- > 0;) {
        if (log->resources[i].id == id)
            return &log->resources[i];
    }
    return NULL;
}

/* A resource that the log may be told of. */
static struct hook_log_resource *known(struct hook_log *log, uint64_t id, const char *event)
{
    struct hook_log_resource *resource = by_id(log, id);
    if (resource == NULL || resource->over) {
        print_error("%s of %" PRIu64 ", which is %s\n%s\n", event, id,
                    resource != NULL ? "over" : "not known", log->text);
        fail();
    }
    return resource;
}

static void name(struct hook_log *log, struct hook_log_resource *resource)
{
    unsigned same = 1;
    for (const struct hook_log_resource *at = log->resources; at != resource; at++)
        same += strcmp(at->site->type, resource->site->type) == 0;
    if (same == 1)
        snprintf(resource->name, sizeof resource->name, "%s", resource->site->type);
    else
        snprintf(resource->name, sizeof resource->name, "%s%u", resource->site->type, same);
}

/* What parent is called: also one that was there before the log. */
static const char *parent_name(struct hook_log *log, uint64_t parent)
{
    const struct hook_log_resource *resource = by_id(log, parent);
    struct weft_resource found;
    if (resource != NULL)
        return resource->name;
    assert_int_equal(weft_resource_by_id(parent, &found), 0);
    return found.site->type;
}

static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource)
{
    struct hook_log *log = hook->context;
    struct weft_resource found;
    assert_int_not_equal(id, 0);
    assert_null(by_id(log, id));
    assert_true(log->count < HOOK_LOG_RESOURCES);
    assert_non_null(resource);
    assert_int_equal(weft_resource_by_id(id, &found), 0);
    if (!(site->group & WEFT_LOOP)) /* that is told when it is there already */
        assert_int_equal(found.state, WEFT_INCOMPLETE);
    assert_true(found.site == site && found.parent == parent && found.resource == resource);
    log->current_id = weft_current_id();
    log->trigger_id = weft_trigger_id();
    log->inits++;
    struct hook_log_resource *new = &log->resources[log->count];
    *new =
        (struct hook_log_resource){.id = id, .parent = parent, .site = site, .resource = resource};
    name(log, new);
    if (parent == 0)
        note(log, "init:%s ", new->name);
    else
        note(log, "init:%s<%s ", new->name, parent_name(log, parent));
    log->count++;
}

static void pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    struct hook_log *log = hook->context;
    struct hook_log_resource *resource = known(log, id, "pre");
    assert_true(log->depth < HOOK_LOG_DEPTH);
    assert_int_equal(weft_current_id(), id);
    log->running[log->depth++] = id;
    log->entry = entry;
    log->pres++;
    resource->pairs++;
    if (!(resource->site->group & WEFT_HANDLE))
        assert_int_equal(resource->pairs, 1);
    note(log, "pre:%s ", resource->name);
}

static void post(struct weft_hook *hook, uint64_t id, int outcome)
{
    struct hook_log *log = hook->context;
    const struct hook_log_resource *resource = known(log, id, "post");
    assert_true(log->depth > 0);
    assert_int_equal(log->running[--log->depth], id);
    log->outcome = outcome;
    log->posts++;
    note(log, outcome == 0 ? "post:%s " : "post:%s=%s ", resource->name, weft_error_name(outcome));
}

static void destroy(struct weft_hook *hook, uint64_t id)
{
    struct hook_log *log = hook->context;
    struct hook_log_resource *resource = known(log, id, "destroy");
    struct weft_resource found;
    for (unsigned i = 0; i < log->depth; i++)
        assert_int_not_equal(log->running[i], id);
    assert_int_equal(weft_resource_by_id(id, &found), 0);
    assert_int_equal(found.state, WEFT_INCOMPLETE);
    resource->over = true;
    log->destroys++;
    note(log, "destroy:%s ", resource->name);
}

void hook_log_of_loop(struct hook_log *log)
{
    memset(log, 0, sizeof *log);
    log->hook = (struct weft_hook){
        .init = init, .pre = pre, .post = post, .destroy = destroy, .context = log};
}

void hook_log_init(struct hook_log *log)
{
    hook_log_of_loop(log);
    log->hook.groups = ~(unsigned)(WEFT_LOOP | WEFT_HANDLE);
}

void hook_log_forget(struct hook_log *log)
{
    log->text[0] = '\0';
}

struct hook_log_resource *hook_log_find(struct hook_log *log, const char *name_wanted)
{
    for (unsigned i = log->count; i-- > 0;) {
        if (strcmp(log->resources[i].name, name_wanted) == 0)
            return &log->resources[i];
    }
    print_error("no %s in: %s\n", name_wanted, log->text);
    fail();
    return NULL;
}

void hook_log_check_over(struct hook_log *log)
{
    assert_int_equal(log->depth, 0);
    for (unsigned i = 0; i < log->count; i++) {
        if (!log->resources[i].over)
            print_error("%s is not over\n", log->resources[i].name);
        assert_true(log->resources[i].over || log->resources[i].site->group & WEFT_LOOP);
    }
}
