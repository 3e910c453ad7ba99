/* dvm.hpp: libdvm for C++17. Header only, over dvm.h.
 *
 *     dvm::machine machine;                               // starts libdvm; ends it at the end of the scope
 *     dvm::datum<double> a(1000), sum(1);                 // promises: arrays whose bytes do not exist yet
 *     dvm::submit(dvm::near, [](dvm::span<double> x) { for (double &v : x) v = 1; }, dvm::out(a));
 *     dvm::submit(dvm::near, [](dvm::span<const double> x, dvm::span<double> s) { for (double v : x) s[0] += v; },
 *                 dvm::in(a), dvm::out(sum));
 *     double result = sum.get()[0];                       // waits for the task that produces it
 *
 * A task is a function object with a span for each argument: `in` gives a span of const, `inout` and `out` one that may be
 * written. Its number and types of parameters are checked by the compiler. What a lambda captures is copied as bytes, so
 * it must be trivially copyable: capture numbers, not references to what the task might outlive. A task makes the calls that it
 * would make in C: one that schedules it, with `out` a promise before, and dvm_data_get for each argument. Captures cost one
 * small datum more, and `onto` looks the worker's rank up each time; a `place` has looked it up.
 *
 * Messages, reports and traces call a task by its function: fn<update> is `update`, a lambda is called by its types and
 * the function around it (GCC) or by its line (clang), and a class of one's own may say `static constexpr const char *task_name`.
 *
 * Errors are exceptions of type dvm::error; functions named try_... return a std::error_code instead. What a task throws
 * fails the task, as in dvm.h: its outputs are poisoned, and the next wait says so. */
#ifndef DVM_HPP
#define DVM_HPP

#include <dvm.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dvm {

/* ----- Errors ----- */

/** @brief The category of libdvm's codes; a value is a dvm_retcode_t. */
inline const std::error_category &category() noexcept
{
    struct kind : std::error_category {
        const char *name() const noexcept override { return "dvm"; }
        std::string message(int code) const override { return dvm_strerror(static_cast<dvm_retcode_t>(code)); }
    };
    static const kind instance;
    return instance;
}

/** @brief A code of libdvm as error_code; DVM_SUCCESS is no error. */
inline std::error_code error_code(dvm_retcode_t code) noexcept
{
    return {static_cast<int>(code), category()};
}

/** @brief A call of libdvm failed: code(), and what() with the library's own text. */
class error : public std::system_error {
  public:
    explicit error(std::error_code code) : error(code, dvm_last_error()) {}
    error(std::error_code code, const char *text) : std::system_error(code, text) {}
};

/** @brief Throws dvm::error unless the code says success. */
inline void check(std::error_code code)
{
    if (code)
        throw error(code);
}

inline void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS)
        throw error(error_code(code));
}

/* ----- The machine ----- */

/** @brief libdvm, from the constructor to the destructor. All data must go before it. */
class machine {
  public:
    machine() { check(dvm_init()); }
    ~machine() { dvm_finalize(); }
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;

    /** @brief Returns when all tasks have ended; throws if one has failed. */
    void wait() { check(dvm_wait()); }
    std::error_code try_wait() noexcept { return error_code(dvm_wait()); }

    /** @brief The number of workers. */
    std::uint64_t workers() const
    {
        std::uint64_t count = 0;
        check(dvm_rank_count(&count));
        return count;
    }
};

/** @brief Where a task runs: near its data. */
struct near_t {};
inline constexpr near_t near{};

/** @brief Where a task runs: on the worker with this number, from 0. */
struct onto {
    std::uint64_t worker;
};

/**
 * @brief Where a task runs: on a worker whose rank was looked up once, for many tasks. For one machine: the next start of
 * libdvm may have other ranks.
 *
 *     const dvm::place first(dvm::onto{0});
 */
class place {
  public:
    /** @throws dvm::error  the codes of dvm_rank_at, as `DVM_ERR_RANK`: there is no such worker */
    explicit place(onto where) { check(dvm_rank_at(where.worker, rank_, DVM_MAX_RANK_DEPTH)); }
    /** @brief Its rank, for the C interface. */
    const dvm_rank_t &rank() const noexcept { return rank_; }

  private:
    dvm_rank_t rank_ = {};
};

/* ----- Data ----- */

/** @brief Consecutive elements in memory that somebody else owns. */
template <class T> class span {
  public:
    using element_type = T;
    span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t at) const noexcept { return data_[at]; }
    operator span<const T>() const noexcept { return {data_, size_}; }

  private:
    T *data_;
    std::size_t size_;
};

/** @brief A datum that is being read: a span that keeps the bytes until it goes. */
template <class T> class reading : public span<const T> {
  public:
    reading(const dvm_data_id_t id, const T *data, std::size_t size) noexcept : span<const T>(data, size), id_{id[0], id[1]} {}
    reading(reading &&other) noexcept : span<const T>(other), id_{other.id_[0], other.id_[1]}, held_(other.held_)
    {
        other.held_ = false;
    }
    reading(const reading &) = delete;
    reading &operator=(const reading &) = delete;
    ~reading()
    {
        if (held_)
            dvm_data_put(id_);
    }

  private:
    dvm_data_id_t id_;
    bool held_ = true;
};

/**
 * @brief An array of T that tasks read and produce; holds one reference of it.
 *
 * A copy names the same datum and holds another reference. Elements are handled as bytes.
 */
template <class T> class datum {
    static_assert(std::is_trivially_copyable_v<T>, "the elements of a datum are copied as bytes");
    static_assert(alignof(T) <= 64, "data are aligned to 64 bytes");

  public:
    /**
     * @brief A promise of so many elements: a task with `out` produces them, or write().
     *
     * @throws dvm::error  `DVM_ERR_MEMORY`: no machine has that much memory
     */
    explicit datum(std::size_t count)
    {
        // More is refused, as what no machine has.
        const std::size_t bytes = count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
        check(dvm_data_promise(bytes, &id_)), count_ = count;
    }
    datum(const datum &other) : count_(other.count_)
    {
        take(other.id_);
        if (*this)
            check(dvm_data_acquire(id_));
    }
    datum(datum &&other) noexcept : count_(other.count_)
    {
        take(other.id_);
        begun_ = std::exchange(other.begun_, nullptr);
        other.id_[0] = other.id_[1] = 0;
    }
    datum &operator=(datum other) noexcept
    {
        std::swap(id_[0], other.id_[0]);
        std::swap(id_[1], other.id_[1]);
        std::swap(count_, other.count_);
        std::swap(begun_, other.begun_);
        return *this;
    }
    ~datum()
    {
        if (*this)
            dvm_data_relax(id_);
    }

    /** @brief Whether it names a datum; one that was moved from names none. */
    explicit operator bool() const noexcept { return id_[0] != 0 || id_[1] != 0; }
    /** @brief The number of elements. */
    std::size_t size() const noexcept { return count_; }
    /** @brief Its id, for the C interface. */
    const dvm_data_id_t &id() const noexcept { return id_; }

    /** @brief Its elements, when they are published; outside of tasks this waits. */
    reading<T> get() const
    {
        void *address = nullptr;
        std::size_t bytes = 0;
        check(dvm_data_get(id_, &address, &bytes));
        return {id_, static_cast<const T *>(address), bytes / sizeof(T)};
    }

    /**
     * @brief Fulfils the promise by hand: `fill` gets the elements, zeroed, and then they are published.
     *
     * If `fill` throws, nothing is published, and whoever waits for the datum goes on waiting: write() may be called again
     * for this object, whose elements are then as the failed `fill` has left them.
     *
     * @throws dvm::error  the codes of dvm_data_write and dvm_data_publish, as `DVM_ERR_STATE`: it has another producer
     */
    template <class Fill> void write(Fill &&fill)
    {
        std::size_t bytes = 0;
        if (begun_ == nullptr)
            check(dvm_data_write(id_, &begun_, &bytes));
        std::forward<Fill>(fill)(span<T>(static_cast<T *>(begun_), count_));
        begun_ = nullptr;
        check(dvm_data_publish(id_));
    }

  private:
    template <class U> friend struct in_argument;
    template <class U> friend struct out_argument;
    template <class U> friend struct inout_argument;

    void take(const dvm_data_id_t id) noexcept { id_[0] = id[0], id_[1] = id[1], begun_ = nullptr; }

    dvm_data_id_t id_ = {0, 0};
    std::size_t count_ = 0;
    /** The bytes of a production that write() has begun. */
    void *begun_ = nullptr;
};

/* ----- Arguments of a task: each says how the task gets its datum, and what the function sees ----- */

/** @brief What in() gives: submit() takes it as an argument. */
template <class T> struct in_argument {
    using seen = span<const T>;
    static constexpr int mode = DVM_READ;
    const datum<T> &data;
    dvm_retcode_t begin(dvm_data_id_t &to)
    {
        dvm_id_copy(to, data.id_);
        return DVM_SUCCESS;
    }
    void undo(dvm_data_id_t &) {}
    void done(dvm_data_id_t &) {}
};

/** @brief What out() gives: submit() takes it as an argument. */
template <class T> struct out_argument {
    using seen = span<T>;
    static constexpr int mode = DVM_OUT;
    datum<T> &data;
    /* A new promise takes the place of what the datum named before. */
    dvm_retcode_t begin(dvm_data_id_t &to) { return dvm_data_promise(data.count_ * sizeof(T), &to); }
    void undo(dvm_data_id_t &from) { dvm_data_relax(from); }
    void done(dvm_data_id_t &from)
    {
        if (data)
            dvm_data_relax(data.id_);
        data.take(from);
    }
};

/** @brief What inout() gives: submit() takes it as an argument. */
template <class T> struct inout_argument {
    using seen = span<T>;
    static constexpr int mode = DVM_INOUT;
    datum<T> &data;
    /* The task gets the reference that the datum had: if it is the last one, nothing is copied. */
    dvm_retcode_t begin(dvm_data_id_t &to)
    {
        dvm_id_copy(to, data.id_);
        return DVM_SUCCESS;
    }
    void undo(dvm_data_id_t &) {}
    void done(dvm_data_id_t &from) { data.take(from); }
};

/** @brief The task reads it. */
template <class T> in_argument<T> in(const datum<T> &data) { return {data}; }
/** @brief The task produces it; the datum names the new elements from here on. */
template <class T> out_argument<T> out(datum<T> &data) { return {data}; }
/** @brief The task updates it; the datum names the updated elements from here on. */
template <class T> inout_argument<T> inout(datum<T> &data) { return {data}; }

/* ----- Tasks ----- */

/** @brief A function by its name, as in submit(near, fn<update>, ...): the same in each process, unlike its address. */
template <auto function> struct named {
    template <class... A> auto operator()(A &&...arguments) const -> decltype(function(std::forward<A>(arguments)...))
    {
        return function(std::forward<A>(arguments)...);
    }
};
template <auto function> inline constexpr named<function> fn{};

namespace detail {

/* The compiler's spelling of F, somewhere in a longer text. */
template <class F> constexpr std::string_view spelling()
{
    return __PRETTY_FUNCTION__;
}

/* `f(types)` without its types. */
inline std::string_view without_types(std::string_view function)
{
    constexpr std::string_view member = " const";
    if (function.size() > member.size() && function.substr(function.size() - member.size()) == member)
        function.remove_suffix(member.size());
    std::size_t open = 0, at = function.size();
    while (at > 0) {
        const char c = function[--at];
        open += c == ')';
        if (c == '(' && --open == 0)
            break;
        if (open == 0)
            return function;
    }
    return function.substr(0, at);
}

/* `span<T>)` of the parameters of a function: the names of the elements' types. */
inline std::string element_types(std::string_view types)
{
    std::string words, open; /* open: of each bracket, whether it is a span's */
    for (; !types.empty(); types.remove_prefix(1)) {
        const bool begins = words.empty() || words.back() == ' ';
        const std::size_t span = types.find("span<");
        if (begins && (span == 0 || (span == 5 && types.substr(0, 5) == "dvm::"))) {
            types.remove_prefix(span + 4);
            open += 's';
        } else if (types[0] == '>' && !open.empty() && open.back() == 's') {
            open.pop_back();
        } else {
            if (types[0] == '<')
                open += '<';
            else if (types[0] == '>' && !open.empty())
                open.pop_back();
            words += types[0];
        }
    }
    return words;
}

/* What a compiler calls a function's type, short: `fn<f>` is `f`, lambdas are `lambda(types) in function` with GCC and
 * `lambda at file.cpp:3:5` with clang. */
inline std::string type_in_words(std::string_view text)
{
    constexpr std::string_view named = "dvm::named<", clang = "(lambda at ", gcc = "<lambda(";
    if (text.substr(0, named.size()) == named) {
        text = text.substr(named.size(), text.size() - named.size() - 1);
        text = text.substr(text.find_first_not_of('&'));
        text = text.substr(0, text.find_last_not_of(' ') + 1);
    } else if (text.substr(0, clang.size()) == clang) {
        text = text.substr(clang.size(), text.size() - clang.size() - 1);
        return "lambda at " + std::string(text.substr(text.find_last_of('/') + 1));
    } else if (const std::size_t at = text.rfind(gcc); at != text.npos) {
        const std::size_t types = at + gcc.size();
        std::string words = "lambda(" + element_types(text.substr(types, text.rfind(")>") - types)) + ")";
        const std::size_t around = text.find("::<lambda(");
        return around == text.npos ? words : words + " in " + std::string(without_types(text.substr(0, around)));
    }
    return std::string(text);
}

template <class F, class = void> struct task_name {
    static std::string of()
    {
        std::string_view text = spelling<F>();
        const std::size_t begin = text.find("F = ");
        if (begin == text.npos)
            return "a C++ task";
        text = text.substr(begin + 4, text.size() - begin - 5);
        return type_in_words(text.substr(0, text.find("; std::string_view"))); /* GCC explains the result */
    }
};

template <class F> struct task_name<F, std::void_t<decltype(F::task_name)>> {
    static std::string of() { return F::task_name; }
};

/* What tasks with this function and these arguments share: a processing, registered when it is first needed. */
template <class F, class... Arguments> struct work {
    static_assert(!std::is_pointer_v<F>, "an address differs between processes: write dvm::fn<function>");
    static_assert(std::is_trivially_copyable_v<F>, "captures are copied as bytes: capture numbers and ids");
    static_assert(std::is_invocable_v<const F &, typename Arguments::seen...>,
                  "the function must take a span for each argument: span<const T> for in, span<T> for inout and out");
    static constexpr bool bare = std::is_empty_v<F>;
    static constexpr int first = bare ? 0 : 1;
    static constexpr int count = first + static_cast<int>(sizeof...(Arguments));

    template <class Argument> static typename Argument::seen see(dvm_data_id_t *&ids)
    {
        using element = typename Argument::seen::element_type;
        void *address = nullptr;
        std::size_t bytes = 0;
        check(dvm_data_get(*ids++, &address, &bytes));
        return {static_cast<element *>(address), bytes / sizeof(element)};
    }

    static int run(void *, dvm_data_id_t *ids, int)
    {
        alignas(F) unsigned char bytes[sizeof(F)] = {};
        if constexpr (!bare) {
            void *address = nullptr;
            std::size_t size = 0;
            check(dvm_data_get(ids[0], &address, &size));
            std::memcpy(bytes, address, sizeof(F));
            ids += 1;
        }
        const F &function = *std::launder(reinterpret_cast<const F *>(bytes));
        /* Braces evaluate from left to right. */
        std::tuple<typename Arguments::seen...> seen{see<Arguments>(ids)...};
        if constexpr (std::is_same_v<std::invoke_result_t<const F &, typename Arguments::seen...>, int>)
            return std::apply(function, seen);
        else
            std::apply(function, seen);
        return 0;
    }

    /* The processing of these tasks; number 0 if there is none yet. */
    static inline std::atomic<std::uint64_t> home{0}, number{0}; /* number is written last */

    static bool known(dvm_processing_id_t to)
    {
        to[1] = number.load(std::memory_order_acquire);
        to[0] = home.load(std::memory_order_relaxed);
        return to[1] != 0;
    }

    /* Registers it, unless another thread has: `stale` is an id that was refused, as libdvm may have ended and begun again. */
    static dvm_retcode_t renew(dvm_processing_id_t to, const dvm_processing_id_t stale)
    {
        static std::mutex lock;
        std::lock_guard<std::mutex> guard(lock);
        if (known(to) && !dvm_id_equal(to, stale))
            return DVM_SUCCESS;
        char name[100] = {};
        task_name<F>::of().copy(name, sizeof name - 1);
        if (dvm_retcode_t code = dvm_processing_register_v(run, nullptr, count, name, to); code != DVM_SUCCESS)
            return code;
        int modes[count + 1] = {DVM_IN};
        int at = first;
        (..., (modes[at++] = Arguments::mode));
        if (dvm_retcode_t code = dvm_processing_access(to, modes); code != DVM_SUCCESS)
            return code;
        home.store(to[0], std::memory_order_relaxed);
        number.store(to[1], std::memory_order_release);
        return DVM_SUCCESS;
    }

    static dvm_retcode_t closure(const F &function, dvm_data_id_t *to)
    {
        void *address = nullptr;
        std::size_t size = 0;
        dvm_retcode_t code = dvm_data_allocate(sizeof(F), to);
        if (code != DVM_SUCCESS)
            return code;
        code = dvm_data_get(*to, &address, &size);
        if (code == DVM_SUCCESS) {
            std::memcpy(address, &function, sizeof(F));
            code = dvm_data_put(*to);
        }
        if (code != DVM_SUCCESS)
            dvm_data_relax(*to);
        return code;
    }
};

/* Whether a datum has a new value by two of the arguments: it could name only one of them. */
template <class... Arguments> bool written_twice(const Arguments &...arguments)
{
    const void *written[sizeof...(Arguments) + 1] = {};
    std::size_t many = 0;
    bool twice = false;
    (..., [&](const auto &argument) {
        if constexpr (std::decay_t<decltype(argument)>::mode != DVM_READ) {
            for (std::size_t k = 0; k < many; k++)
                twice = twice || written[k] == &argument.data;
            written[many++] = &argument.data;
        }
    }(arguments));
    return twice;
}

inline dvm_retcode_t schedule(near_t, const dvm_processing_id_t processing, dvm_data_id_t *ids, int count)
{
    return dvm_sched_near(processing, ids, count);
}

inline dvm_retcode_t schedule(const place &where, const dvm_processing_id_t processing, dvm_data_id_t *ids, int count)
{
    return dvm_sched_onto_v(where.rank(), processing, ids, count);
}

inline dvm_retcode_t schedule(onto where, const dvm_processing_id_t processing, dvm_data_id_t *ids, int count)
{
    dvm_rank_t rank;
    const dvm_retcode_t code = dvm_rank_at(where.worker, rank, DVM_MAX_RANK_DEPTH);
    return code == DVM_SUCCESS ? dvm_sched_onto_v(rank, processing, ids, count) : code;
}

/* Schedules a task whose new values are all different data: the code of the first call that failed. */
template <class Place, class F, class... Arguments>
dvm_retcode_t submit(const Place &where, const F &function, Arguments &...arguments)
{
    using task = work<F, Arguments...>;
    dvm_data_id_t ids[task::count + 1] = {};
    dvm_processing_id_t processing;
    const dvm_processing_id_t none = {0, 0};
    dvm_retcode_t code = task::known(processing) ? DVM_SUCCESS : task::renew(processing, none);
    if (code != DVM_SUCCESS)
        return code;
    if constexpr (!task::bare) {
        code = task::closure(function, &ids[0]);
        if (code != DVM_SUCCESS)
            return code;
    }
    /* Each argument in its order, as long as none fails; `begun` counts those to take back. */
    int at = task::first, begun = 0;
    (..., [&](auto &argument) {
        if (code == DVM_SUCCESS && (code = argument.begin(ids[at])) == DVM_SUCCESS)
            begun++;
        at++;
    }(arguments));
    if (code == DVM_SUCCESS) {
        code = schedule(where, processing, ids, task::count);
        if (code == DVM_ERR_PROCESSING) {
            const dvm_processing_id_t stale = {processing[0], processing[1]};
            code = task::renew(processing, stale);
            if (code == DVM_SUCCESS)
                code = schedule(where, processing, ids, task::count);
        }
    }
    at = task::first;
    (..., [&](auto &argument) {
        if (code == DVM_SUCCESS)
            argument.done(ids[at]);
        else if (begun-- > 0)
            argument.undo(ids[at]);
        at++;
    }(arguments));
    if constexpr (!task::bare) {
        if (code != DVM_SUCCESS)
            dvm_data_relax(ids[0]);
    }
    return code;
}

} // namespace detail

/**
 * @brief Schedules a task, and returns at once; the error, if it could not. Then the data are as they were.
 *
 * One datum may be `in` and also `out` or `inout`: the task reads the old elements beside the new ones. It may not be `out` or
 * `inout` twice.
 */
template <class Place, class F, class... Arguments>
std::error_code try_submit(const Place &where, F function, Arguments... arguments)
{
    if (detail::written_twice(arguments...))
        return error_code(DVM_ERR_ARGUMENT);
    return error_code(detail::submit(where, function, arguments...));
}

/** @brief Schedules a task, and returns at once; throws dvm::error if it could not. */
template <class Place, class F, class... Arguments>
void submit(const Place &where, F function, Arguments... arguments)
{
    if (detail::written_twice(arguments...))
        throw error(error_code(DVM_ERR_ARGUMENT), "a datum is out or inout twice: it can name only one new value");
    check(detail::submit(where, function, arguments...));
}

} // namespace dvm

#endif
