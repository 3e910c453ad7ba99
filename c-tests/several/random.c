/* Random programs, and what they have to come to: data, promises and chains of next of any process, tasks on any PU, in an order
 * that has nothing to do with their dependences, references taken and dropped anywhere, failures. What a seed stands for is
 * computed in order, without libdvm. `random FIRST COUNT all` has every process run one at a time with the others.
 *
 * arguments: 1 150 one
 * arguments: 1000 100 all
 */
#include "several.h"

#include "../dice.h"

enum { ITEMS = 160, TASKS = 80, INPUTS = 4, OUTPUTS = 3, NONE = -1 };

/* How an item comes into being. */
enum { ALLOCATED, REGISTERED, FAR_DATA, PROMISE, FAR_PROMISE, NEXT };

typedef struct {
    int kind, home; /* home: of those that are far */
    int current;    /* of a NEXT: the item whose storage it carries on */
    int carried;    /* whether another item carries its storage on */
    int words, readers, kept, poisoned;
    int by_hand; /* a promise that no task produces */
    uint64_t seed, *expected;
    dvm_data_id_t id;
} item_t;

typedef struct {
    int inputs, outputs, in[INPUTS], out[OUTPUTS];
    uint64_t rank, seed;
    int near, fails, cancelled;
    int nested, dropped; /* inputs of which the task takes a reference: for another task; to drop it again */
    uint64_t nested_rank, nested_sum;
} task_t;

/* What a task gets besides its inputs. */
typedef struct {
    uint64_t seed, fails, nested, dropped, nested_rank, nested_sum;
    dvm_processing_id_t checker;
} orders_t;

static item_t items[ITEMS];
static task_t tasks[TASKS];
static int item_count, task_count, registered_items, any_failure;
static atomic_int freed;
static dvm_processing_id_t work[INPUTS + 1][OUTPUTS + 1], checker, maker, publisher;

/* ----- what tasks compute ----- */

static uint64_t sum_words(uint64_t sum, const uint64_t *words, int count)
{
    for (int i = 0; i < count; i++)
        sum = mixed(sum ^ words[i], (uint64_t)i);
    return mixed(sum, (uint64_t)count);
}

static void fill_words(uint64_t *words, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++)
        words[i] = mixed(seed, (uint64_t)i);
}

static uint64_t *words_of(dvm_data_id_t id, int *count)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(id, &at, &size));
    *count = (int)(size / 8);
    return at;
}

/* ids: orders, inputs, outputs; the context is the number of outputs. */
static int do_work(void *context, dvm_data_id_t *ids, int count)
{
    int outputs = (int)(uintptr_t)context, inputs = count - 1 - outputs, words;
    orders_t orders;
    memcpy(&orders, bytes_of(ids[0], sizeof orders), sizeof orders);
    uint64_t sum = orders.seed;
    for (int i = 0; i < inputs; i++) {
        const uint64_t *at = words_of(ids[1 + i], &words);
        sum = sum_words(sum, at, words);
    }
    if (orders.dropped) {
        CHECK_OK(dvm_data_acquire(ids[orders.dropped]));
        CHECK_OK(dvm_data_acquire(ids[orders.dropped]));
        CHECK_OK(dvm_data_relax(ids[orders.dropped]));
    }
    if (orders.nested) {
        dvm_data_id_t next[2];
        new_bytes(next[0], &orders.nested_sum, 8);
        dvm_id_copy(next[1], ids[orders.nested]);
        CHECK_OK(dvm_data_acquire(ids[orders.nested]));
        CHECK_OK(on_rank(orders.nested_rank, orders.checker, next, 2));
    }
    if (orders.dropped)
        CHECK_OK(dvm_data_relax(ids[orders.dropped]));
    if (orders.fails == 1)
        return 3;
    for (int i = 0; i < outputs; i++) {
        uint64_t *at = words_of(ids[1 + inputs + i], &words);
        fill_words(at, words, sum + (uint64_t)i);
    }
    return orders.fails ? 5 : 0;
}

static int check_sum(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    int words;
    const uint64_t *at = words_of(ids[1], &words);
    CHECK_NUMBER(input_number(ids[0]), sum_words(0, at, words));
    return 0;
}

/* Makes a datum or a promise in the process of the task, and tells its id. */
static int make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t words[3];
    dvm_data_id_t id;
    memcpy(words, bytes_of(ids[0], sizeof words), sizeof words);
    if (words[0]) {
        promise_of(words[1] * 8, id);
    } else {
        void *at = NULL;
        size_t size;
        CHECK_OK(dvm_data_allocate(words[1] * 8, &id));
        CHECK_OK(dvm_data_get(id, &at, &size));
        fill_words(at, (int)words[1], words[2]);
    }
    return output_bytes(ids[1], id, sizeof id);
}

static void write_by_hand(dvm_data_id_t id, int words, uint64_t seed)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_write(id, &at, &size));
    CHECK_NUMBER(words * 8, size);
    fill_words(at, words, seed);
    CHECK_OK(dvm_data_publish(id));
}

static int publish(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t words[4];
    memcpy(words, bytes_of(ids[0], sizeof words), sizeof words);
    write_by_hand(words, (int)words[2], words[3]);
    return 0;
}

static void release(void *at, size_t size)
{
    memset(at, 0xee, size);
    free(at);
    atomic_fetch_add(&freed, 1);
}

/* ----- the program of a seed ----- */

static int new_item(dice_t *dice, int kind, int words)
{
    item_t *item = &items[item_count];
    memset(item, 0, sizeof *item);
    item->kind = kind;
    item->home = dice_below(dice, (int)process_count);
    item->current = NONE;
    item->words = words;
    item->seed = dice_next(dice);
    item->kept = !dice_one_in(dice, 3);
    item->by_hand = kind == PROMISE || kind == FAR_PROMISE;
    item->expected = malloc((size_t)words * 8 + 1);
    fill_words(item->expected, words, item->seed);
    registered_items += kind == REGISTERED;
    return item_count++;
}

static int some_words(dice_t *dice)
{
    static const int words[] = {0, 1, 1, 1, 2, 8, 100, 512, 513, 9000};
    return words[dice_below(dice, 10)];
}

/* One output of a task: a promise, or the next of one of the inputs. */
static int new_output(dice_t *dice, const task_t *task)
{
    if (task->inputs && dice_one_in(dice, 2)) {
        int current = task->in[dice_below(dice, task->inputs)];
        if (!items[current].carried) {
            int item = new_item(dice, NEXT, items[current].words);
            items[item].current = current;
            items[current].carried = 1;
            return item;
        }
    }
    int item = new_item(dice, dice_one_in(dice, 3) ? FAR_PROMISE : PROMISE, some_words(dice));
    items[item].by_hand = 0;
    return item;
}

/* An input that the task does not carry on, counted from 1, or 0. */
static int some_input(dice_t *dice, const task_t *task)
{
    if (task->inputs == 0)
        return 0;
    int input = dice_below(dice, task->inputs);
    for (int i = 0; i < task->outputs; i++)
        if (items[task->out[i]].current == task->in[input])
            return 0;
    return input + 1;
}

static void new_task(dice_t *dice, int failures)
{
    task_t *task = &tasks[task_count++];
    memset(task, 0, sizeof *task);
    task->seed = dice_next(dice);
    task->rank = dice_next(dice);
    task->near = dice_one_in(dice, 5);
    task->fails = failures && dice_one_in(dice, 12) ? 1 + dice_below(dice, 2) : 0;
    uint64_t sum = task->seed;
    for (int i = dice_below(dice, INPUTS + 1); i > 0 && item_count > 0; i--) {
        /* Mostly new ones: long chains. */
        int from = dice_one_in(dice, 2) && item_count > 6 ? item_count - 6 : 0;
        int input = from + dice_below(dice, item_count - from);
        task->in[task->inputs++] = input;
        items[input].readers++;
        task->cancelled |= items[input].poisoned;
        sum = sum_words(sum, items[input].expected, items[input].words);
    }
    for (int i = dice_below(dice, OUTPUTS + 1); i > 0; i--) {
        int output = new_output(dice, task);
        fill_words(items[output].expected, items[output].words, sum + (uint64_t)task->outputs);
        items[output].poisoned = task->cancelled || task->fails;
        task->out[task->outputs++] = output;
    }
    any_failure |= task->fails && !task->cancelled;
    if (dice_one_in(dice, 3))
        task->dropped = some_input(dice, task);
    if (dice_one_in(dice, 3) && (task->nested = some_input(dice, task)) > 0) {
        const item_t *item = &items[task->in[task->nested - 1]];
        task->nested_rank = dice_next(dice);
        task->nested_sum = sum_words(0, item->expected, item->words);
    }
}

static void generate(uint64_t seed)
{
    dice_t dice = {seed * 0x9e3779b97f4a7c15u};
    int steps = 2 + dice_below(&dice, dice_one_in(&dice, 3) ? TASKS - 2 : 12), failures = dice_one_in(&dice, 2);
    for (int i = 0; i < item_count; i++)
        free(items[i].expected);
    item_count = task_count = registered_items = any_failure = 0;
    for (int i = 0; i < steps && item_count < ITEMS - OUTPUTS; i++)
        if (dice_one_in(&dice, 3) || item_count == 0)
            new_item(&dice, dice_below(&dice, FAR_PROMISE + 1), some_words(&dice));
        else
            new_task(&dice, failures);
    for (int i = 0; i < item_count; i++)
        items[i].kept |= items[i].readers == 0;
}

/* ----- running it ----- */

static void make_far(item_t *item)
{
    dvm_data_id_t ids[2];
    uint64_t words[3] = {item->kind == FAR_PROMISE, (uint64_t)item->words, item->seed};
    new_bytes(ids[0], words, sizeof words);
    promise_of(sizeof ids[0], ids[1]);
    CHECK_OK(on_process((uint64_t)item->home, maker, ids, 2));
    take_bytes(ids[1], item->id, sizeof ids[1]);
}

static void make_item(item_t *item)
{
    void *at = NULL;
    size_t size = (size_t)item->words * 8;
    switch (item->kind) {
    case ALLOCATED: new_bytes(item->id, item->expected, size); break;
    case REGISTERED:
        at = malloc(size + 1);
        memcpy(at, item->expected, size);
        CHECK_OK(dvm_data_register(at, size, release, &item->id));
        break;
    case PROMISE: promise_of(size, item->id); break;
    case NEXT: CHECK_OK(dvm_data_next(items[item->current].id, &item->id)); break;
    default: make_far(item);
    }
    /* The one that is there serves the last reader, or is kept. */
    for (int i = item->kept ? 0 : 1; i < item->readers; i++)
        CHECK_OK(dvm_data_acquire(item->id));
}

static void start_task(const task_t *task)
{
    dvm_data_id_t ids[1 + INPUTS + OUTPUTS];
    orders_t orders = {task->seed, (uint64_t)task->fails, (uint64_t)task->nested, (uint64_t)task->dropped,
                       task->nested_rank, task->nested_sum, {checker[0], checker[1]}};
    int count = 1;
    new_bytes(ids[0], &orders, sizeof orders);
    for (int i = 0; i < task->inputs; i++)
        dvm_id_copy(ids[count++], items[task->in[i]].id);
    for (int i = 0; i < task->outputs; i++)
        dvm_id_copy(ids[count++], items[task->out[i]].id);
    if (task->near)
        CHECK_OK(dvm_sched_near(work[task->inputs][task->outputs], ids, count));
    else
        CHECK_OK(on_rank(task->rank, work[task->inputs][task->outputs], ids, count));
}

static void publish_item(item_t *item)
{
    uint64_t words[4] = {item->id[0], item->id[1], (uint64_t)item->words, item->seed};
    dvm_data_id_t argument;
    if (item->kind == PROMISE) {
        write_by_hand(item->id, item->words, item->seed);
        return;
    }
    new_bytes(argument, words, sizeof words);
    CHECK_OK(on_process((uint64_t)item->home, publisher, &argument, 1));
}

static void check_item(item_t *item)
{
    void *at = NULL;
    size_t size = 0;
    dvm_retcode_t code = dvm_data_get(item->id, &at, &size);
    CHECK_NUMBER(item->poisoned ? DVM_ERR_POISONED : DVM_SUCCESS, code);
    if (code == DVM_SUCCESS) {
        CHECK_NUMBER(item->words * 8, size);
        CHECK(size != (size_t)item->words * 8 || size == 0 || memcmp(at, item->expected, size) == 0);
        CHECK_OK(dvm_data_put(item->id));
    }
    CHECK_OK(dvm_data_relax(item->id));
}

static void shuffle(dice_t *dice, int *list, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int other = dice_below(dice, i + 1), was = list[i];
        list[i] = list[other];
        list[other] = was;
    }
}

/* `fails`: whether the wait tells a failure, of this program or of another process's. */
static void run_seed(uint64_t seed, int fails)
{
    static int actions[TASKS + ITEMS];
    int count = 0, before = atomic_load(&freed);
    dice_t dice = {~seed};
    for (int i = 0; i < item_count; i++)
        make_item(&items[i]);
    for (int i = 0; i < task_count; i++)
        actions[count++] = i;
    for (int i = 0; i < item_count; i++)
        if (items[i].by_hand)
            actions[count++] = TASKS + i;
    shuffle(&dice, actions, count);
    for (int i = 0; i < count; i++)
        if (actions[i] < TASKS)
            start_task(&tasks[actions[i]]);
        else
            publish_item(&items[actions[i] - TASKS]);
    int check_first = dice_one_in(&dice, 2);
    if (!check_first)
        CHECK_NUMBER(fails ? DVM_ERR_TASK : DVM_SUCCESS, dvm_wait());
    for (count = 0; count < item_count; count++)
        actions[count] = count;
    shuffle(&dice, actions, count);
    for (int i = 0; i < item_count; i++)
        if (items[actions[i]].kept)
            check_item(&items[actions[i]]);
    if (check_first)
        CHECK_NUMBER(fails ? DVM_ERR_TASK : DVM_SUCCESS, dvm_wait());
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + registered_items, atomic_load(&freed));
}

static void register_all(void)
{
    learn_ranks();
    several_register(check_sum, NULL, 2, 0, "checker", checker);
    several_register(make, NULL, 2, 1, "maker", maker);
    several_register(publish, NULL, 1, 0, "publisher", publisher);
    for (int in = 0; in <= INPUTS; in++)
        for (int out = 0; out <= OUTPUTS; out++)
            several_register(do_work, (void *)(uintptr_t)out, 1 + in + out, out, "work", work[in][out]);
}

/* The seed of a process's program, where all run some. */
static uint64_t seed_of(uint64_t seed, uint64_t process)
{
    return seed + process * 1000003;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int all = argc > 3 && strcmp(argv[3], "all") == 0;
    several_begin();
    if (all || process_index == 0)
        register_all();
    for (uint64_t seed = first; (all || process_index == 0) && seed < first + seeds; seed++) {
        int fails = 0, good = atomic_load(&check_failures) == 0;
        for (uint64_t process = 0; process < (all ? process_count : 1); process++) {
            generate(seed_of(seed, process));
            fails |= any_failure;
        }
        generate(seed_of(seed, process_index));
        run_seed(seed, fails);
        if (good && atomic_load(&check_failures) != 0) /* the others wait for this process: it goes on */
            fprintf(stderr, "process %" PRIu64 ": the first seed that fails is %" PRIu64 "\n", process_index, seed);
    }
    if (!all && process_index != 0)
        CHECK_OK(dvm_serve());
    return several_end("random");
}
