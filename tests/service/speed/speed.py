#!/usr/bin/env python3
"""speed.py [--check] PROGRAM: compares the speed of `PROGRAM serve` with a real server on the same machine.

Both serve the same requests of the same client; the real server does not force its transaction log to the disk, the other has
none. Measures the time from exec until a session is open, the memory of the idle process, create+list+delete one after another,
and creates in flight together: with frames made here, which cost the client almost nothing, and with ZooKeeper's C client
(c_client_speed, beside PROGRAM), whose own work takes most of the time with such a fast server. --check: exit status 1 if a
figure is worse than docs/serve.md says."""
import argparse
import contextlib
import pathlib
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import zookeeper_server  # noqa: E402

JAVA_OPTIONS = ("-Xms32m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no")
STARTS = 15
CYCLES = 1000
IN_FLIGHT = 10_000
ROUNDS = 3
LONGEST_START_S = 60
SILENCE_S, PATIENCE_S = 0.2, 30
MOST_START_MS, MOST_IDLE_MIB, LEAST_RATIO, LEAST_C_CLIENT_RATIO = 20, 10, 3, 1.5
RATES = ("create, list and delete in turn", "creates in flight together")
ACL = struct.pack(">ii", 1, 31) + struct.pack(">i", 5) + b"world" + struct.pack(">i", 6) + b"anyone"
CREATE, DELETE, LIST = 1, 2, 8


def text(value):
    return struct.pack(">i", len(value)) + value


def create(path):
    return CREATE, text(path) + text(b"data") + ACL + struct.pack(">i", 0)


def delete(path):
    return DELETE, text(path) + struct.pack(">i", -1)


def list_children(path):
    return LIST, text(path) + b"\0"


class Session:
    def __init__(self, port):
        # A connection that a server accepts while it still starts may stay silent forever.
        self.socket = socket.create_connection(("127.0.0.1", port), SILENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb", buffering=1 << 16)
        self.xid = 0
        greeting = struct.pack(">iqiq", 0, 0, 30_000, 0) + text(bytes(16)) + b"\0"
        self.socket.sendall(text(greeting))
        self.frame()
        self.socket.settimeout(PATIENCE_S)

    def frame(self):
        length = self.stream.read(4)
        if len(length) < 4:
            raise ConnectionError("the server has closed the connection")
        return self.stream.read(struct.unpack(">i", length)[0])

    def encoded(self, request):
        self.xid += 1
        return text(struct.pack(">ii", self.xid, request[0]) + request[1])

    def reply(self):
        error = struct.unpack_from(">i", self.frame(), 12)[0]
        if error != 0:
            raise RuntimeError(f"the server answers {error}")

    def ask(self, request):
        self.socket.sendall(self.encoded(request))
        self.reply()


def opened(port):
    """Returns a session as soon as one can be opened."""
    end = time.monotonic() + LONGEST_START_S
    while True:
        try:
            return Session(port)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.001)


@contextlib.contextmanager
def served(program):
    """Returns the process, its port, and the milliseconds until it served."""
    began = time.monotonic()
    process = subprocess.Popen([program, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().rpartition(":")[2])
        opened(port)
        yield process, port, (time.monotonic() - began) * 1000
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def real():
    began = time.monotonic()
    with zookeeper_server.started(*JAVA_OPTIONS) as (process, port):
        opened(port)
        yield process, port, (time.monotonic() - began) * 1000


def resident_mib(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the process has no memory")


def cycles_per_s(session, name):
    parent = b"/" + name
    session.ask(create(parent))
    began = time.monotonic()
    for _ in range(CYCLES):
        session.ask(create(parent + b"/a"))
        session.ask(list_children(parent))
        session.ask(delete(parent + b"/a"))
    return CYCLES / (time.monotonic() - began)


def creates_per_s(session, name):
    parent = b"/" + name
    session.ask(create(parent))
    batch = 100
    requests = [session.encoded(create(parent + b"/%d" % number)) for number in range(IN_FLIGHT)]
    began = time.monotonic()
    ahead = 0
    for first in range(0, IN_FLIGHT, batch):
        session.socket.sendall(b"".join(requests[first:first + batch]))
        ahead += batch
        while ahead > 10 * batch:
            session.reply()
            ahead -= 1
    for _ in range(ahead):
        session.reply()
    return IN_FLIGHT / (time.monotonic() - began)


def best_in_turns(ports, rates):
    """[[rate, ...] of each port]: the best of several rounds, in which the servers take turns, because other programs
    disturb some of them. `rates` is called with a port and the number of the round."""
    rounds = [[rates(port, number) for port in ports] for number in range(ROUNDS)]
    return [[max(of_rate) for of_rate in zip(*of_port)] for of_port in zip(*rounds)]


def with_frames(port, number):
    session = Session(port)
    return cycles_per_s(session, b"t-%d" % number), creates_per_s(session, b"f-%d" % number)


def with_c_client(program):
    def rates(port, number):
        run = subprocess.run([program, f"127.0.0.1:{port}", f"/c-{number}"], stdout=subprocess.PIPE, text=True, check=True)
        return [float(word) for word in run.stdout.split()]
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    bad = []

    def figure(name, value, real_value, unit, good):
        print(f"{name}: {value:.1f} {unit}, the real server {real_value:.1f}" + ("" if good else "  <- TOO SLOW"))
        if not good:
            bad.append(name)

    starts = []
    for _ in range(STARTS):
        with served(arguments.program) as (process, _, start_ms):
            starts.append(start_ms)
            idle_mib = resident_mib(process)
    with served(arguments.program) as (_, port, _), real() as (java, real_port, real_start_ms):
        start_ms = min(starts)
        figure("ready after exec", start_ms, real_start_ms, "ms", start_ms < MOST_START_MS)
        figure("memory when idle", idle_mib, resident_mib(java), "MiB", idle_mib < MOST_IDLE_MIB)
        c_client = with_c_client(pathlib.Path(arguments.program).with_name("c_client_speed"))
        for client, rates, least in (("", with_frames, LEAST_RATIO), (", C client", c_client, LEAST_C_CLIENT_RATIO)):
            for name, ours, theirs in zip(RATES, *best_in_turns((port, real_port), rates)):
                figure(name + client, ours, theirs, f"per second, {ours / theirs:.1f} times as many", ours >= least * theirs)
    return 1 if arguments.check and bad else 0


if __name__ == "__main__":
    sys.exit(main())
