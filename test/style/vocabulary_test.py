#!/usr/bin/env python3
"""The vocabulary rule finds private words and pronouns of people, and lets the field's own words pass."""

import unittest

from vocabulary import vocabulary


def lines(path, text):
    return sorted({finding.line for finding in vocabulary({path: text})})


class Words(unittest.TestCase):
    def test_finds_a_word_in_an_identifier_of_any_form(self):
        text = "struct RisingCrowds;\nint crowd_of(Node n);\nCrowd crowds_;\nint crowded;\n"
        self.assertEqual(lines("a.hpp", text), [1, 2, 3])

    def test_finds_a_word_in_prose_and_in_a_path(self):
        self.assertEqual(lines("a.md", "It settles the shares.\nShares are allocated.\n"), [1])
        self.assertEqual(lines("test/storms/scenario.cpp", "int x;\n"), [1])

    def test_common_words_count_in_compound_names_only(self):
        self.assertEqual(lines("a.cpp", "// worth a look: the room left\nint room_for(int n);\n"), [2])

    def test_lets_terms_of_libraries_pass(self):
        self.assertEqual(lines("a.cpp", "std::chrono::steady_clock::now();\n"), [])


class Pronouns(unittest.TestCase):
    def test_finds_who_for_a_thing(self):
        self.assertEqual(lines("a.cpp", "// A job who waits.\n// Nobody asks.\n"), [1, 2])
        self.assertEqual(lines("a.py", "# whom it holds\nwho = 1\n"), [1])

    def test_lets_who_speak_of_people(self):
        text = "A user who asks for it gets it.\nPeople on a cluster\nwho wait.\n"
        self.assertEqual(lines("a.md", text), [])

    def test_history_is_exempt(self):
        self.assertEqual(lines("CHANGELOG.md", "Who is resumed first; crowds.\n"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
