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
# The number of entries of the first level of a slab (src/sync/slab.rs); each level has twice as many as the one before.
FIRST = 1024
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
        raise Trouble(f"libdvm's types cannot be read ({why}): is libdvm.so loaded, and not stripped?") from why


def plain(value):
    """What is inside of atomics, cells and locks: their innermost first field that is no structure."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        names = [field.name for field in value.type.fields() if field.name]
        inner = next((name for name in ("value", "v", "p", "data", "pointer", "__0") if name in names), None)
        if inner is None:
            return value
        value = value[inner]
    return value


def pointer(value):
    """The first pointer inside of a value: of a vector, a box or a text, the address of what it holds."""
    code = value.type.strip_typedefs().code
    if code == gdb.TYPE_CODE_PTR:
        return value
    if code == gdb.TYPE_CODE_STRUCT:
        for field in value.type.fields():
            found = pointer(value[field])
            if found is not None:
                return found
    return None


def locked(mutex):
    """What a lock protects."""
    return mutex["data"]["value"]


def text(string):
    """A String."""
    vector = string["vec"]
    length = int(vector["len"])
    if length == 0:
        return ""
    memory = gdb.selected_inferior().read_memory(int(pointer(vector)), length)
    return bytes(memory).decode("utf-8", "replace")


def inner(kind, *names):
    """The type of a field of a field of a type."""
    for name in names:
        kind = kind.strip_typedefs()[name].type
    return kind


def worker_type():
    """The type of a worker. Types are reached from statics: by name gdb may find the namespace of a type's functions."""
    return inner(plain(static("engine::ENGINE")).type.target(), "workers", "data_ptr").target()


def text_at(address):
    """The String at an address; None for NULL."""
    kind = inner(worker_type(), "running", "p", "value")
    return text(gdb.Value(address).cast(kind).dereference()) if address else None


def task_at(address):
    """A task in words: its processing and its data."""
    kind = inner(worker_type(), "queue", "lists", "data", "value", "placed", "first")
    task = gdb.Value(address).cast(kind).dereference()
    plan = task["plan"].format_string(max_elements=0)
    description = re.search(r"description: (0x[0-9a-f]+)", plan)
    count = re.search(r"count: (\d+)", plan)
    if not description or not count:
        return "a task that is not in use"
    count = int(count.group(1))
    if bool(task["in_place"]):
        ids = [task["ids"][place] for place in range(count)]
    else:
        first = pointer(task["more_ids"]).cast(task["ids"].type.target().pointer())
        ids = [first[place] for place in range(count)]
    ids = ", ".join(f"{{{int(datum[0])}, {int(datum[1])}}}" for datum in ids)
    return f"'{text_at(int(description.group(1), 16))}' ({ids})"


def workers():
    """The workers of the running engine."""
    engine = plain(static("engine::ENGINE"))
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


def queued(worker):
    """The addresses of a worker's ready tasks."""
    lists = locked(worker["queue"]["lists"])
    for name in ("placed", "stealable"):
        task = lists[name]["first"]
        for _ in range(NODES):
            if int(task) == 0:
                break
            yield name, int(task)
            task = task.dereference()["next"]


def waiters(body):
    """The addresses of the tasks that wait for a datum."""
    node = body["waiters"]["first"]
    for _ in range(NODES):
        if int(node) == 0:
            return
        node = node.dereference()
        yield int(plain(node["owner"]))
        node = node["next"]


def slots():
    """Number and body of each datum that exists."""
    slab = static("data::store::STORE")["slots"]
    length, levels = int(plain(slab["length"])), slab["levels"]
    start, size, level = 0, FIRST, 0
    while start < length:
        first = plain(levels[level])
        for place in range(min(size, length - start)):
            body = locked((first + place).dereference()["body"])
            if not str(body["phase"]).endswith("Free"):
                yield (int(body["generation"]) << 32) | (start + place), body
        start, size, level = start + size, 2 * size, level + 1


def producer(body):
    """Who is to publish a datum, in words."""
    shown = body["producer"].format_string()
    task = re.search(r"0x[0-9a-f]+", shown)
    if task:
        return f"the output of {task_at(int(task.group(0), 16))}"
    return "written by hand" if "Hand" in shown else "nobody is to publish it"


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
    numbers = threads()
    for place, worker in enumerate(workers()):
        runs = text_at(int(plain(worker["running"])))
        asleep = bool(int(plain(worker["bed"]["asleep"])))
        state = f"runs '{runs}'" if runs is not None else "sleeps" if asleep else "looks for work"
        ready = sum(1 for _ in queued(worker))
        thread = f"thread {numbers[place]}" if place in numbers else "no thread"
        print(f"worker {place} ({thread}): {state}; {ready} ready, {int(plain(worker['ended']))} ended")


def show_queues():
    lines = (
        f"worker {place}: {task_at(task)}{' (others may steal it)' if name == 'stealable' else ''}"
        for place, worker in enumerate(workers())
        for name, task in queued(worker)
    )
    show(lines, "no task is in a queue")


def data_lines(everything):
    for number, body in slots():
        phase = str(body["phase"]).rsplit("::", 1)[-1].lower()
        if phase != "promised" and not everything:
            continue
        references = f"{int(body['available'])} references, {int(body['taken'])} taken"
        line = f"datum {{0, {number}}}: {phase}, {int(body['size'])} bytes, {references}"
        if phase == "promised":
            line += f"; {producer(body)}"
        if int(body["sleepers"]):
            line += f"; threads in dvm_data_get: {int(body['sleepers'])}"
        waiting = list(waiters(body))
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
