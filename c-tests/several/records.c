/* The merged timeline and table of all processes: one track for each worker, arrows that begin and end, bytes and messages
 * of each pair. The other processes could not write a file: what they record goes to process 0 as messages. */
#include "several.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define TASKS 20
#define LARGE 300000

static dvm_processing_id_t small, large, chain;

static int reads(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0;
    (void)context, (void)count;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    return at == NULL || size == 0;
}

static int makes(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0;
    (void)context, (void)count;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    if (at)
        memset(at, 7, size);
    return at == NULL;
}

/* Takes a while, so that the longest chain is one of these. */
static int carries_on(void *context, dvm_data_id_t *ids, int count)
{
    void *from = NULL, *to = NULL;
    size_t size = 0;
    struct timespec pause = {0, 2000000};
    (void)context, (void)count;
    CHECK_OK(dvm_data_get(ids[0], &from, &size));
    CHECK_OK(dvm_data_get(ids[1], &to, &size));
    nanosleep(&pause, NULL);
    if (from && to)
        memcpy(to, from, size);
    return from == NULL || to == NULL;
}

/* A chain of tasks from process to process, twice round. */
static void go_round(void)
{
    char bytes[8] = {7};
    dvm_data_id_t ids[2];
    several_register(carries_on, NULL, 2, 1, "carries on", chain);
    new_bytes(ids[0], bytes, sizeof bytes);
    for (uint64_t p = 0; p < 2 * process_count; p++) {
        promise_of(sizeof bytes, ids[1]);
        CHECK_OK(on_process(p % process_count, chain, ids, 2));
        memcpy(ids[0], ids[1], sizeof ids[0]);
    }
    CHECK_NUMBER(1, take_bytes(ids[0], bytes, sizeof bytes));
    CHECK_NUMBER(7, bytes[0]);
}

static void drive(void)
{
    static char bytes[LARGE];
    learn_ranks();
    go_round();
    several_register(reads, NULL, 1, 0, "reads \"it\"", small);
    several_register(makes, NULL, 1, 1, "makes", large);
    for (uint64_t p = 0; p < process_count; p++) {
        dvm_data_id_t id;
        for (int i = 0; i < TASKS; i++) {
            new_bytes(id, bytes, i % 2 ? LARGE : 8);
            CHECK_OK(on_process(p, small, &id, 1));
        }
        promise_of(LARGE, id);
        CHECK_OK(on_process(p, large, &id, 1));
        CHECK_NUMBER(1, take_bytes(id, bytes, LARGE));
        CHECK_NUMBER(7, bytes[LARGE - 1]);
    }
    CHECK_OK(dvm_wait());
}

/* ----- the file, of which each line begins one entry ----- */

typedef struct {
    char phase, name[16], id[32];
    uint64_t pid, tid;
    double at, until;
} entry_t;

static entry_t *slices, *points;
static size_t slice_count, point_count, titles;

/* What follows a key, up to one of the characters in `ends`. */
static void value(const char *line, const char *key, const char *ends, char *to, size_t size)
{
    const char *at = strstr(line, key);
    size_t length = at ? strcspn(at + strlen(key), ends) : 0;
    if (length >= size)
        length = size - 1;
    memcpy(to, at ? at + strlen(key) : "", length);
    to[length] = 0;
}

static double number_of(const char *line, const char *key)
{
    char text[64];
    value(line, key, ",}", text, sizeof text);
    return atof(text);
}

static void take_entry(const char *line)
{
    entry_t entry = {0};
    char phase[2], expected[64];
    value(line, "\"ph\":\"", "\"", phase, sizeof phase);
    entry.phase = phase[0];
    value(line, "\"name\":\"", "\"", entry.name, sizeof entry.name);
    value(line, "\"id\":\"", "\"", entry.id, sizeof entry.id);
    entry.pid = (uint64_t)number_of(line, "\"pid\":");
    entry.tid = (uint64_t)number_of(line, "\"tid\":");
    entry.at = number_of(line, "\"ts\":");
    entry.until = entry.at + number_of(line, "\"dur\":");
    if (strstr(line, "\"thread_name\"") && process_count > 1) {
        snprintf(expected, sizeof expected, "{\"name\":\"process %" PRIu64 ", ", entry.pid - 1);
        CHECK(entry.tid != 0 && entry.tid != entry.pid); /* viewers show such a row as idle, or as the main thread */
        CHECK(strstr(line, expected) != NULL);
        titles += strstr(line, ", rank ") != NULL;
    }
    if (entry.phase == 'X')
        slices[slice_count++] = entry;
    if (entry.phase && strchr("stf", entry.phase))
        points[point_count++] = entry;
}

static void read_trace(FILE *file, size_t lines)
{
    static char line[1 << 16];
    slices = calloc(lines, sizeof *slices);
    points = calloc(lines, sizeof *points);
    rewind(file);
    while (fgets(line, sizeof line, file))
        take_entry(line);
    CHECK(strstr(line, "],\"otherData\":{\"dropped\":0}}") == line);
}

static int is_on_a_slice(const entry_t *point)
{
    for (size_t i = 0; i < slice_count; i++)
        if (slices[i].pid == point->pid && slices[i].tid == point->tid && slices[i].at <= point->at &&
            point->at <= slices[i].until)
            return 1;
    return 0;
}

/* Each arrow begins and ends once, in that order, on events of its tracks. */
static void check_arrows(void)
{
    uint64_t tasks = 0, fetches = 0;
    for (size_t i = 0; i < point_count; i++) {
        int begins = 0, ends = 0;
        for (size_t j = 0; j < point_count; j++) {
            if (strcmp(points[i].id, points[j].id) != 0 || strcmp(points[i].name, points[j].name) != 0)
                continue;
            begins += points[j].phase == 's';
            ends += points[j].phase == 'f';
            if (points[i].phase == 's')
                CHECK(points[i].at <= points[j].at); /* one host, one clock */
            if (points[i].phase == 's' && points[j].phase == 'f')
                CHECK((points[i].pid == points[j].pid) == (strcmp(points[i].name, "task") != 0));
        }
        CHECK_NUMBER(1, begins);
        CHECK_NUMBER(1, ends);
        CHECK(is_on_a_slice(&points[i]));
        tasks += points[i].phase == 's' && strcmp(points[i].name, "task") == 0;
        fetches += points[i].phase == 's' && strcmp(points[i].name, "bytes") == 0;
    }
    CHECK(tasks >= (TASKS + 1) * (process_count - 1));
    CHECK(process_count == 1 || fetches > 0);
}

static void check_trace(const char *path)
{
    char command[400];
    size_t lines = 1;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file)
        return;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    read_trace(file, lines);
    fclose(file);
    CHECK(process_count == 1 || titles == rank_count);
    check_arrows();
    /* Another reader of JSON, where there is one. */
    snprintf(command, sizeof command, "! command -v python3 >/dev/null || python3 -m json.tool %s >/dev/null", path);
    CHECK_NUMBER(0, system(command));
}

/* The critical path goes round as the chain does: after the format there are its times, and for each event the process, the line
 * and the place. */
static void check_path(FILE *file)
{
    static char line[1 << 16];
    const char *key = "\"critical_path\":{\"work_ns\":", *at;
    uint64_t work = 0, span = 0, process, events = 0, seen = 0;
    int length = 0;
    CHECK(fgets(line, sizeof line, file) != NULL);
    at = strstr(line, key);
    CHECK((at != NULL) == (process_count > 1));
    if (!at)
        return;
    at += strlen(key);
    CHECK_NUMBER(2, sscanf(at, "%" SCNu64 ",\"span_ns\":%" SCNu64 ",\"events\":[%n", &work, &span, &length));
    CHECK(work >= span && span >= 2 * process_count * 2000000);
    for (at += length; sscanf(at, "%" SCNu64 ",%*u,%*u%n", &process, &length) == 1; at += length + 1, events++)
        seen += events < 64 && process == events % process_count;
    CHECK(events >= 2 * process_count && seen >= 2 * process_count);
}

/* One report of all processes, in their order; the other processes could not write theirs. */
static void check_profile(const char *path)
{
    char command[400], line[100];
    uint64_t found = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file)
        return;
    check_path(file);
    /* A line begins with each process. */
    for (int c, at = 0; (c = fgetc(file)) != EOF; at = c == '\n' ? 0 : at + 1) {
        uint64_t process;
        if (at < (int)sizeof line - 1)
            line[at] = (char)c, line[at + 1] = 0;
        if (at == 30 && sscanf(line, "{\"process\":%" SCNu64 ",", &process) == 1)
            CHECK_NUMBER(found++, process);
    }
    fclose(file);
    CHECK_NUMBER(process_count, found);
    snprintf(command, sizeof command, "! command -v python3 >/dev/null || python3 -m json.tool %s >/dev/null", path);
    CHECK_NUMBER(0, system(command));
}

static void check_summary(const char *path)
{
    static char text[1 << 16];
    char part[100];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
    CHECK(strstr(text, "libdvm: summary of ") != NULL);
    CHECK(strstr(text, "task 'reads \\\"it\\\"'") != NULL);
    if (process_count > 1) {
        snprintf(part, sizeof part, " of %" PRIu64 " processes; ", process_count);
        CHECK(strstr(text, part) != NULL);
        for (uint64_t p = 1; p < process_count; p++) {
            snprintf(part, sizeof part, "  0 -> %" PRIu64 "\n", p);
            CHECK(strstr(text, part) != NULL);
            snprintf(part, sizeof part, "  process %" PRIu64 ", rank ", p);
            CHECK(strstr(text, part) != NULL);
        }
    }
    CHECK(strstr(strstr(text, "summary of ") + 1, "summary of ") == NULL); /* once */
}

int main(void)
{
    char trace[] = "/tmp/dvm-records-XXXXXX", summary[] = "/tmp/dvm-summary-XXXXXX", report[] = "/tmp/dvm-report-XXXXXX.json";
    int first = starts_first(), before = dup(2);
    int tracing = first ? mkstemp(trace) : -1, reporting = first ? mkstemps(report, 5) : -1, summing = mkstemp(summary);
    CHECK(summing >= 0);
    setenv("DVM_PROFILE", first ? report : "/nonexistent/report.json", 1);
    setenv("DVM_TRACE", first ? trace : "/nonexistent/trace.json", 1);
    setenv("DVM_SUMMARY", "1", 1);
    setenv("DVM_PULL", "ring", 1); /* otherwise bytes may be read without a message */
    several_begin();
    if (process_index == 0)
        drive();
    else
        CHECK_OK(dvm_serve());
    dup2(summing, 2);
    CHECK_OK(dvm_finalize());
    dup2(before, 2);
    if (first) {
        check_trace(trace);
        check_summary(summary);
        check_profile(report);
        close(tracing);
        close(reporting);
        unlink(trace);
        unlink(report);
    } else {
        CHECK_NUMBER(0, lseek(summing, 0, SEEK_END)); /* process 0 tells it */
    }
    close(summing);
    unlink(summary);
    return several_result("records");
}
