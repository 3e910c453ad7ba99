/* Tasks of a shared object that only process 0 has loaded; the others run another program, and get its code, or say why not.
 *
 * arguments: ship
 * arguments: folder
 * arguments: off
 * arguments: off-here
 * arguments: off-there
 * arguments: dependency
 * arguments: changed
 * arguments: unload
 * other program: -DOTHER
 * plugin: plugin plugin_tasks.c
 * plugin: none plugin_tasks.c -Wl,--build-id=none -DADDS=300
 * plugin: newer plugin_tasks.c -Wl,--build-id=0x1234567890 -DADDS=500
 * plugin: older plugin_tasks.c -Wl,--build-id=0x1234567890 -DADDS=400
 * plugin: libdvm_test_dependency plugin_dependency.c
 * plugin: needing plugin_tasks.c -DNEEDS -L. -ldvm_test_dependency -Wl,-rpath,$ORIGIN
 */
#include "several.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *variant = "ship";

static int is(const char *name)
{
    return strcmp(variant, name) == 0;
}

#ifndef OTHER
typedef callback_t *give_t(void);

static void *plugin(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", PLUGINS, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle != NULL);
    return handle;
}

/* The task that adds, with the name. */
static void task_of(void *handle, const char *name, dvm_processing_id_t p)
{
    static int second_is_output[] = {DVM_IN, DVM_OUT};
    int (*function)(void);
    *(void **)&function = dlsym(handle, "plugin_task");
    CHECK(function != NULL);
    CHECK_OK(dvm_processing_register(function, 2, (char *)name, p));
    CHECK_OK(dvm_processing_access(p, second_is_output));
}

static callback_t *given(void *handle, const char *name)
{
    give_t *give;
    *(void **)&give = dlsym(handle, name);
    CHECK(give != NULL);
    return give();
}

/* Process 0 has the first ranks: the others' tasks are seen by their failure. */
static uint64_t own_ranks(void)
{
    dvm_rank_t rank, first;
    uint64_t distance, number = 0;
    nth_rank(0, first);
    /* Workers of process 0 come first in a job whose processes share a host evenly. */
    while (number < rank_count / process_count)
        nth_rank(number++, rank), CHECK_OK(dvm_rank_distance(first, rank, &distance));
    return rank_count / process_count;
}

static void run_everywhere(dvm_processing_id_t p, uint64_t add)
{
    dvm_data_id_t *outputs = malloc(rank_count * 4 * sizeof *outputs);
    for (uint64_t i = 0; i < rank_count * 4; i++) {
        dvm_data_id_t ids[2];
        new_number(ids[0], (int64_t)i);
        promise_of(8, ids[1]);
        dvm_id_copy(outputs[i], ids[1]);
        CHECK_OK(on_rank(i % rank_count, p, ids, 2));
    }
    for (uint64_t i = 0; i < rank_count * 4; i++)
        CHECK_NUMBER(i + add, take_number(outputs[i]));
    CHECK_OK(dvm_wait());
    free(outputs);
}

/* Each task of another process fails, with these parts in the error. */
static void fails_elsewhere(dvm_processing_id_t p, uint64_t add, const char *const *parts, int count)
{
    uint64_t own = own_ranks();
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[2];
        void *at = NULL;
        size_t size;
        new_number(ids[0], (int64_t)i);
        promise_of(8, ids[1]);
        CHECK_OK(on_rank(i, p, ids, 2));
        if (i < own) {
            CHECK_NUMBER(i + add, take_number(ids[1]));
            CHECK_OK(dvm_wait());
            continue;
        }
        CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(ids[1], &at, &size));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        for (int k = 0; k < count; k++)
            CHECK_MENTIONS(parts[k]);
        CHECK_OK(dvm_data_relax(ids[1]));
    }
}

/* By a task on one PU to another one, in a process that knows the processing from a third one. */
static void run_onward(void *handle, dvm_processing_id_t p, uint64_t add)
{
    dvm_processing_id_t onward;
    several_register(given(handle, "plugin_onward_task"), NULL, 1, 0, "onward", onward);
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t in, out, told;
        uint64_t words[7] = {p[0], p[1], (i * 3 + 1) % rank_count};
        new_number(in, (int64_t)i);
        promise_of(8, out);
        memcpy(&words[3], in, sizeof in);
        memcpy(&words[5], out, sizeof out);
        new_bytes(told, words, sizeof words);
        CHECK_OK(dvm_data_acquire(out));
        CHECK_OK(on_rank(i, onward, &told, 1));
        CHECK_NUMBER(i + add, take_number(out));
    }
}

/* Unregistered while nobody else has the code yet: tasks that were scheduled run. */
static void run_unregistered(void *handle)
{
    dvm_processing_id_t p;
    dvm_data_id_t *outputs = malloc(rank_count * sizeof *outputs);
    task_of(handle, "unregistered at once", p);
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[2];
        new_number(ids[0], (int64_t)i);
        promise_of(8, ids[1]);
        dvm_id_copy(outputs[i], ids[1]);
        CHECK_OK(on_rank(i, p, ids, 2));
    }
    CHECK_OK(dvm_processing_unregister(&p));
    for (uint64_t i = 0; i < rank_count; i++)
        CHECK_NUMBER(i + 300, take_number(outputs[i]));
    CHECK_OK(dvm_wait());
    free(outputs);
}

static void ship(void)
{
    void *handle = plugin("plugin"), *none = plugin("none");
    dvm_processing_id_t p, hidden;
    run_unregistered(none);
    task_of(handle, "of a plugin", p);
    several_register(given(handle, "plugin_hidden_task"), (void *)777, 2, 1, "static in a plugin", hidden);
    run_everywhere(p, 100);
    run_everywhere(hidden, 777);
    run_onward(handle, p, 100);
    task_of(none, "without a build-id", p);
    run_everywhere(p, 300);
}

/* Unloaded after it was shipped, and before. */
static void unload(void)
{
    void *handle = plugin("plugin");
    dvm_processing_id_t p;
    task_of(handle, "to be unloaded", p);
    run_everywhere(p, 100);
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK(dlclose(handle) == 0);
    handle = plugin("plugin");
    task_of(handle, "loaded again", p);
    run_everywhere(p, 100);
}

static void drive(void)
{
    dvm_processing_id_t p;
    if (is("ship") || is("folder")) {
        ship();
    } else if (is("unload")) {
        unload();
    } else if (is("dependency")) {
        const char *const parts[] = {"of a plugin", "needing.so", "needs libdvm_test_dependency.so", "cannot open shared object"};
        task_of(plugin("needing"), "of a plugin", p);
        fails_elsewhere(p, 1100, parts, 4);
    } else if (is("changed")) {
        /* Another build under the same build-id, exchanged after it was loaded. */
        char command[16384], own[64];
        const char *const parts[] = {"of a plugin", "older.so", "was exchanged"};
        snprintf(own, sizeof own, "%d-older", (int)getpid());
        snprintf(command, sizeof command, "cd '%s' && cp older.so %s.so && cp newer.so %s.new", PLUGINS, own, own);
        CHECK_NUMBER(0, system(command));
        task_of(plugin(own), "of a plugin", p);
        snprintf(command, sizeof command, "cd '%s' && mv %s.new %s.so", PLUGINS, own, own);
        CHECK_NUMBER(0, system(command));
        fails_elsewhere(p, 400, parts, 3);
    } else {
        const char *const nowhere[] = {"of a plugin", "plugin.so", "has not loaded it", "DVM_SHIP_CODE=1"};
        const char *const not_here[] = {"of a plugin", "plugin.so", "process 0 ships no code", "DVM_SHIP_CODE=1"};
        task_of(plugin("plugin"), "of a plugin", p);
        fails_elsewhere(p, 100, is("off-here") ? not_here : nowhere, 4);
    }
}
#else
static void drive(void)
{
}
#endif

/* Whether some object of this name is loaded. */
static int is_loaded(const char *name)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, name) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    char folder[4096];
    if (argc > 1)
        variant = argv[1];
    int first = starts_first();
    int ships = !is("off") && !(is("off-here") && first) && !(is("off-there") && !first);
    setenv("DVM_SHIP_CODE", ships ? "1" : "0", 1);
    if (is("folder")) {
        snprintf(folder, sizeof folder, "%s/code", getenv("DVM_TEST_WORK"));
        setenv("DVM_CODE_DIR", folder, 1);
    }
    several_begin();
    if (process_index == 0)
        drive();
    else
        CHECK_OK(dvm_serve());
    if (process_index > 0) {
        int ran = is("ship") || is("unload");
        CHECK_NUMBER(ran, is_loaded("libdvm-code"));
        CHECK_NUMBER(is("folder"), is_loaded("/code/"));
    }
    return several_end("shipped");
}
