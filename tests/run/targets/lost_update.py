# Two threads count together; each leaves the lock between its read and its write.
import sys
import threading

total = 0
lock = threading.Lock()


def count():
    global total
    for _ in range(2):
        with lock:
            seen = total
        with lock:
            total = seen + 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(total != 4)
