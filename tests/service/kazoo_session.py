"""kazoo_session.py HOSTS: runs kazoo against these servers; prints nothing if all is well."""
import queue
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError, NoNodeError

HOSTS = sys.argv[1]


def started(**options):
    client = KazooClient(HOSTS, timeout=10, **options)
    client.start(timeout=10)
    return client


def reads_and_writes(client):
    events = queue.Queue()
    assert client.get_children("/", watch=events.put) == ["zookeeper"]
    assert client.create("/app", b"one") == "/app"
    event = events.get(timeout=10)
    assert (event.type, event.path) == ("CHILD", "/"), event
    try:
        client.create("/app")
        raise AssertionError("created twice")
    except NodeExistsError:
        pass
    assert client.create("/app/n-", sequence=True) == "/app/n-0000000000"
    data, stat = client.get("/app", watch=events.put)
    assert (data, stat.version, stat.numChildren) == (b"one", 0, 1), stat
    assert client.set("/app", b"two").version == 1
    assert events.get(timeout=10).type == "CHANGED"
    assert client.sync("/app") == "/app"
    transaction = client.transaction()
    transaction.check("/app", 1)
    transaction.create("/app/t", b"x")
    transaction.delete("/none")
    assert isinstance(transaction.commit()[2], NoNodeError)
    client.delete("/app", recursive=True)
    assert client.exists("/app") is None


def loses_its_ephemerals_with_its_session(client):
    other = started()
    events = queue.Queue()
    other.create("/mine", ephemeral=True)
    assert client.exists("/mine", watch=events.put).owner_session_id == other.client_id[0]
    other.stop()
    assert events.get(timeout=10).type == "DELETED"


def comes_back(client):
    client.create("/kept", ephemeral=True)
    session, password = client.client_id
    other = started(client_id=(session, password))
    assert other.client_id[0] == session
    assert other.exists("/kept") is not None
    other.stop()
    forged = started(client_id=(session, b"\0" * 15 + b"\1"))
    assert forged.client_id[0] != session
    forged.stop()


def expires():
    """Makes a client silent: its socket stays open, but sends no pings."""
    import socket
    import struct

    host, port = HOSTS.split(",")[0].split(":")
    silent = socket.create_connection((host, int(port)))
    silent.settimeout(60)
    greeting = struct.pack(">iqiqi16s?", 0, 0, 4000, 0, 16, b"", False)
    silent.sendall(struct.pack(">i", len(greeting)) + greeting)
    while silent.recv(4096):
        pass


with_session = started()
reads_and_writes(with_session)
loses_its_ephemerals_with_its_session(with_session)
comes_back(with_session)
with_session.stop()
expires()
