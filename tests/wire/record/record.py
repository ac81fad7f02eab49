#!/usr/bin/env python3
"""record.py FOLDER: records the frames between ZooKeeper's clients and a real server.

Starts the server of the Debian package zookeeper (3.8.0) behind a proxy, lets c_client.c (libzookeeper_mt)
and JavaClient.java (zookeeper.jar) talk to it, and writes c_client.txt and java_client.txt. Each line has
one frame: the number of the connection, > for the client's frames and < for the server's, and the bytes
without the length in hexadecimal. Pings are left out. When a client prints "cut", the proxy closes its
connection, and the client reconnects."""
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "support"))

import zookeeper_server  # noqa: E402

JARS = "/usr/share/java/slf4j-nop.jar:/usr/share/java/zookeeper.jar"


class Proxy(threading.Thread):
    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lines, self.lock, self.open = [], threading.Lock(), []
        self.start()

    def run(self):
        for number in range(1, 1000):
            client = self.listener.accept()[0]
            server = socket.create_connection(("127.0.0.1", self.server))
            self.open = [client, server]
            for source, sink, way in ((client, server, ">"), (server, client, "<")):
                threading.Thread(target=self.pass_on, args=(number, source, sink, way), daemon=True).start()

    def pass_on(self, number, source, sink, way):
        held = b""
        try:
            while data := source.recv(65536):
                held += data
                while len(held) >= 4 and len(held) >= 4 + int.from_bytes(held[:4], "big"):
                    size = 4 + int.from_bytes(held[:4], "big")
                    frame, held = held[4:size], held[size:]
                    with self.lock:
                        if frame[:4] != b"\xff\xff\xff\xfe":  # The xid of pings.
                            self.lines.append(f"{number} {way} {frame.hex()}")
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        for end in self.open:
            end.shutdown(socket.SHUT_RDWR)


def record(command, server, file):
    proxy = Proxy(server)
    with subprocess.Popen(command + [f"127.0.0.1:{proxy.port}"], stdout=subprocess.PIPE, text=True) as client:
        for line in client.stdout:
            print(line, end="")
            if line == "cut\n":
                proxy.cut()
    assert client.returncode == 0, client.returncode
    time.sleep(0.2)  # For the server's last frame.
    file.write_text("\n".join(proxy.lines) + "\n")
    print(file, len(proxy.lines), "frames")


def main(folder):
    with (tempfile.TemporaryDirectory() as scratch,
          zookeeper_server.started("-Dzookeeper.extendedTypesEnabled=true", settings="tickTime=1000\n") as (_, port)):
        c_client = pathlib.Path(scratch) / "c_client"
        subprocess.run(["gcc", "-DTHREADED", HERE / "c_client.c", "-lzookeeper_mt", "-o", c_client], check=True)
        zookeeper_server.await_server(port)
        record([c_client], port, folder / "c_client.txt")
        record(["java", "-cp", JARS, HERE / "JavaClient.java"], port, folder / "java_client.txt")


main(pathlib.Path(sys.argv[1]))
