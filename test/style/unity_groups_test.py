#!/usr/bin/env python3
"""Sources come into one unity group only where their names do not meet: unity_groups_test.py ROOT."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
sys.path.insert(0, str(ROOT / "tools/lib"))

from unity_groups import group, read  # noqa: E402


def local(code):
    return f"namespace aliquot {{\nnamespace {{\n{code}\n}}  // namespace\n}}  // namespace aliquot\n"


class Groups(unittest.TestCase):
    def sizes(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{number}.cpp" for number in range(len(texts))]
            for path, text in zip(paths, texts, strict=True):
                path.write_text(text)
            return [len(members) for members in group([read(path) for path in paths])]

    def test_sources_without_common_names_share_a_group(self):
        self.assertEqual(self.sizes(local("int one() {\n}"), local("int two() {\n}")), [2])

    def test_equal_local_names_are_kept_apart(self):
        self.assertEqual(self.sizes(local("int f() {\n}\nint g() {\n}"), local("int g() {\n}")), [1, 1])

    def test_a_local_name_that_the_other_uses_keeps_them_apart(self):
        self.assertEqual(self.sizes(local("struct Row {};"), "Row f();\n"), [1, 1])
        self.assertEqual(self.sizes(local("int size() {\n}"), "int n = list.size();\n"), [2])

    def test_equal_aliases_may_meet(self):
        alias = "using json = nlohmann::json;\nint {}(json);\n"
        self.assertEqual(self.sizes(alias.format("f"), alias.format("g")), [2])

    def test_macros_stay_alone(self):
        self.assertEqual(self.sizes("#define X 1\n", "int f();\n"), [1, 1])

    def test_tests_are_told_apart_by_their_names(self):
        one, two = local("TEST(A, one) {\n}"), local("TEST(A, two) {\n}")
        self.assertEqual(self.sizes(one, two), [2])
        self.assertEqual(self.sizes(one, one), [1, 1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
