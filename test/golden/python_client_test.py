#!/usr/bin/env python3
"""The rules of the Python client without a socket: python_client_test.py ROOT. What is sent, what is asked
again and what is not, on a new connection or on the one that stands."""

import asyncio
import datetime
import json
import pathlib
import sys
import typing
import unittest
from typing import Any

sys.path.insert(0, sys.argv[1] + "/tools/python")
try:
    import aliquot
except ImportError as why:
    print(f"skipped: {why}: tools/deps check, and Debian's own python3")
    sys.exit(77)
from aliquot import protocol, requests, types
from aliquot.submission import memory_bytes, newc

READ = protocol.Call("show", {"job": 7})
ORDER = protocol.Call("cancel", {"job": 7}, repeatable=False)


class Talk:
    """Plays the manager: answers what the client sends, by the script of the test."""

    def __init__(self, call, timeout=20.0, managers=1):
        self.conversation = protocol.Conversation(timeout, managers)
        self.begin(call)

    def begin(self, call):
        self.steps, self.reply, self.sent = self.conversation.ask(call), None, None
        self.effect = next(self.steps)

    def go_on(self, answer=None):
        try:
            self.effect = self.steps.send(answer)
        except StopIteration as done:
            self.effect, self.reply = None, done.value

    def connect(self, manager=0):
        assert self.effect == protocol.Connect(manager), self.effect
        self.go_on()

    def fails(self, why):
        """What the client did came to this."""
        self.effect = self.steps.throw(why)

    def send(self):
        """The header and the body of what the client sends."""
        assert isinstance(self.effect, protocol.Send), self.effect
        version, header, body, *self.blob = self.effect.frames
        assert version == b"ALIQUOT/1", version
        self.go_on()
        assert isinstance(self.effect, protocol.Receive), self.effect
        self.header = json.loads(header)
        return self.header, json.loads(body)

    def answer(self, body, code="ok", **more):
        header = {"id": self.header["id"], "code": code} | more
        self.go_on([b"ALIQUOT/1", json.dumps(header).encode(), json.dumps(body).encode()])

    def silence(self):
        self.go_on(None)

    def greet(self, manager=0):
        self.connect(manager)
        header, _ = self.send()
        assert header["method"] == "hello" and "ticket" not in header, header
        self.answer({}, ticket="t1")


class Rules(unittest.TestCase):
    def test_a_request_carries_the_ticket_of_its_connection(self):
        talk = Talk(READ)
        talk.greet()
        header, body = talk.send()
        self.assertEqual((header["method"], header["ticket"], body), ("show", "t1", {"job": 7}))
        self.assertGreater(header["deadline_ms"], 0)
        talk.answer({"job": 7})
        self.assertEqual(talk.reply.body, {"job": 7})
        talk.begin(READ)
        self.assertIsInstance(talk.effect, protocol.Send, "the connection stands")

    def test_a_reply_that_comes_too_late_is_passed_over(self):
        talk = Talk(READ)
        talk.greet()
        talk.send()
        right, talk.header = talk.header, {"id": "1"}
        talk.answer({"job": 1})
        self.assertIsInstance(talk.effect, protocol.Receive)
        talk.header = right
        talk.answer({"job": 7})
        self.assertEqual(talk.reply.body, {"job": 7})

    def test_a_question_without_an_answer_is_asked_again_on_a_new_connection(self):
        talk = Talk(READ)
        talk.greet()
        talk.send()
        talk.silence()
        talk.greet()
        self.assertEqual(talk.send()[0]["method"], "show")

    def test_an_order_without_an_answer_is_not(self):
        talk = Talk(ORDER)
        talk.greet()
        talk.send()
        self.assertRaises(aliquot.NoAnswer, talk.silence)

    def test_a_submission_is_repeated_with_its_key(self):
        talk = Talk(requests.submit(aliquot.command(["true"], memory="96M")))
        talk.greet()
        first = talk.send()
        talk.silence()
        talk.greet()
        second = talk.send()
        self.assertTrue(first[0]["idem"])
        self.assertEqual((first[0]["idem"], first[1]), (second[0]["idem"], second[1]))

    def test_a_new_manager_does_not_know_the_ticket_and_is_greeted(self):
        talk = Talk(READ)
        talk.greet()
        talk.send()
        talk.answer({"job": 7})
        talk.begin(ORDER)
        talk.send()
        talk.answer({}, "forbidden", message="no ticket of this connection")
        talk.greet()
        self.assertEqual(talk.send()[0]["method"], "cancel")
        with self.assertRaises(aliquot.Forbidden):
            talk.answer({}, "forbidden", message="the job is another user's")

    def test_a_busy_manager_is_asked_again_on_the_same_connection(self):
        talk = Talk(READ)
        talk.greet()
        talk.send()
        talk.answer({}, "unavailable", message="busy")
        self.assertIsInstance(talk.effect, protocol.Sleep)
        talk.go_on()
        self.assertEqual(talk.send()[0]["method"], "show")

    def test_errors_have_the_words_of_the_manager(self):
        for code, kind in (("not_found", aliquot.NotFound), ("of_a_later_version", aliquot.Internal)):
            talk = Talk(READ)
            talk.greet()
            talk.send()
            with self.assertRaises(kind) as raised:
                talk.answer({}, code, message="there is no job 7")
            self.assertIn("there is no job 7", raised.exception.message)

    def test_what_is_no_answer_is_told(self):
        for frames in (
            [],
            [b"HTTP/1.1", b"{}", b"{}"],
            [b"ALIQUOT/1", b"{", b"{}"],
            [b"ALIQUOT/1", b"[]", b"{}"],
        ):
            talk = Talk(READ)
            talk.connect()
            talk.send()
            self.assertRaises(aliquot.Internal, talk.go_on, frames)


class Events(unittest.TestCase):
    """The conversation of a follower, its calls answered by the test."""

    def test_pages_are_taken_in_turn_and_a_manager_may_be_away(self):
        talk = requests.follow(None, None, True, patience=60)
        self.assertEqual(next(talk).method, "status")
        call = talk.send(protocol.Reply({"last_event": 4}))
        self.assertEqual(call.body["after"], 4)
        rows = talk.send(protocol.Reply({"events": [{"sequence": 5}], "last": 5, "more": True}))
        self.assertEqual(rows, [{"sequence": 5}])
        self.assertEqual(next(talk).body["after"], 5)
        self.assertIsInstance(talk.send(aliquot.Unavailable("no manager")), requests.Wake)
        self.assertEqual(next(talk).body["after"], 5, "asked again")
        self.assertEqual(talk.send(protocol.Reply({"events": [], "last": 5, "more": False})), [])
        self.assertIsInstance(next(talk), requests.Wake)

    def test_a_manager_may_not_be_away_for_longer(self):
        talk = requests.follow(None, 0, True, patience=0)
        next(talk)
        self.assertRaises(aliquot.Unavailable, talk.send, aliquot.Unavailable("no manager"))

    def test_the_pages_of_a_list_end(self):
        talk = requests.pages(True)
        self.assertEqual(next(talk).body, {"limit": requests.PAGE, "all": True})
        talk.send(protocol.Reply({"jobs": [{"job": 1}], "next": {"after": 1}}))
        self.assertEqual(next(talk).body, {"limit": requests.PAGE, "all": True, "after": 1})
        talk.send(protocol.Reply({"jobs": [], "next": None}))
        self.assertRaises(StopIteration, next, talk)


class Accounts(unittest.TestCase):
    """What both clients ask of accounts, and what of the answer they give back."""

    TREE: typing.ClassVar = {"now": "t", "half_life_s": None, "accounts": [{"account": "lab"}], "users": []}
    USAGE: typing.ClassVar = [{"account": "lab", "uid": 7, "granted_core_s": 2.5, "used_core_s": 1.0}]

    def asked(self, body, method, *words, **more):
        """The call that the method makes; what it gives back is `self.given`."""
        calls = []
        blocking = aliquot.Client.__new__(aliquot.Client)
        blocking._ask = lambda call: calls.append(call) or protocol.Reply(body)
        self.given = getattr(blocking, method)(*words, **more)

        async def ask(call):
            calls.append(call)
            return protocol.Reply(body)

        waiting = aliquot.AsyncClient.__new__(aliquot.AsyncClient)
        waiting._ask = ask
        self.assertEqual(asyncio.run(getattr(waiting, method)(*words, **more)), self.given)
        self.assertEqual(calls[0], calls[1], "both clients ask for the same")
        return calls[0].method, calls[0].body

    def test_the_tree_is_asked_for_as_a_whole_or_below_an_account(self):
        self.assertEqual(self.asked(self.TREE, "account_tree"), ("account.show", {}))
        self.assertEqual(self.given, self.TREE)
        self.assertEqual(
            self.asked(self.TREE, "account_tree", "lab"), ("account.show", {"account": "lab"})
        )

    def test_what_is_set_is_sent_and_nothing_else(self):
        sent = self.asked({"terms": None}, "set_account", "lab", shares=2, limits={"jobs": None})
        self.assertEqual(
            sent, ("account.set", {"account": "lab", "shares": 2, "limits": {"jobs": None}})
        )
        self.assertEqual(self.given, {"terms": None})
        sent = self.asked({"terms": None}, "reset_account", "lab")
        self.assertEqual(sent, ("account.reset", {"account": "lab"}))

    def test_usage_is_asked_for_by_the_hour(self):
        start = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
        body = {"usage": self.USAGE, "more": False, "next_after_job": None}
        sent = self.asked(body, "account_usage", start, start + datetime.timedelta(hours=3), by="user")
        span = {"first_hour": 498192, "hours": 3}
        self.assertEqual(sent, ("account.usage", span | {"by": "user"}))
        self.assertEqual(self.given, self.USAGE)
        sent = self.asked(body, "account_usage", start, start + datetime.timedelta(hours=3))
        self.assertEqual(sent[1]["by"], "account")
        half = start + datetime.timedelta(minutes=30)
        self.assertRaises(aliquot.InvalidArgument, requests.account_usage, start, half, "user")
        call = requests.account_usage(start, start + datetime.timedelta(hours=1), "job", 7)
        self.assertEqual(call.body, {"first_hour": 498192, "hours": 1, "by": "job", "after_job": 7})

    def test_the_sums_of_accounts_are_a_list(self):
        self.assertEqual(self.asked({"accounts": [1]}, "accounts"), ("accounts", {}))
        self.assertEqual(self.given, [1])


class Output(unittest.TestCase):
    """The conversation of a reader of what a task writes."""

    @staticmethod
    def part(text, offset, ended):
        return protocol.Reply({"offset": offset, "next": offset + len(text), "ended": ended}, text)

    def test_it_is_followed_to_its_end(self):
        talk = requests.output(7, None, True, patience=60)
        self.assertEqual(next(talk).body, {"job": 7, "offset": 0})
        self.assertEqual(talk.send(self.part(b"one\n", 0, False)), [b"one\n"])
        self.assertEqual(next(talk).body["offset"], 4)
        self.assertIsInstance(talk.send(self.part(b"", 4, False)), requests.Wake)
        next(talk)
        self.assertIsInstance(talk.send(aliquot.Unavailable("no manager")), requests.Wake)
        self.assertEqual(next(talk).body["offset"], 4, "asked again")
        self.assertEqual(talk.send(self.part(b"two\n", 4, True)), [b"two\n"])
        next(talk)
        self.assertRaises(StopIteration, talk.send, self.part(b"", 8, True))

    def test_unless_it_is_followed_it_ends_where_it_is(self):
        talk = requests.output(7, 2, False, patience=0)
        self.assertEqual(next(talk).body, {"job": 7, "offset": 0, "task": 2})
        self.assertRaises(StopIteration, talk.send, self.part(b"", 0, False))


def golden():
    """What was asked and answered in the sessions of test/golden/api: method, body, code, answer."""
    for path in sorted((pathlib.Path(sys.argv[1]) / "test/golden/api").glob("*.session")):
        lines = [line.split(" ", 2) for line in path.read_text().splitlines() if line[:2] in ("->", "<-")]
        for (_, method, body), (_, code, answer) in zip(lines[::2], lines[1::2], strict=True):
            yield method, json.loads(body), code, json.loads(answer)


def departs(value, wanted, where):
    """Where a value is not of the type; None: nowhere."""
    if wanted is Any:
        return None
    if typing.is_typeddict(wanted):
        for key, inner in typing.get_type_hints(wanted).items():
            if key not in value:
                return f"{where} has no {key}"
            if found := departs(value[key], inner, f"{where}.{key}"):
                return found
        return None
    kind, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if kind is list:
        return next(filter(None, (departs(each, parts[0], where) for each in value)), None)
    if kind is dict:
        return next(filter(None, (departs(each, parts[1], where) for each in value.values())), None)
    accepted = tuple(float | int if part is float else part for part in (parts or (wanted,)))
    fits = any(isinstance(value, part) for part in accepted) and (
        not isinstance(value, bool) or bool in accepted
    )
    return None if fits else f"{where}: {value!r} is not {wanted}"


class Sessions(unittest.TestCase):
    """The client is played what a manager has answered."""

    def test_what_is_asked_and_answered_passes_through(self):
        codes = set()
        for method, body, code, answer in golden():
            talk = Talk(protocol.Call(method, body))
            talk.greet()
            header, sent = talk.send()
            self.assertEqual((header["method"], sent), (method, body))
            codes.add(code)
            if code == "ok":
                talk.answer(answer)
                self.assertEqual(talk.reply.body, answer)
                continue
            with self.assertRaises(aliquot.AliquotError) as raised:
                talk.answer({}, code, message=answer)
            self.assertEqual((raised.exception.code, raised.exception.message), (code, answer))
        self.assertLessEqual({"ok", "not_found", "invalid_argument", "refused", "conflict"}, codes)

    def test_answers_are_of_their_types(self):
        typed = {
            "list": lambda answer: [(row, types.Job) for row in answer["jobs"]],
            "show": lambda answer: [(answer, types.Job)],
            "events": lambda answer: [(row, types.Event) for row in answer["events"]],
            "node.list": lambda answer: [(row, types.Node) for row in answer["nodes"]],
            "node.show": lambda answer: [(answer, types.Node)],
            "status": lambda answer: [(answer, types.Status)],
        }
        seen = set()
        for method, _, code, answer in golden():
            for row, wanted in typed.get(method, lambda _: [])(answer) if code == "ok" else []:
                self.assertIsNone(departs(row, wanted, method))
                seen.add(method)
        self.assertEqual(seen, set(typed))

    def test_a_type_that_is_not_kept_is_found(self):
        job = next(answer for method, _, code, answer in golden() if (method, code) == ("show", "ok"))
        self.assertIn("tasks", departs(job | {"tasks": "2"}, types.Job, "job"))
        self.assertIn("no note", departs({k: v for k, v in job.items() if k != "note"}, types.Job, "job"))


class Submissions(unittest.TestCase):
    def test_amounts_are_exact(self):
        body = aliquot.command(["true"], memory="1.5G", cpus=0.1).body
        self.assertEqual((body["cpu_microcores"], body["memory_bytes"]), (100_000, 3 * 2**29))
        self.assertEqual([memory_bytes(size) for size in ("96M", "2GiB", 7)], [96 << 20, 2 << 30, 7])
        for bad in ("", "M", "-1", "1X", "1,5G"):
            self.assertRaises(ValueError, memory_bytes, bad)

    def test_files_below_the_directory_of_the_job_only(self):
        for bad in ("/etc/passwd", "../x", "a/../b", "a//b", ""):
            with self.assertRaises(ValueError, msg=bad):
                aliquot.command(["true"], memory="96M", files={bad: b""})

    def test_an_archive_has_its_directories_and_ends(self):
        archive = newc({"/job/a/b": (b"text", 0o644)})
        self.assertEqual(len(archive) % 4, 0)
        at = [archive.index(name + b"\0") for name in (b"job", b"job/a", b"job/a/b", b"TRAILER!!!")]
        self.assertEqual(at, sorted(at), "a directory comes before what is in it")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
