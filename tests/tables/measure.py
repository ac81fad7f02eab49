"""The measurements of docs/numbers.md. Each returns data for JSON. A sample has one value for each turn:
measurements that are compared take turns, so that a slow minute of the machine affects all."""

import contextlib
import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

import zookeeper_server  # noqa: E402

TURNS = 5
STRATEGIES = ("portfolio", "random", "pct", "pos", "urw", "delay")
EXECUTIONS = 50_000  # For half a second in each turn of a strategy.

# All kinds of faults that the exhaustive search knows on one server, one fault per execution.
ONE_FAULT = ("cut", "expiry", "kill-session", "timer", "late-apply", "stall", "crash",
             "clock-drift", "foreign-delete", "parent-removal", "sequence-overflow")

# Contenders for one lock on real servers, each with its own session.
CONTENDERS = (2, 5, 10, 20, 50)
CONTENDER_TURNS = 3
TURN_S = 0.6
JARS = ":".join(f"/usr/share/java/{jar}.jar" for jar in ("slf4j-simple", "curator-recipes", "zookeeper"))
OWN_LOAD_S = 180  # The load of one part is gone by then.


def printed(*command):
    """Returns the command's stdout. (An exhaustive search without a violation exits with 0.)"""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def printed_in(*command):
    """Returns the command's stdout, and the seconds of a processor that it has used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = printed(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def first_group(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found[1].strip() if found else None


def machine():
    memory_kib = int(first_group(r"^MemTotal: *(\d+)", pathlib.Path("/proc/meminfo").read_text()))
    system = pathlib.Path("/etc/os-release").read_text()
    return {
        "processor": first_group(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()) or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory_kib / 1024 / 1024),
        "system": f"{first_group(r'^PRETTY_NAME=.(.*).$', system)}, Linux {platform.release().split('-')[0]}",
        "compiler": "GCC " + printed("g++", "-dumpfullversion").strip(),
        "zookeeper": package_version("zookeeper"),
        "curator": package_version("libcurator-recipes-java"),
        "kazoo": package_version("python3-kazoo"),
    }


def quiet_load(patience_s):
    """Returns the load once it is no larger than the number of cores; ends this program if it is not so in time."""
    end = time.monotonic() + patience_s
    while (load := os.getloadavg()[0]) > os.cpu_count():
        if time.monotonic() >= end:
            sys.exit(f"the load is {load:.1f} on {os.cpu_count()} cores: measure on a quiet machine")
        time.sleep(1)
    return load


def package_version(name):
    version = printed("dpkg-query", "-W", "-f", "${Version}", name)
    return re.split(r"[-+]", version)[0]


def bench(program, suite, *options):
    """[[name, value, unit], ...]"""
    results = json.loads(printed(program, "bench", suite, "--json", *options))["results"]
    return [[row["name"], row["value"], row["unit"]] for row in results]


def figures(program, suite, turns):
    """{name: {"unit", "samples": value of each turn}}; of `turns`, one list of options for each turn."""
    found = {}
    for options in turns:
        for name, value, unit in bench(program, suite, "--seconds", str(TURN_S), *options):
            found.setdefault(name, {"unit": unit, "samples": []})["samples"].append(value)
    return found


EXHAUSTIVE_FIGURES = ("exhaustive_fault_free_seconds", "exhaustive_one_fault_seconds")
OTHER_FIGURES = ("search_fault_free", "search_faults", "search_blocking", "floor_recipe", "real_client",
                 "real_client_coarse", "real_client_forked")


def only(names):
    return [word for name in names for word in ("--figure", name)]


def explorer(program):
    return figures(program, "explorer", [only(OTHER_FIGURES)] * TURNS + [only(EXHAUSTIVE_FIGURES)])


def strategies(program):
    """{faults: {strategy: executions per second of a processor, of each turn}}"""
    found = {faults: {strategy: [] for strategy in STRATEGIES} for faults in ("none", "all")}
    for _ in range(TURNS):
        for faults, rates in found.items():
            for strategy in STRATEGIES:
                output, used_s = printed_in(program, "hunt", "fair-mutex", "--clients", "3", "--rounds", "1",
                                            "--strategy", strategy, "--faults", faults, "--jobs", "1", "--seed", "7",
                                            "--executions", str(EXECUTIONS), "--json")
                rates[strategy].append(json.loads(output)["executions"] / used_s)
    return found


def exhaustive(program):
    """[[faults, traces, final states, executions, seconds], ...]"""
    rows = []
    for faults in ("none", *ONE_FAULT, ",".join(ONE_FAULT)):
        output, used_s = printed_in(program, "hunt", "fair-mutex", "--clients", "3", "--strategy", "exhaustive",
                                    "--faults", faults, "--fault-budget", "1", "--json")
        result = json.loads(output)
        if not result["exhausted"]:
            sys.exit(f"the search with {faults} is not exhausted")
        rows.append([faults, result["traces"], result["final_states"], result["executions"], used_s])
    return rows


def power(program):
    """The table of docs/bugs.md."""
    return printed(pathlib.Path(program).with_name("power_table"))


@contextlib.contextmanager
def real_server(force_sync):
    """Starts a server with the heap and the compilers of a production server; yields its address."""
    with zookeeper_server.started("-Xmx512m", f"-Dzookeeper.forceSync={'yes' if force_sync else 'no'}") as (_, port):
        zookeeper_server.await_server(port)
        yield f"127.0.0.1:{port}"


class Peer:
    """A program of the folder peers. It stays alive, so that its virtual machine is warm."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def per_second(self, sessions, threads, seconds=TURN_S):
        print(sessions, threads, seconds, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{' '.join(self.process.args)} has ended")
        return float(answer)


@contextlib.contextmanager
def peers(server):
    curator = ("java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-Djava.net.preferIPv4Stack=true",
               "-cp", JARS, str(HERE / "peers/CuratorSpeed.java"), server)
    # Debian's packages belong to Debian's own interpreter.
    kazoo = ("/usr/bin/python3", str(HERE / "peers/kazoo_speed.py"), server)
    with Peer(*curator) as one, Peer(*kazoo) as other:
        for peer in (one, other):
            peer.per_second(1, 1, 2)
            peer.per_second(10, 1, 2)
        yield {"curator": one, "kazoo": other}


def keep(samples, **values):
    for name, value in values.items():
        samples.setdefault(name, []).append(value)


def locks(program, force_sync):
    """{name: value of each turn} of `bench real` and of the peers"""
    samples = {}
    with real_server(force_sync) as server, peers(server) as others:
        for _ in range(TURNS):
            for name, value, _ in bench(program, "real", "--zookeeper", server, "--seconds", str(TURN_S)):
                keep(samples, **{name: value})
            for name, peer in others.items():
                keep(samples, **{f"{name}_uncontended_awaited": peer.per_second(1, 1),
                                 f"{name}_handoff_10_sessions": peer.per_second(10, 1),
                                 f"{name}_handoff_10_waiters_one_session": peer.per_second(1, 10)})
    return samples


def contention(program):
    """{who: {contenders: handoffs/s of each turn}} of sessions that contend for one lock"""
    found = {}
    with real_server(False) as server, peers(server) as others:
        for _ in range(CONTENDER_TURNS):
            for contenders in CONTENDERS:
                figures = {name: value for name, value, _ in
                           bench(program, "real", "--zookeeper", server, "--seconds", "0.5",
                                 "--contenders", str(contenders))}
                turn = {"lockstep": figures[f"handoff_{contenders}_sessions"],
                        "floor": figures[f"floor_handoff_{contenders}_sessions"],
                        **{name: peer.per_second(contenders, 1, 0.5) for name, peer in others.items()}}
                for who, value in turn.items():
                    keep(found.setdefault(who, {}), **{str(contenders): value})
    return found


# The measurements of a part run together.
PARTS = {
    "strategies": strategies,
    "explorer": explorer,
    "fake": lambda program: figures(program, "fake", [()] * TURNS),
    "exhaustive": exhaustive,
    "power": power,
    "quick_disk": lambda program: locks(program, False),
    "forced": lambda program: locks(program, True),
    "contention": contention,
}
