"""A plugin of pytest: kazoo's own tests meet the servers at LOCKSTEP_SERVERS instead of a cluster of their own.

They can neither start nor stop these, so tests that do fail with an error that says so."""
import os

import kazoo.testing.harness


class Server:
    running = True

    def __init__(self, address):
        self.address = address

    def __getattr__(self, what):
        raise RuntimeError(f"no control over {self.address}: {what}")


CLUSTER = [Server(address) for address in os.environ["LOCKSTEP_SERVERS"].split(",")]
os.environ.setdefault("ZOOKEEPER_VERSION", "3.8.0")
kazoo.testing.harness.get_global_cluster = lambda: CLUSTER
