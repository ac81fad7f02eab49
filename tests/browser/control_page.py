#!/usr/bin/env python3
"""control_page.py PROGRAM [--picture FILE]: opens the page of serve's control port in headless
Chromium, light and dark, in frames of 1200 and of 400 pixels, and lets check_control.js use and check
it. Then breaks the page in every way of BROKEN; the check must notice each.

A proxy adds the frames and the check to the page, so that all belong to one site.
"""
import http.client
import http.server
import logging
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

from kazoo.client import KazooClient

HERE = pathlib.Path(__file__).parent
BASE_STYLE = HERE.parents[1] / "fakezk/search/src/report/base.css"
PATIENCE_S = 120
HARNESS = """<!doctype html><meta charset=utf-8><title>Check</title><body data-scheme={scheme}>
<iframe width=1200 height=900 src=/></iframe><iframe width=400 height=900 src=/></iframe>
<script src=/contrast.js></script><script src=/check_control.js></script></body>"""
TRAP = """var problems = [];
addEventListener("error", (event) => problems.push(event.message));
addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));
for (const kind of ["error", "warn"]) console[kind] = (...words) => problems.push(words.join(" "));
"""
BROKEN = [
    ("the tree stays as it is", '    draw("tree", tree, drawTree);\n', ""),
    ("a queue without a holder", 'index === 0 ? badge("good", "holds") : ', ""),
    ("a session is not shown", "sessions.map((each) =>", "sessions.slice(1).map((each) =>"),
    ("watches are not shown", '    draw("watches", watches, drawWatches);\n', ""),
    ("the log stands still", "    log.slice(-kShownRequests)", "    log.slice(0, 2)"),
    ("a button does nothing", 'strike({fault: fault.fault, [field]: value})', "{}"),
    ("a fault has no form", "faults.filter((fault) => !beside(fault))", "faults.slice(0, 1)"),
    ("refusals are not shown", "outcome.hidden = false;", "outcome.hidden = answer.ok;"),
    ("the focus is lost", "if (key) byId", "if (false) byId"),
    ("an error on the console", "});\nkeepRefreshing();", '});\nkeepRefreshing(); console.error("broken");'),
    ("pale text", "--soft: #545d72;", "--soft: #a0a8b8;"),
    ("a page that is too wide", "max-width: 1500px;", "min-width: 1300px;"),
    ("a button without a name", 'aria-pressed="false">Pause<', 'aria-pressed="false"><'),
]


class Proxy(http.server.ThreadingHTTPServer):
    def __init__(self, control):
        super().__init__(("127.0.0.1", 0), Handler)
        self.control = control
        self.scheme = "light"
        self.change = ("", "")
        self.results = queue.Queue()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def own(self):
        """Returns the files that the control port does not have."""
        if self.path == "/harness":
            return "text/html", HARNESS.format(scheme=self.server.scheme)
        if self.path == "/trap.js":
            return "text/javascript", TRAP
        if self.path in ("/check_control.js", "/contrast.js"):
            return "text/javascript", (HERE / self.path[1:]).read_text()
        return None, None

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", len(body))
        self.end_headers()
        self.wfile.write(body)

    def forward(self, body):
        there = http.client.HTTPConnection(self.server.control)
        names = ("Host", "Origin", "Content-Type")
        headers = {name: self.headers[name] for name in names if name in self.headers}
        there.request(self.command, self.path, body, headers)
        answer = there.getresponse()
        text = answer.read().decode()
        there.close()
        if self.path == "/":
            text = text.replace("<head>", '<head><script src="/trap.js"></script>')
        if self.path in ("/", "/script.js", "/style.css"):
            text = text.replace(*self.server.change, 1)
        kept = ("Content-Type", "Content-Security-Policy")
        headers = [(name, value) for name, value in answer.getheaders() if name in kept]
        self.answer(answer.status, headers, text.encode())

    def do_GET(self):
        kind, text = self.own()
        if kind:
            self.answer(200, [("Content-Type", kind)], text.encode())
        else:
            self.forward(None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/result":
            self.server.results.put(body.decode())
            self.answer(200, [], b"")
        else:
            self.forward(body)


class Scene:
    """Three servers, a lock with a holder and a waiter, and watches."""

    def __init__(self, program):
        self.serve = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--servers", "3", "--control",
             "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        lines = [self.serve.stdout.readline().split()[-1] for _ in range(4)]
        self.control = lines.pop()
        self.clients = [KazooClient(address, timeout=30) for address in lines[:2]]
        for client in self.clients:
            client.start()
        self.locks = [client.Lock("/locks/nightly", name)
                      for client, name in zip(self.clients, ("Ann", "Bob"))]
        self.locks[0].acquire()
        threading.Thread(target=self.take_turn, daemon=True).start()
        while len(self.locks[1].contenders()) < 2:
            pass

    def take_turn(self):
        try:
            self.locks[1].acquire()
        except Exception:  # The scene ends.
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.stop()
            client.close()
        self.serve.terminate()
        self.serve.wait()


def chromium(folder, scheme, *more):
    preferred = "1" if scheme == "light" else "0"
    return ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
            f"--blink-settings=preferredColorScheme={preferred}", *more]


def check(program, scheme, change=("", "")):
    """Returns the problems that check_control.js finds."""
    with Scene(program) as scene, Proxy(scene.control) as proxy, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        proxy.scheme, proxy.change = scheme, change
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_port}/harness"
        browser = subprocess.Popen(
            chromium(folder, scheme, "--window-size=1300,900", "--remote-debugging-port=0", address),
            stderr=subprocess.DEVNULL)
        try:
            return proxy.results.get(timeout=PATIENCE_S)
        except queue.Empty:
            return "WRONG the browser says nothing"
        finally:
            browser.terminate()
            browser.wait()
            proxy.shutdown()


def picture(program, scheme, width, file):
    with Scene(program) as scene, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        subprocess.run(chromium(folder, scheme, f"--window-size={width},1800", "--hide-scrollbars",
                                "--virtual-time-budget=3000", f"--screenshot={file}",
                                f"http://{scene.control}/"), check=True, timeout=PATIENCE_S,
                       stderr=subprocess.DEVNULL)


def main():
    logging.disable()  # The scene loses connections.
    program = sys.argv[1]
    if sys.argv[2:3] == ["--picture"]:
        picture(program, sys.argv[4], sys.argv[5], sys.argv[3])
        return
    for scheme in ("light", "dark"):
        result = check(program, scheme)
        if result != "ALL CHECKED":
            sys.exit(f"FAILED: {scheme}: {result}")
        print(f"{scheme}: tree, sessions, watches, queues, log, every fault, names, contrast, layout")
    folder = HERE.parents[1] / "property/service/src/page"
    files = "".join(file.read_text() for file in (*sorted(folder.iterdir()), BASE_STYLE))
    for words, before, after in BROKEN:
        if before not in files:
            sys.exit(f"FAILED: nothing was broken: {words}")
        result = check(program, "light", (before, after))
        if not result.startswith("WRONG"):
            sys.exit(f"FAILED: not noticed: {words}: {result}")
        print(f"noticed: {words}: {result[6:].split(' | ')[0]}")


main()
