"""Starts real servers of Debian's package zookeeper for the tests' scripts."""

import contextlib
import pathlib
import socket
import subprocess
import tempfile
import time

JARS = "/usr/share/java/slf4j-simple.jar:/usr/share/java/zookeeper.jar"
START_S = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serves(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as asked:
        asked.sendall(b"srvr")
        return b"Mode" in asked.makefile("rb").read()
    return False


def await_server(port):
    end = time.monotonic() + START_S
    while not serves(port):
        if time.monotonic() > end:
            raise SystemExit("the ZooKeeper server does not start")
        time.sleep(0.05)


@contextlib.contextmanager
def started(*java_options, settings=""):
    """Starts a server; yields its process and its port, at once."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "zoo.cfg"
        file.write_text(f"dataDir={folder}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                        f"maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n{settings}")
        command = ["java", *java_options, "-Djava.net.preferIPv4Stack=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                   "-cp", JARS, "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(file)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield server, port
        finally:
            server.kill()
            server.wait()
