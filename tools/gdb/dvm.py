"""Commands for gdb: what libdvm is at in a stopped process, or was at in a core file.

    gdb -x PREFIX/share/dvm/dvm.py -p PID
    (gdb) dvm workers       each worker: what it runs, its queue, whether it sleeps
    (gdb) dvm queues        the ready tasks of each worker
    (gdb) dvm data          the data that are not published, with who is to publish them and who waits
    (gdb) dvm data all      all data

Nothing is called in the process: only its memory is read, with the types that libdvm.so carries for gdb. A process
that was stopped while a list changed may show a part of it.
"""

import re

import gdb

# So many lines of a list are shown.
TOLD = 100
# The number of entries of the first level of a slab (src/sync/mod.rs); each level has twice as many as the one before.
FIRST = 1 << 16
# A ready task without a descriptor is its signature with this bit (src/task/item.rs).
BARE = 1
# What the numbers in a slot (src/data/slot.rs) say.
PHASES = ("free", "promised", "published", "poisoned")
NOBODY, BY_HAND = 0, 1
# So many nodes of a linked list are followed: one that was caught while it changed may be circular.
NODES = 1_000_000


class Trouble(Exception):
    """What there is to say instead of an answer."""


class Rust:
    """Has gdb read expressions and print values as Rust while it lasts."""

    def __enter__(self):
        self.before = gdb.parameter("language")
        gdb.execute("set language rust", to_string=True)

    def __exit__(self, *_):
        gdb.execute(f"set language {self.before}", to_string=True)


def static(name):
    """A static of the library."""
    try:
        return gdb.parse_and_eval(f"dvm::{name}")
    except gdb.error as why:
        remedy = "is libdvm.so loaded? Its debug information is a file of its own: `make install-debug`, or Debian's libdvm0-dbgsym"
        raise Trouble(f"libdvm's types cannot be read ({why}): {remedy}") from why


def plain(value):
    """What is inside of atomics, cells and locks: their innermost first field that is no structure."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        names = [field.name for field in value.type.fields() if field.name]
        inner = next((name for name in ("value", "v", "p", "data", "pointer", "top", "last", "__0") if name in names), None)
        if inner is None:
            return value
        value = value[inner]
    return value


def pointer(value):
    """The first pointer inside of a value: of a vector, a box or a text, the address of what it holds."""
    code = value.type.strip_typedefs().code
    if code == gdb.TYPE_CODE_PTR:
        return value
    if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in value.type.fields():
            found = pointer(value[field])
            if found is not None:
                return found
    return None


def optional(value):
    """What an Option of a reference, a box or a slice holds, or None. gdb shows the variant that is there, and no other."""
    if all(field.name != "Some" for field in value.type.strip_typedefs().fields()):
        return None
    held = value["Some"]["__0"]
    return held if int(pointer(held)) else None


def locked(mutex):
    """What a lock protects."""
    return mutex["value"]["value"]


def text(string):
    """A String."""
    vector = string["vec"]
    length = int(vector["len"])
    if length == 0:
        return ""
    memory = gdb.selected_inferior().read_memory(int(pointer(vector)), length)
    return bytes(memory).decode("utf-8", "replace")


def string_at(address):
    """The String at a pointer; None for NULL."""
    return text(address.dereference()) if int(address) else None


def contexts():
    """What each thread that calls libdvm keeps to itself."""
    vector = locked(static("engine::context::CONTEXTS"))["all"]
    kind = vector.type.template_argument(0)
    first = gdb.Value(int(pointer(vector))).cast(kind.pointer())
    return [first[place].dereference() for place in range(int(vector["len"]))]


def task_type():
    """The type of a pointer to a task. Types are reached from statics: by name gdb may find the namespace of a type's
    functions."""
    kind = locked(static("engine::context::CONTEXTS"))["all"].type.template_argument(0).target()
    for name in ("own", "value", "lifo_slot"):
        kind = kind.strip_typedefs()[name].type
    owned = kind.strip_typedefs().template_argument(0)
    return owned.strip_typedefs()["__0"].type.strip_typedefs()["pointer"].type


def numbers(task, count):
    """The numbers of a task's data, which lie behind its descriptor."""
    first = task["first"]
    first = first.address.cast(first.type.target().pointer())
    return [int(first[place]) for place in range(count)]


def plan_type():
    """The type of a pointer to a signature."""
    return task_type().target().strip_typedefs()["signature"].type


def task_at(address):
    """A task in words: its processing and its data."""
    if address & BARE:
        return f"'{string_at(gdb.Value(address & ~BARE).cast(plan_type()).dereference()['description'])}' ()"
    task = gdb.Value(address).cast(task_type()).dereference()
    signature = task["signature"].dereference()
    ids = ", ".join(f"{{0, {number}}}" for number in numbers(task, int(signature["count"])))
    return f"'{string_at(signature['description'])}' ({ids})"


def workers():
    """The workers of the running engine."""
    engine = plain(static("engine::context::shared::ENGINE"))
    if int(engine) == 0:
        raise Trouble("libdvm is not running in this process")
    boxed = engine.dereference()["workers"]
    first, length = boxed["data_ptr"], int(boxed["length"])
    return [(first + place).dereference() for place in range(length)]


def threads():
    """The numbers that gdb gives to the workers' threads, by the worker."""
    numbers = {}
    for thread in gdb.selected_inferior().threads():
        name = re.fullmatch(r"dvm-(\d+)", thread.name or "")
        if name:
            numbers[int(name.group(1))] = thread.num
    return numbers


def chain(link, stop=0):
    """The addresses of the linked tasks from a pointer to one on, which may be to its link."""
    for _ in range(NODES):
        if int(link) == 0:
            return
        yield int(link)
        if int(link) == stop:
            return
        task = gdb.Value(int(link)).cast(task_type()).dereference()
        link = plain(task["link"]["next"])


def kept(deque):
    """The addresses of the tasks in a deque, the newest first."""
    top, bottom = (int(plain(deque[name])) for name in ("top", "bottom"))
    slots = plain(deque["buffer"]).dereference()["slots"]
    length = int(slots["length"])
    for place in range(bottom - 1, max(top, bottom - length) - 1, -1):
        yield int(plain(slots["data_ptr"][place & (length - 1)]))


def shuffled(batch):
    """The addresses of the tasks from which DVM_SEED is to choose the next one: a VecDeque."""
    capacity = int(plain(batch["buf"]["inner"]["cap"]))
    first = pointer(batch["buf"]).cast(gdb.lookup_type("u64").pointer())
    for place in range(int(batch["len"])):
        yield int(first[(int(batch["head"]) + place) % capacity])


def queued(place, worker):
    """The addresses of a worker's ready tasks, about in the order in which it runs them."""
    owns = [context["own"]["value"] for context in contexts() if int(plain(context["worker"])) == place]
    left = plain(worker["slot"])["left"]["__0"]["value"]
    for own in owns:
        lifo_slot = optional(own["lifo_slot"])
        if lifo_slot is not None:
            yield "placed", int(pointer(lifo_slot))
    for task in shuffled(left["batch"]):
        yield "placed", task
    for own in [*owns, left]:
        for task in chain(own["placed"]["__0"]["nodes"]["first"]):
            yield "placed", task
    queue = worker["queue"]
    for task in reversed(list(chain(plain(queue["inbox"])))):
        yield "placed", task
    for task in kept(queue["deque"]["__0"]):
        yield "stealable", task
    for task in [*reversed(list(chain(plain(queue["rest"])))), *reversed(list(chain(plain(queue["stealable"]))))]:
        yield "stealable", task


def waiters(slot):
    """The addresses of the tasks that wait for a datum: a ring, whose last one is known."""
    last = plain(slot["last_waiter"])
    if int(last):
        task = gdb.Value(int(last)).cast(task_type()).dereference()
        yield from chain(plain(task["link"]["next"]), int(last))


def slots():
    """Number, phase and slot of each datum that exists."""
    slab = static("data::store::STORE")["slots"]
    length, levels = int(plain(slab["length"])), slab["levels"]
    start, size, level = 0, FIRST, 0
    while start < length:
        first = plain(levels[level])
        for place in range(min(size, length - start)):
            slot = (first + place).dereference()
            phase = PHASES[min(int(plain(slot["phase"])), len(PHASES) - 1)]
            if phase != "free":
                yield (int(plain(slot["generation"])) << 32) | (start + place), phase, slot
        start, size, level = start + size, 2 * size, level + 1


def producer(slot):
    """Who is to publish a promise, in words."""
    who = int(plain(slot["producer"]))
    if who == BY_HAND:
        return "written by hand"
    if who == NOBODY:
        return "nobody is to publish it"
    return f"the output of {task_at(int(plain(slot['origin'])))}"


def show(lines, none):
    """Prints the first lines of a list, and how many there are beyond."""
    count = 0
    for line in lines:
        count += 1
        if count <= TOLD:
            print(line)
    if count > TOLD:
        print(f"and {count - TOLD} more")
    if count == 0:
        print(none)


def show_workers():
    numbered = threads()
    for place, worker in enumerate(workers()):
        counts = worker["counts"]["__0"]
        runs = string_at(plain(counts["running"]))
        asleep = bool(int(plain(worker["parker"]["__0"]["asleep"])))
        state = f"runs '{runs}'" if runs is not None else "sleeps" if asleep else "looks for work"
        ready = sum(1 for _ in queued(place, worker))
        thread = f"thread {numbered[place]}" if place in numbered else "no thread"
        print(f"worker {place} ({thread}): {state}; {ready} ready, {int(plain(counts['ended']))} ended")


def show_queues():
    lines = (
        f"worker {place}: {task_at(task)}{' (others may steal it)' if name == 'stealable' else ''}"
        for place, worker in enumerate(workers())
        for name, task in queued(place, worker)
    )
    show(lines, "no task is in a queue")


def data_lines(everything):
    for number, phase, slot in slots():
        if phase != "promised" and not everything:
            continue
        held, sleepers = slot["references"], int(plain(slot["sleepers"]))
        references = f"{int(plain(held['available']))} references, {int(plain(held['taken']))} taken"
        line = f"datum {{0, {number}}}: {phase}, {int(plain(slot['size']))} bytes, {references}"
        if phase == "promised":
            line += f"; {producer(slot)}"
        if sleepers:
            line += f"; threads in dvm_data_get: {sleepers}"
        waiting = list(waiters(slot))
        if waiting:
            more = f" and {len(waiting) - 3} more" if len(waiting) > 3 else ""
            line += f"; waiting: {', '.join(map(task_at, waiting[:3]))}{more}"
        yield line


class Dvm(gdb.Command):
    """What libdvm is at: dvm workers, dvm queues, dvm data [all]."""

    def __init__(self):
        super().__init__("dvm", gdb.COMMAND_DATA)

    def invoke(self, argument, _from_tty):
        commands = {
            "workers": show_workers,
            "queues": show_queues,
            "data": lambda: show(data_lines(False), "every datum is published"),
            "data all": lambda: show(data_lines(True), "there are no data"),
        }
        command = commands.get(" ".join(argument.split()))
        if command is None:
            raise gdb.GdbError("dvm workers, dvm queues, dvm data, or dvm data all")
        try:
            with Rust():
                command()
        except Trouble as why:
            raise gdb.GdbError(str(why)) from why

    def complete(self, _text, word):
        return [name for name in ("workers", "queues", "data") if name.startswith(word or "")]


Dvm()
