# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium by its debugging pipe: a page, what it logged and asked for, and its keys."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 300  # the machine may be stopped under us


def program():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def high_pipe():
    """Ends that are no 3 and no 4: those the browser takes."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="assay-browser-")
        asked, self.to = high_pipe()
        self.answers, told = high_pipe()

        def wire():
            os.dup2(asked, 3)
            os.dup2(told, 4)
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [program(), "--headless", "--remote-debugging-pipe", "--disable-gpu",
             "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
             "--disable-dev-shm-usage", f"--user-data-dir={self.folder}", *root, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=wire, pass_fds=(3, 4))
        os.close(asked)
        os.close(told)
        self.rest, self.number, self.events = b"", 0, []
        targets = self.ask("Target.getTargets")["targetInfos"]
        target = next(each for each in targets if each["type"] == "page")["targetId"]
        self.session, self.has_scripts = None, True
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "DOM", "Accessibility"):
            self.ask(domain + ".enable")

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        for end in (self.to, self.answers):
            os.close(end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, until - time.monotonic()))
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def open(self, path, width=1280, height=900):
        self.size(width, height)
        self.events.clear()
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(each.get("method") == "Page.loadEventFired" for each in self.events):
            self.events.append(self.message())
        self.settle()

    def settle(self):
        """Two frames on: what a change of size or colours sets off has been drawn."""
        if not self.has_scripts:
            return
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
                   "() => setTimeout(() => done(1), 30))))")

    def size(self, width, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def media(self, media="", **features):
        self.ask("Emulation.setEmulatedMedia", media=media, features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])
        self.settle()

    def scripts(self, are_on):
        self.has_scripts = are_on
        self.ask("Emulation.setScriptExecutionDisabled", value=not are_on)

    def value(self, expression):
        got = self.ask("Runtime.evaluate", expression=expression, returnByValue=True,
                       awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def key(self, name, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                     **({"text": text} if text and kind == "keyDown" else {}))

    def picture(self, path, height=None):
        if height:
            self.size(self.value("innerWidth"), height)
            self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def complaints(self):
        """What a page must not do: log an error, throw, or ask for anything but itself."""
        out = []
        for each in self.events:
            method, about = each.get("method"), each.get("params", {})
            if method == "Runtime.exceptionThrown":
                out.append("threw: " + str(about["exceptionDetails"].get("exception", {})
                                           .get("description", about["exceptionDetails"]["text"])))
            elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
                out.append("console: " + str(about["args"]))
            elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                out.append("log: " + about["entry"]["text"])
            elif method == "Network.requestWillBeSent" and about.get("type") != "Document":
                out.append("asked for: " + about["request"]["url"][:200])
        return out

    def overflow(self):
        """Pixels by which the page is wider than its window."""
        return self.value("document.documentElement.scrollWidth - innerWidth")
