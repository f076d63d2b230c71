#!/usr/bin/env python3
"""Which of several managers the Python client asks, without a socket: python_managers_test.py ROOT."""

import sys
import time
import unittest

from python_client_test import ORDER, READ, Talk, aliquot
from aliquot import place, protocol, requests


class SeveralManagers(unittest.TestCase):
    def test_the_next_is_asked_if_one_is_not_there_or_does_not_lead(self):
        talk = Talk(ORDER, managers=3)
        talk.fails(aliquot.Unavailable("no manager"))
        talk.connect(1)
        talk.send()
        talk.answer({}, "not_leader", message="c leads")
        talk.greet(2)
        talk.send()
        talk.answer({"job": 7})
        self.assertEqual(talk.reply.body, {"job": 7})
        talk.begin(READ)
        self.assertIsInstance(talk.effect, protocol.Send, "the connection to the leader stands")

    def test_after_a_takeover_another_is_asked(self):
        talk = Talk(READ, managers=2)
        talk.greet()
        talk.send()
        talk.fails(aliquot.Unavailable("no manager"))
        talk.greet(1)
        self.assertEqual(talk.send()[0]["method"], "show")

    def test_an_order_that_may_have_been_carried_out_is_not_repeated(self):
        for failed in (aliquot.Unavailable("no manager"), aliquot.NoAnswer("no answer")):
            talk = Talk(ORDER, managers=2)
            talk.greet()
            talk.send()
            with self.assertRaises(type(failed)):
                talk.fails(failed)

    def test_while_none_leads_they_are_asked_in_turn(self):
        talk = Talk(ORDER, managers=2)
        for _ in range(2):
            for manager in range(2):
                talk.connect(manager)
                talk.send()
                talk.answer({}, "not_leader", message="none leads")
            self.assertIsInstance(talk.effect, protocol.Sleep)
            talk.go_on()
        talk.greet()

    def test_and_not_for_longer_than_the_timeout(self):
        talk = Talk(READ, timeout=0.2, managers=2)
        talk.connect()
        talk.send()
        time.sleep(0.25)
        with self.assertRaises(aliquot.NotLeader):
            talk.answer({}, "not_leader", message="none leads")

    def test_a_follower_waits_for_the_next_leader(self):
        talk = requests.until_ended(7, 20)
        next(talk)
        self.assertIsInstance(talk.send(aliquot.NotLeader("none leads")), requests.Wake)

    def test_their_places_are_separated_by_commas(self):
        found = [one.address for one in place.places_of("/run/a.sock,ipc:///run/b.sock", None)]
        self.assertEqual(found, ["/run/a.sock", "/run/b.sock"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
