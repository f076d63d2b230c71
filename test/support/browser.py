"""Chromium, driven over its debugging protocol by a pipe: pages are opened, keys pressed, and what stands
in the page is asked for. No package is needed."""

import base64
import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {
    "Enter": {"code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Tab": {"code": "Tab", "windowsVirtualKeyCode": 9},
    "Escape": {"code": "Escape", "windowsVirtualKeyCode": 27},
    " ": {"code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
    "ArrowDown": {"code": "ArrowDown", "windowsVirtualKeyCode": 40},
}


def program():
    return next((found for found in map(shutil.which, BROWSERS) if found), None)


def remove(folder, seconds=20):
    """A browser's children outlive it a little, and write to its folder meanwhile."""
    deadline = time.monotonic() + seconds
    while os.path.exists(folder):
        try:
            shutil.rmtree(folder)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def folder_of_browser():
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        remove(folder)


class Browser:
    """One window. Everything that fails in a page is kept in `wrong`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        to_browser, self.to = os.pipe()
        self.of, from_browser = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]
        options += [
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.folder}",
        ]
        # It reads from descriptor 3 and writes to 4.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_browser, from_browser)]
        self.process = subprocess.Popen(
            [program(), *options, "about:blank"],
            preexec_fn=lambda: [os.dup2(fd, at) for fd, at in zip(high, (3, 4), strict=True)],
            pass_fds=(3, 4),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | {"TMPDIR": self.folder},
        )
        for fd in (to_browser, from_browser, *high):
            os.close(fd)
        self.wrong, self.held, self.number, self.session = [], b"", 0, None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)
        with contextlib.suppress(ProcessLookupError):  # its children
            os.killpg(self.process.pid, signal.SIGKILL)
        os.close(self.to)
        os.close(self.of)
        remove(self.folder)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.next_message(deadline)
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]
            self.note(answer)

    def next_message(self, deadline):
        while b"\0" not in self.held:
            ready, _, _ = select.select([self.of], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self.of, 1 << 16)
            assert more, "the browser has ended"
            self.held += more
        message, self.held = self.held.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        if event.get("method") == "Runtime.exceptionThrown":
            self.wrong.append(
                event["params"]["exceptionDetails"].get("exception", {}).get("description", "?")
            )
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.wrong.append(
                f"{event['params']['entry']['text']} {event['params']['entry'].get('url', '')}"
            )

    # --- what a user does

    def window(self, width, height, dark=False, reduced=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        features.append(
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}
        )
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def press(self, key, shift=False):
        how = KEYS.get(key, {"text": key, "code": f"Key{key.upper()}"})
        modifiers = 8 if shift else 0
        kind = "keyDown" if "text" in how else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **how)
        self.call(
            "Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers, code=how["code"]
        )

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, look):
        """On the middle of what the script finds."""
        place = self.middle(look)
        self.mouse("mousePressed", place)
        self.mouse("mouseReleased", place)

    def middle(self, look):
        """Where it is, when it is in sight and nothing moves it or covers it any more."""
        place, before = self.ask(self.MIDDLE.format(look)), None
        deadline = time.monotonic() + 30
        while place != before or not self.ask(self.HIT.format(look, *place)):
            assert time.monotonic() < deadline, f"it cannot be clicked: {look}"
            place, before = self.ask(self.MIDDLE.format(look)), place
        return place

    MIDDLE = (
        "(() => {{ const e = {}; e.scrollIntoView({{block: 'center'}});"
        " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
    )
    HIT = "({}).contains(document.elementFromPoint({}, {}))"

    def mouse(self, kind, place):
        x, y = place
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tab_to(self, name, most=200):
        """By the keyboard alone, to the element of this name."""
        for _ in range(most):
            self.press("Tab")
            if self.focused() == name:
                return
        raise AssertionError(f"Tab does not come to {name!r}")

    # --- what a user sees

    def ask(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, f"{script}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def text(self, identity):
        return self.ask(f"document.getElementById({identity!r}).innerText")

    def focused(self):
        return self.ask(
            "(() => { const e = document.activeElement; return e.getAttribute('aria-label') ||"
            " e.labels?.[0]?.innerText.trim() || e.innerText; })()"
        )

    def wait(self, what, script, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if value := self.ask(script):
                return value
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {what}; {self.wrong}")

    def names(self):
        """Role and name of everything that can be acted on, as assistive programs get them."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        wanted = ("button", "link", "textbox", "searchbox", "combobox", "dialog", "image")
        told = [
            (n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n["ignored"]
        ]
        return [(role, name) for role, name in told if role in wanted]

    def picture(self, file, whole=False):
        """`whole`: as long as the page is."""
        more = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            more = {"captureBeyondViewport": True, "clip": clip}
        data = self.call("Page.captureScreenshot", format="png", **more)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))


# Of every text that is seen: its contrast with what lies behind it (WCAG 2), if that is less than 4.5.
POOR_CONTRAST = """
(() => {
  const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const rgba = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgba(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.disabled || e.tagName === 'OPTION') continue;
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    const name = `${e.tagName} ${e.className} ${e.innerText.slice(0, 20)}`;
    if (contrast < 4.5) poor.push(`${name}: ${contrast.toFixed(2)}`);
  }
  return poor;
})()
"""
