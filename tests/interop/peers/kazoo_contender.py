"""Contenders that use kazoo's Lock, each with its own thread and session. Commands and answers are those
of CuratorContender.java. "mutex" knows the contenders of the other library, "broken-mutex" does not."""
import queue
import sys
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout
from kazoo.protocol.states import KazooState
from kazoo.recipe.lock import Lock

PATTERNS = {"mutex": ["-lock-"], "broken-mutex": []}
output = threading.Lock()


class Contender(threading.Thread):
    def __init__(self, number):
        super().__init__(daemon=True)
        self.number = number
        self.commands = queue.Queue()
        self.lost = threading.Event()
        self.client = None
        self.locks = {}
        self.held = None
        self.name_held = None
        self.start()

    def run(self):
        while True:
            command, *arguments = self.commands.get()
            try:
                answer = getattr(self, "do_" + command.replace("-", "_"))(*arguments)
            except Exception as problem:  # The test judges every exception.
                answer = f"failed {problem!r}"
            with output:
                print(self.number, answer, flush=True)

    def do_open(self, server, timeout_ms):
        self.client = KazooClient(server, timeout=int(timeout_ms) / 1000)
        self.client.add_listener(self.session_changed)
        self.client.start()
        session, password = self.client.client_id
        return f"opened {session} {password.hex()}"

    def session_changed(self, state):
        if state == KazooState.LOST:
            self.lost.set()

    def do_lock(self, patience_ms, recipe, path):
        try:
            self.acquire(recipe, path, None if int(patience_ms) < 0 else int(patience_ms) / 1000)
        except LockTimeout:
            return "refused"
        return f"held {self.name_held}"

    def acquire(self, recipe, path, patience):
        if (recipe, path) not in self.locks:
            self.locks[recipe, path] = Lock(self.client, path, extra_lock_patterns=PATTERNS[recipe])
        self.held = self.locks[recipe, path]
        if not self.held.acquire(timeout=patience):
            raise RuntimeError("acquire() has returned False")
        self.name_held = self.held.node

    def bear_witness(self, witness, what):
        self.client.create(f"{witness}/{self.name_held}.{what}")
        return "written"

    def do_in(self, witness):
        return self.bear_witness(witness, "in")

    def do_out(self, witness):
        return self.bear_witness(witness, "out")

    def do_unlock(self):
        self.held.release()
        return "released"

    def do_rounds(self, count, witness, recipe, path):
        for _ in range(int(count)):
            self.acquire(recipe, path, None)
            self.bear_witness(witness, "in")
            self.bear_witness(witness, "out")
            self.held.release()
        return "done"

    def do_await_loss(self):
        self.lost.wait()
        return "lost"


contenders = {}
for line in sys.stdin:
    number, *words = line.split()
    if number not in contenders:
        contenders[number] = Contender(number)
    contenders[number].commands.put(words)
