#!/usr/bin/env python3
"""Shows what a follower forgets if it is killed right after it was sent missing transactions (DIFF).

Z119 and Z120 of docs/zookeeper-semantics.md.

diff_sync.py [--snapshots | --twice]

Uses three servers of the installed ZooKeeper. One is stopped while creates and deletes are acknowledged.
It starts again, and is killed with the leader as soon as it has written the new epoch; then it starts
with the third server. With 3.8.0 that undoes acknowledged writes, and the exit status is 0 if it did.
--snapshots: uses zookeeper.forceSnapshotSync=true, with which nothing may be undone. --twice: kills and
restarts only the leader; the exit status is 0 if the follower's log then contains a transaction twice.
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

CREATES, DELETES, SIZE, LIMIT_S = 8000, 100, 2000, 90
CREATE, DELETE, EXISTS, SYNC, NO_NODE = 1, 2, 3, 9, -101
JAVA = ['java', '-Xms64m', '-Xmx400m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1',
        '-Dzookeeper.jmx.log4j.disable=true', '-Dzookeeper.commitLogCount=100000',
        '-cp', '/usr/share/java/slf4j-simple.jar:/usr/share/java/zookeeper.jar']
MAIN = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
IDS = (1, 2, 3)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(('127.0.0.1', 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, condition, pause=0.05):
    end = time.monotonic() + LIMIT_S
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit(f'this does not happen: {what}')
        time.sleep(pause)
    return value


def int32(number):
    return struct.pack('>i', number)


def buffer_of(data):
    return int32(len(data)) + data


class Connection:
    """A session that sends requests without waiting for the replies."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), LIMIT_S)
        self.send(struct.pack('>iqiq', 0, 0, 30000, 0) + buffer_of(bytes(16)) + b'\0')
        self.receive()
        self.sent = 0

    def send(self, packet):
        self.socket.sendall(buffer_of(packet))

    def exactly(self, size):
        data = b''
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise SystemExit('a server has ended the connection')
            data += part
        return data

    def receive(self):
        return self.exactly(struct.unpack('>i', self.exactly(4))[0])

    def ask(self, operation, path, rest=b''):
        self.sent += 1
        self.send(struct.pack('>ii', self.sent, operation) + buffer_of(path.encode()) + rest)

    def create(self, path, data=b''):
        anyone = int32(1) + int32(31) + buffer_of(b'world') + buffer_of(b'anyone')
        self.ask(CREATE, path, buffer_of(data) + anyone + int32(0))

    def replies(self, count):
        """Returns the error codes of that many replies."""
        errors = []
        while len(errors) < count:
            number, _, error = struct.unpack('>iqi', self.receive()[:16])
            if number > 0:
                errors.append(error)
        return errors

    def done(self, count):
        errors = set(self.replies(count))
        if errors != {0}:
            raise SystemExit(f'requests fail with {errors}')

    def sync(self):
        self.ask(SYNC, '/')
        self.done(1)

    def exists(self, path):
        self.ask(EXISTS, path, b'\0')
        return self.replies(1) != [NO_NODE]


class Ensemble:
    def __init__(self, folder, options):
        self.folder, self.options, self.processes = folder, options, {}
        self.ports = free_ports(9)
        members = ''.join(f'server.{i}=127.0.0.1:{self.ports[2 + i]}:{self.ports[5 + i]}\n'
                          for i in IDS)
        for i in IDS:
            os.makedirs(f'{folder}/{i}/data')
            with open(f'{folder}/{i}/data/myid', 'w') as file:
                file.write(f'{i}\n')
            with open(f'{folder}/{i}/zoo.cfg', 'w') as file:
                file.write(f'tickTime=200\ninitLimit=150\nsyncLimit=100\n{members}'
                           f'dataDir={folder}/{i}/data\nclientPort={self.ports[i - 1]}\n'
                           'admin.enableServer=false\n4lw.commands.whitelist=*\n')

    def start(self, *servers):
        for i in servers:
            with open(f'{self.folder}/{i}/log', 'a') as log:
                self.processes[i] = subprocess.Popen(
                    JAVA + self.options + [MAIN, f'{self.folder}/{i}/zoo.cfg'],
                    stdout=log, stderr=log)

    def kill(self, *servers):
        for i in servers:
            self.processes[i].kill()
            self.processes[i].wait()

    def connect(self, server):
        return Connection(self.ports[server - 1])

    def mode(self, server):
        try:
            with socket.create_connection(('127.0.0.1', self.ports[server - 1]), 1) as asked:
                asked.sendall(b'srvr')
                answer = asked.makefile().read()
        except OSError:
            return ''
        return answer.partition('Mode: ')[2].partition('\n')[0]

    def leader_of(self, *servers):
        def leader():
            modes = {self.mode(i): i for i in servers}
            return '' not in modes and modes.get('leader')
        return wait_for('a quorum', leader)

    def epoch(self, server):
        try:
            with open(f'{self.folder}/{server}/data/version-2/currentEpoch') as file:
                return file.read()
        except OSError:
            return ''

    def logged_twice(self, server):
        """Returns the places where a transaction log of the server steps back to an earlier zxid."""
        folder, back = f'{self.folder}/{server}/data/version-2', []
        for name in os.listdir(folder):
            if not name.startswith('log.'):
                continue
            with open(f'{folder}/{name}', 'rb') as file:
                data, at, last = file.read(), 16, 0
            while at + 28 < len(data):
                size, = struct.unpack('>i', data[at + 8:at + 12])
                if size <= 0:
                    break
                zxid, = struct.unpack('>q', data[at + 24:at + 32])
                if zxid <= last:
                    back.append(f'from {last:#x} to {zxid:#x}')
                last, at = zxid, at + 12 + size + 1
        return back


def fall_behind(ensemble, late, leader):
    """Makes `late` miss acknowledged transactions."""
    writer = ensemble.connect(leader)
    for i in range(DELETES):
        writer.create(f'/deleted-{i}')
    writer.done(DELETES)
    ensemble.connect(late).sync()
    ensemble.kill(late)
    for i in range(DELETES):
        writer.ask(DELETE, f'/deleted-{i}', int32(-1))
    writer.done(DELETES)
    for i in range(CREATES):
        writer.create(f'/created-{i}', bytes(SIZE))
        if i % 100 == 99:
            writer.done(100)


def undone(ensemble, server):
    reader = ensemble.connect(server)
    reader.sync()
    missing = sum(not reader.exists(f'/created-{i}') for i in range(CREATES))
    back = sum(reader.exists(f'/deleted-{i}') for i in range(DELETES))
    print(f'server {server}: {missing} of {CREATES} acknowledged creates and {back} of {DELETES} '
          'acknowledged deletes are undone', flush=True)
    return missing + back


def show(ensemble, twice):
    ensemble.start(*IDS)
    leader = ensemble.leader_of(*IDS)
    late, third = (i for i in IDS if i != leader)
    fall_behind(ensemble, late, leader)
    ensemble.kill(leader, third)
    old = ensemble.epoch(late)
    ensemble.start(leader, late)
    wait_for('a new epoch', lambda: ensemble.epoch(late) not in (old, ''), pause=0.0005)
    if twice:
        ensemble.kill(leader)
        ensemble.start(leader)
        ensemble.leader_of(leader, late)
        ensemble.connect(late).sync()
        back = ensemble.logged_twice(late)
        print(f'the log of server {late} goes back {len(back)} times:', *back)
        return len(back)
    ensemble.kill(leader, late)
    ensemble.start(late, third)
    ensemble.leader_of(late, third)
    count = undone(ensemble, third)
    ensemble.start(leader)
    ensemble.leader_of(*IDS)
    return count + undone(ensemble, leader)


def main():
    if sys.argv[1:] not in ([], ['--snapshots'], ['--twice']):
        raise SystemExit(__doc__)
    snapshots = '--snapshots' in sys.argv
    options = ['-Dzookeeper.forceSnapshotSync=true'] if snapshots else []
    with tempfile.TemporaryDirectory(prefix='lockstep-diff-sync-') as folder:
        ensemble = Ensemble(folder, options)
        try:
            count = show(ensemble, '--twice' in sys.argv)
        finally:
            ensemble.kill(*ensemble.processes)
    raise SystemExit((count > 0) == snapshots)


if __name__ == '__main__':
    main()
