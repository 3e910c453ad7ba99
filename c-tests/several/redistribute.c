/* Redistributions between memories of several processes: each process compares what arrives with the same plan carried out
 * inside it, and counts messages and bytes.
 *
 * arguments: cases
 * arguments: random 120
 * also as: 3
 */
#include "several.h"
#include "../dice.h"

enum { MOST_ARRAYS = 3 };

/* The memories of one side of all arrays. */
typedef struct {
    int64_t memories;
    int64_t *holder, *elements;
    dvm_data_id_t *ids; /* {0, 0} where another process gives one */
} side_t;

static void *some_memory(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);
    if (memory == NULL)
        exit(EXIT_FAILURE);
    return memory;
}

static void free_bytes(void *address, size_t size)
{
    (void)size;
    free(address);
}

/* What a datum is made by. */
enum kind { ALLOCATED, REGISTERED, PROMISED };

static void make_datum_of(enum kind kind, size_t size, dvm_data_id_t id)
{
    uint64_t(*place)[2] = (uint64_t(*)[2])id;
    if (kind == PROMISED)
        CHECK_OK(dvm_data_promise(size, place));
    else if (kind == ALLOCATED)
        CHECK_OK(dvm_data_allocate(size, place));
    else
        CHECK_OK(dvm_data_register(some_memory(size), size, free_bytes, place));
}

/* Data for all memories, or for those of this process. */
static void make_side(side_t *side, dvm_distribution_t distribution, const int64_t *holder, int arrays, const size_t *element,
                      int own_only, enum kind kind)
{
    CHECK_OK(dvm_distribution_memories(distribution, &side->memories));
    side->holder = some_memory((size_t)side->memories * sizeof *side->holder);
    side->elements = some_memory((size_t)side->memories * sizeof *side->elements);
    side->ids = some_memory((size_t)side->memories * (size_t)arrays * sizeof *side->ids);
    for (int64_t m = 0; m < side->memories; m++) {
        side->holder[m] = holder[m];
        CHECK_OK(dvm_distribution_size(distribution, m, &side->elements[m]));
        for (int a = 0; a < arrays; a++)
            if (side->elements[m] > 0 && (!own_only || holder[m] == (int64_t)process_index))
                make_datum_of(kind, (size_t)side->elements[m] * element[a], side->ids[a * side->memories + m]);
    }
}

static int is_there(const uint64_t *id) { return id[0] != 0 || id[1] != 0; }

static void fill_side(const side_t *side, int arrays, const size_t *element, uint64_t seed)
{
    for (int64_t k = 0; k < arrays * side->memories; k++)
        if (is_there(side->ids[k])) {
            size_t size = (size_t)side->elements[k % side->memories] * element[k / side->memories];
            void *at = bytes_of(side->ids[k], size);
            if (at)
                fill_pattern(at, size, seed + (uint64_t)k * 7919);
            CHECK_OK(dvm_data_put(side->ids[k]));
        }
}

static void free_side(side_t *side, int arrays)
{
    for (int64_t k = 0; k < arrays * side->memories; k++)
        if (is_there(side->ids[k]))
            CHECK_OK(dvm_data_relax(side->ids[k]));
    free(side->holder), free(side->elements), free(side->ids);
}

/* The places of this process's memories that differ. */
static int64_t differences(const side_t *expected, const side_t *found, int arrays, const size_t *element)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < arrays * found->memories; k++)
        if (is_there(found->ids[k])) {
            size_t size = (size_t)found->elements[k % found->memories] * element[k / found->memories];
            char *a = bytes_of(expected->ids[k], size), *b = bytes_of(found->ids[k], size);
            for (size_t i = 0; a && b && i < size; i++)
                wrong += a[i] != b[i];
            CHECK_OK(dvm_data_put(expected->ids[k]));
            CHECK_OK(dvm_data_put(found->ids[k]));
        }
    return wrong;
}

/* Counts what other processes have for this one: messages, and elements in them. */
static void expected_traffic(dvm_redistribution_t plan, const side_t *source, const side_t *target, uint64_t *messages,
                             uint64_t *elements)
{
    uint64_t *of = some_memory(process_count * sizeof *of);
    *messages = *elements = 0;
    for (int64_t s = 0; s < source->memories; s++)
        for (int64_t t = 0; t < target->memories; t++)
            if (target->holder[t] == (int64_t)process_index && source->holder[s] != target->holder[t]) {
                int64_t number = 0;
                CHECK_OK(dvm_redistribution_message(plan, s, t, &number));
                of[source->holder[s]] += (uint64_t)number;
            }
    for (uint64_t p = 0; p < process_count; p++) {
        *messages += of[p] > 0;
        *elements += of[p];
    }
    free(of);
}

/* Any processes for the memories of a distribution: often all, sometimes not each. */
static int64_t *some_holders(dvm_distribution_t distribution, dice_t *dice)
{
    int64_t memories = 0, *holder;
    int processes = dice_one_in(dice, 3) ? 1 + dice_below(dice, (int)process_count) : (int)process_count;
    CHECK_OK(dvm_distribution_memories(distribution, &memories));
    holder = some_memory((size_t)memories * sizeof *holder);
    if (dice_one_in(dice, 2)) {
        for (int64_t m = 0; m < memories; m++)
            holder[m] = dice_below(dice, processes);
        CHECK_OK(dvm_distribution_set_processes(distribution, holder, memories));
        return holder;
    }
    /* A grid of processes that are counted from any first one. */
    int64_t *process = some_memory((size_t)(memories + 1) * sizeof *process);
    for (int64_t m = 0; m < memories; m++)
        process[m] = holder[m] = m % processes;
    CHECK_OK(dvm_distribution_set_grid(distribution, DVM_GRID_BY_ROWS, process, memories));
    free(process);
    return holder;
}

/* All memories are this process's again. */
static void own_all(dvm_distribution_t distribution)
{
    int64_t memories = 0, *holder;
    CHECK_OK(dvm_distribution_memories(distribution, &memories));
    holder = some_memory((size_t)memories * sizeof *holder);
    for (int64_t m = 0; m < memories; m++)
        holder[m] = (int64_t)process_index;
    CHECK_OK(dvm_distribution_set_processes(distribution, holder, memories));
    free(holder);
}

/* One plan over processes, some rounds, compared with the same plan inside this process. */
static void try_case(const char *name, dvm_distribution_t source, dvm_distribution_t target, dice_t *dice)
{
    int arrays = 1 + dice_below(dice, MOST_ARRAYS), balance = dice_one_in(dice, 3) ? DVM_REDISTRIBUTION_BALANCE : 0;
    size_t element[MOST_ARRAYS];
    enum kind from = dice_below(dice, 2), into = dice_below(dice, 3);
    dvm_redistribution_t inside, over;
    side_t all_source = {0}, all_target = {0}, own_source = {0}, own_target = {0};
    uint64_t messages = 0, elements = 0, element_bytes = 0, got_messages = 0, got_bytes = 0;
    for (int a = 0; a < arrays; a++)
        element_bytes += element[a] = dice_one_in(dice, 3) ? 8 : (size_t)(1 + dice_below(dice, 64));
    own_all(source), own_all(target);
    CHECK_OK(dvm_redistribution_plan(source, target, balance, &inside));
    int64_t *source_holder = some_holders(source, dice), *target_holder = some_holders(target, dice);
    dvm_retcode_t planned = dvm_redistribution_plan(source, target, balance | DVM_REDISTRIBUTION_COLLECTIVE, &over);
    CHECK_OK(planned);
    if (planned != DVM_SUCCESS)
        exit(EXIT_FAILURE);
    make_side(&all_source, source, source_holder, arrays, element, 0, ALLOCATED);
    make_side(&all_target, target, target_holder, arrays, element, 0, ALLOCATED);
    make_side(&own_source, source, source_holder, arrays, element, 1, from);
    make_side(&own_target, target, target_holder, arrays, element, 1, into);
    expected_traffic(over, &own_source, &own_target, &messages, &elements);
    int rounds = into == PROMISED ? 1 : 1 + dice_below(dice, 3);
    for (int round = 0; round < rounds; round++) {
        uint64_t seed = dice_next(dice);
        fill_side(&all_source, arrays, element, seed);
        fill_side(&own_source, arrays, element, seed);
        CHECK_OK(dvm_redistribute(inside, arrays, element, all_source.ids, all_target.ids));
        if (dice_one_in(dice, 2)) {
            CHECK_OK(dvm_redistribute(over, arrays, element, own_source.ids, own_target.ids));
        } else {
            dvm_data_id_t done;
            CHECK_OK(dvm_redistribute_start(over, arrays, element, own_source.ids, own_target.ids, &done));
            bytes_of(done, 0);
            CHECK_OK(dvm_data_put(done));
            CHECK_OK(dvm_data_relax(done));
        }
        int64_t wrong = differences(&all_target, &own_target, arrays, element);
        if (wrong)
            fprintf(stderr, "%s: %lld bytes are wrong in process %d\n", name, (long long)wrong, (int)process_index);
        CHECK_NUMBER(0, wrong);
    }
    CHECK_OK(dvm_redistribution_received(over, &got_messages, &got_bytes));
    CHECK_NUMBER(messages * (uint64_t)rounds, got_messages);
    CHECK_NUMBER(elements * element_bytes * (uint64_t)rounds, got_bytes);
    free_side(&all_source, arrays), free_side(&all_target, arrays);
    free_side(&own_source, arrays), free_side(&own_target, arrays);
    CHECK_OK(dvm_redistribution_free(inside));
    CHECK_OK(dvm_redistribution_free(over));
    free(source_holder), free(target_holder);
}

/* ----- the cases of a file ----- */

/* The text of the JSON value behind a key, or NULL; the text must be freed. */
static char *value_of(const char *text, const char *end, const char *key)
{
    const char *at = text;
    size_t length = strlen(key);
    do
        at = strstr(at + 1, key);
    while (at && at < end && strncmp(at + length, "\":", 2) != 0);
    if (at == NULL || at >= end)
        return NULL;
    at += length + 2;
    int depth = 0;
    const char *last = at;
    do {
        depth += *last == '{' || *last == '[';
        depth -= *last == '}' || *last == ']';
        last++;
    } while (depth > 0);
    char *value = some_memory((size_t)(last - at) + 1);
    memcpy(value, at, (size_t)(last - at));
    return value;
}

static char *file_text(const char *name)
{
    FILE *file = fopen(name, "r");
    size_t size = 0, room = 1 << 24;
    char *text = some_memory(room);
    if (file) {
        size = fread(text, 1, room - 1, file);
        fclose(file);
    }
    check_report(size > 0, __FILE__, __LINE__, name);
    return text;
}

static void run_cases(const char *file)
{
    char *text = file_text(file);
    int cases = 0;
    for (char *at = strstr(text, "{\"id\""); at != NULL; cases++) {
        char *next = strstr(at + 1, "{\"id\""), *end = next ? next : at + strlen(at), name[32];
        char *source_text = value_of(at, end, "\"source"), *target_text = value_of(at, end, "\"target");
        char *parameters = value_of(at, end, "\"params");
        dvm_distribution_t source, target;
        dice_t dice = {(uint64_t)cases};
        snprintf(name, sizeof name, "case %d", cases);
        /* {"N":65} becomes N=65. */
        for (char *p = parameters; p && *p; p++)
            *p = *p == ':' ? '=' : strchr("{}\"", *p) ? ' ' : *p;
        for (char *p = parameters, *to = p; p && (*to = *p); p++)
            to += *p != ' ';
        dvm_retcode_t good = dvm_distribution_parse(source_text, parameters, &source);
        CHECK_OK(good);
        CHECK_OK(dvm_distribution_parse(target_text, parameters, &target));
        if (good == DVM_SUCCESS)
            for (int k = 0; k < 2; k++)
                try_case(name, source, target, &dice);
        CHECK_OK(dvm_distribution_free(source));
        CHECK_OK(dvm_distribution_free(target));
        free(source_text), free(target_text), free(parameters);
        at = next;
    }
    CHECK(cases >= 88);
    free(text);
}

/* ----- random distributions ----- */

/* A random distribution of an array; `elements` of each dimension. */
static dvm_distribution_t some_distribution(int dimensions, const int64_t *elements, dice_t *dice)
{
    dvm_distribution_t made = {0};
    int64_t processes[4], block[4], low[4], high[4];
    for (int j = 0; j < dimensions; j++) {
        processes[j] = 1 + dice_below(dice, dimensions == 1 ? 6 : 3);
        block[j] = dice_one_in(dice, 4) ? 0 : 1 + dice_below(dice, 9);
        low[j] = dice_below(dice, 3), high[j] = dice_below(dice, 3);
    }
    if (dice_one_in(dice, 3)) {
        CHECK_OK(dvm_distribution_halo(dimensions, elements, processes, low, high, &made));
    } else if (dimensions == 1 && dice_one_in(dice, 3)) {
        /* Any strides: elements are held several times, or not at all. */
        char text[512];
        snprintf(text, sizeof text, "t = %d\n+ %d*p arch proc 0 .. %d\n+ %d*a data cell 0 .. %d\n+ %d*b data cell 0 .. %d",
                 dice_below(dice, 5), 1 + dice_below(dice, 30), dice_below(dice, 5), 1 + dice_below(dice, 7),
                 dice_below(dice, 8), 1 + dice_below(dice, 9), dice_below(dice, 5));
        CHECK_OK(dvm_distribution_parse(text, NULL, &made));
    } else {
        CHECK_OK(dvm_distribution_block_cyclic(dimensions, elements, block, processes, &made));
    }
    if (dimensions > 1 && dice_one_in(dice, 2)) {
        int order[4];
        for (int j = 0; j < dimensions; j++)
            order[j] = dimensions - 1 - j;
        CHECK_OK(dvm_distribution_set_order(made, order, dimensions));
    }
    return made;
}

static void run_random(int cases, uint64_t first)
{
    for (int k = 0; k < cases; k++) {
        dice_t dice = {first + (uint64_t)k};
        char name[64];
        int dimensions = 1 + dice_below(&dice, 3);
        int64_t elements[4];
        int most = dimensions == 1 ? 300 : dimensions == 2 ? 60 : 14;
        /* Now and then messages that no message carries in itself. */
        if (dice_one_in(&dice, 20))
            most *= dimensions == 1 ? 100 : 5;
        for (int j = 0; j < dimensions; j++)
            elements[j] = 1 + dice_below(&dice, most);
        dvm_distribution_t source = some_distribution(dimensions, elements, &dice);
        dvm_distribution_t target = some_distribution(dimensions, elements, &dice);
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)(first + (uint64_t)k));
        try_case(name, source, target, &dice);
        CHECK_OK(dvm_distribution_free(source));
        CHECK_OK(dvm_distribution_free(target));
        if (atomic_load(&check_failures))
            break;
    }
}

int main(int count, char **arguments)
{
    const char *root = getenv("DVM_TEST_ROOT"), *seed = getenv("DVM_TEST_FIRST");
    char file[4096];
    several_begin();
    snprintf(file, sizeof file, "%s/redist/tests/data/cases.json", root ? root : ".");
    if (count > 1 && strcmp(arguments[1], "cases") == 0)
        run_cases(file);
    else
        run_random(count > 2 ? atoi(arguments[2]) : 100, seed ? strtoull(seed, NULL, 10) : 1);
    CHECK_OK(dvm_wait());
    return several_end("redistribute");
}
