/* memoize: work that is done once for each key, however many ask.
 *
 * Ten questions about two people: two lookups. Who asks while a lookup is under way joins it; who
 * asks later gets what is there, and is told on a later turn, too. */
#include <weft.h>
#include <weft/sim.h>

enum { QUESTIONS = 10, ENTRIES = 4 };

struct person { /* an entry: what was found out about one person */
    struct weft_promise promise;
    struct weft_sleep lookup;
    int id, age;
};
struct question {
    struct weft_op op;
    struct weft_sleep before;
    struct weft_memoize ask;
    int id, answer;
};
static struct weft_op app;
static struct person people[ENTRIES];
static struct question questions[QUESTIONS];
static int lookups;

static struct person *person_of(struct weft_op *entry)
{
    return weft_owner(entry, struct person, promise.op);
}

static void look_up(struct weft_op *op)
{
    lookups++;
    person_of(op)->age = 20 + person_of(op)->id;
    weft_sleep(op, &person_of(op)->lookup, 20, weft_pass);
}

static bool is_person(const struct weft_op *entry, const void *id)
{
    return weft_owner(entry, const struct person, promise.op)->id == *(const int *)id;
}

static void take_person(struct weft_op *entry, const void *id)
{
    person_of(entry)->id = *(const int *)id;
}

static struct weft_memo memo = {.entries = {&people[0].promise.op, sizeof people[0], ENTRIES},
                                .owner = &app,
                                .begin = look_up,
                                .is = is_person,
                                .take = take_person};

static void answered(struct weft_op *op, struct weft_op *ask)
{
    struct question *question = weft_owner(op, struct question, op);
    if (ask->status == 0)
        question->answer = person_of(question->ask.entry)->age;
    weft_finish(op, ask->status);
}

static void ask(struct weft_op *op, struct weft_op *before)
{
    struct question *question = weft_owner(op, struct question, op);
    (void)before;
    weft_memoize(op, &question->ask, &memo, &question->id, answered);
}

static void question_begin(struct weft_op *op)
{
    struct question *question = weft_owner(op, struct question, op);
    uint64_t ms = (uint64_t)(question - questions) * 10;
    weft_sleep(op, &question->before, ms, ask); /* some ask early, some late */
}

static void begin(struct weft_op *op)
{
    for (int i = 0; i < QUESTIONS; i++) {
        questions[i].id = 1 + i % 2;
        weft_run(op, &questions[i].op, question_begin, NULL);
    }
    weft_join(op);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0);
    for (int i = 0; i < QUESTIONS; i++)
        printf("%d%s", questions[i].answer, i + 1 < QUESTIONS ? " " : "\n");
    printf("%d lookups\n", lookups);
    return status != 0 || weft_memo_close(&memo) != 0;
}
