"""Measures the speed of kazoo's Lock; arguments, questions and answers are those of CuratorSpeed.java."""
import os
import sys
import threading
import time

from kazoo.client import KazooClient

sessions = []


def session(number):
    while len(sessions) <= number:
        client = KazooClient(sys.argv[1], timeout=30)
        client.start()
        sessions.append(client)
    return sessions[number]


class Contenders:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.inside = 0
        self.held = 0

    def contend(self, client):
        lock = client.Lock("/kazoo-speed/lock")
        while time.monotonic() < self.end:
            lock.acquire()
            self.inside += 1
            if self.inside != 1:
                print("two hold at once", file=sys.stderr)
                os._exit(1)
            time.sleep(0)  # Gives way to a contender that should not hold.
            self.inside -= 1
            self.held += 1
            lock.release()


def measure(used, threads, seconds):
    session(used - 1)
    start = time.monotonic()
    contenders = Contenders(seconds)
    running = [threading.Thread(target=contenders.contend, args=(session(i % used),))
               for i in range(used * threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return contenders.held / (time.monotonic() - start)


for line in sys.stdin:
    words = line.split()
    print(measure(int(words[0]), int(words[1]), float(words[2])), flush=True)
os._exit(0)  # Does not wait for the sessions' threads.
