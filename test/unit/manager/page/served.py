"""The console's server for its tests, and what it answers to any client over HTTP."""

import http.client
import json
import re
import subprocess
import urllib.error
import urllib.request

MOST_BYTES = 200_000


class Server:
    """Over a state made by hand; it prints what the page has asked for."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.port = int(self.process.stdout.readline())
        self.address = f"http://127.0.0.1:{self.port}/"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.communicate(timeout=20)

    def submit(self):
        self.process.stdin.write("submit\n")
        self.process.stdin.flush()

    def asked(self):
        method, body = self.process.stdout.readline().split(" ", 1)
        return method, json.loads(body)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.address + path.lstrip("/"), timeout=10) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def post(self, method, body, path="request?method", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("POST", f"/api/v1/{path}={method}", json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def files_of(server):
    """The page and all that it loads."""
    found, wanted = {}, ["/"]
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        status, headers, found[path] = server.get(path)
        assert status == 200, path
        assert "default-src 'none'" in headers["Content-Security-Policy"], headers
        wanted += re.findall(r'(?:href|src)="(/[^"]+)"', found[path])
        wanted += [f"/{name}" for name in re.findall(r'from "\./([a-z]+\.js)"', found[path])]
    return found


def check_http(server):
    files = files_of(server)
    assert len(files) >= 9, files.keys()
    size = sum(len(text.encode()) for text in files.values())
    print(f"the page has {size} bytes in {len(files)} files")
    assert size < MOST_BYTES, f"the page has {size} bytes"
    for path, text in files.items():
        assert path == "/icon.svg" or not re.search(
            r"https?://|//[a-z]+\.|@import|url\(", text
        ), f"{path}: something from outside"
        for word in (
            "innerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "localStorage",
            "setInterval(ask",
        ):
            assert word not in text, f"{word} in {path}"
    get = server.get
    picture = json.loads(get("/api/v1/status")[2])
    assert len(picture["nodes"]) == 5 and len(picture["jobs"]) == 6, picture.keys()
    assert json.loads(get("/api/v1/why?job=5")[2])["reason"] == "memory"
    assert json.loads(get("/api/v1/node?name=n0")[2])["vms"][0]["job"] == 1
    assert json.loads(get("/api/v1/plan")[2])["starts"][0]["job"] == 5
    assert json.loads(get("/api/v1/accounts")[2])["accounts"][1]["account"] == "physics"
    assert get("/api/v1/why?job=99")[0] == 404 and get("/api/v1/node?name=none")[0] == 404
    for wrong in ("", "?job=", "?job=abc", "?job=-1", "?job=5x", "?job=99999999999999999999"):
        assert get("/api/v1/why" + wrong)[0] == 400, wrong
    assert get("/api/v1/request?method=cancel")[0] == 405, "an action is posted"


def check_posts(server):
    """What is not carried out, whatever the page does."""
    cancel, good = ("cancel", {"job": 1}), {"Authorization": "Bearer good"}
    assert server.post(*cancel)[0] == 401
    assert server.post(*cancel, Authorization="Basic good")[0] == 401
    assert server.post(*cancel, Authorization="Bearer wrong")[0] == 403
    for origin in ("https://localhost", "null", f"http://localhost:{server.port + 1}"):
        status, body = server.post(*cancel, Origin=origin, **good)
        assert status == 403 and "not from this console" in body["message"], body
    assert server.post(*cancel, Origin=server.address[:-1], **good)[0] == 200
    assert server.asked() == cancel, "and only this one"
    assert server.post("why&job=5", {}, "read?what", **good)[1]["reason"] == "memory"
    assert server.post("status", {}, "read?what", Authorization="Bearer wrong")[0] == 403
    assert server.post("status", {}, "read?what")[0] == 401
