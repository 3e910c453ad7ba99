// Tests the AArch64 assembly of the frame around callbacks, with a personality like libdvm's
// (src/processing/unwind_boundary.rs): a result, an exception and a thread's end all come back as two numbers.
#include <cstdint>
#include <cstdio>
#include <pthread.h>
#include <unwind.h>

struct crossed_t {
    uintptr_t value, how;
};
enum { RETURNED, THREW, FORCED };
typedef int (*function_t)(void *, void *, void *, void *);
extern "C" crossed_t dvm_test_enter(void *a, void *b, void *c, void *d, function_t function);

extern "C" _Unwind_Reason_Code dvm_test_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class,
                                                    _Unwind_Exception *exception, _Unwind_Context *context)
{
    if (version != 1)
        return _URC_FATAL_PHASE1_ERROR;
    if (actions & _UA_SEARCH_PHASE)
        return _URC_HANDLER_FOUND;
    _Unwind_SetGR(context, 0, reinterpret_cast<uintptr_t>(exception));
    _Unwind_SetGR(context, 1, actions & _UA_FORCE_UNWIND ? FORCED : THREW);
    _Unwind_SetIP(context, reinterpret_cast<uintptr_t>(_Unwind_GetLanguageSpecificData(context)));
    return _URC_INSTALL_CONTEXT;
}

static int failures, done, destroyed;
static void check(bool holds, const char *what)
{
    done++;
    if (!holds) {
        failures++;
        std::printf("FAILED aarch64: %s\n", what);
    }
}

struct guard_t {
    ~guard_t() { destroyed++; }
};

static int adds(void *a, void *b, void *c, void *d)
{
    return static_cast<int>(reinterpret_cast<uintptr_t>(a) + 10 * reinterpret_cast<uintptr_t>(b) +
                            100 * reinterpret_cast<uintptr_t>(c) + 1000 * reinterpret_cast<uintptr_t>(d));
}

static int throws(void *a, void *, void *, void *)
{
    guard_t guard;
    if (a)
        throw 42;
    return 0;
}

static int leaves(void *, void *, void *, void *)
{
    guard_t guard;
    pthread_exit(nullptr);
}

static void *pointer(uintptr_t value) { return reinterpret_cast<void *>(value); }

// As in libdvm: a thread's end is dropped, and the thread goes on.
static void *thread(void *)
{
    crossed_t crossed = dvm_test_enter(nullptr, nullptr, nullptr, nullptr, leaves);
    check(crossed.how == FORCED && destroyed == 2, "pthread_exit is stopped behind the destructors");
    crossed = dvm_test_enter(pointer(1), nullptr, nullptr, nullptr, adds);
    check(crossed.how == RETURNED && crossed.value == 1, "the thread goes on");
    return pointer(7);
}

int main()
{
    crossed_t crossed = dvm_test_enter(pointer(1), pointer(2), pointer(3), pointer(4), adds);
    check(crossed.how == RETURNED && static_cast<int>(crossed.value) == 4321, "arguments and result pass");
    crossed = dvm_test_enter(pointer(1), nullptr, nullptr, nullptr, throws);
    check(crossed.how == THREW && destroyed == 1, "an exception is stopped behind the destructors");
    auto *exception = reinterpret_cast<_Unwind_Exception *>(crossed.value);
    int value = 0;
    try {
        _Unwind_Resume_or_Rethrow(exception);
    } catch (int thrown) {
        value = thrown;
    }
    check(value == 42, "it can be raised again");
    pthread_t id;
    void *result = nullptr;
    check(pthread_create(&id, nullptr, thread, nullptr) == 0 && pthread_join(id, &result) == 0 && result == pointer(7),
          "the thread ends by itself");
    std::printf("%d passed, %d failed\n", done - failures, failures);
    return failures != 0;
}
