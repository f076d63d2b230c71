#!/usr/bin/env python3
"""Every rule for texts finds what is planted for it, and lets pass what only looks like it."""

import unittest

import text_rules


def findings(rule, tree, **options):
    return list(rule(tree, **options))


class Texts(unittest.TestCase):
    def test_finds_work_left_undone(self):
        word = "TO" + "DO"
        tree = {
            "a.cpp": f"// {word}: later\n// {word}(#12): tracked\n",
            "b.sh": "# FIX" + "ME\n",
            "c.md": f"{word}\n",
        }
        found = [(f.path, f.line) for f in findings(text_rules.leftovers, tree)]
        self.assertEqual(found, [("a.cpp", 1), ("b.sh", 1)])

    def test_finds_a_merge_that_was_committed_half_done(self):
        marks = "<" * 7 + " HEAD\n{}\n" + "=" * 7 + "\n{}\n" + ">" * 7 + " other\n"
        tree = {"a.md": "one\n" + marks.format("mine", "yours"), "b.md": "Title\n=======\n<<<<<<<<\n"}
        found = [(f.path, f.line) for f in findings(text_rules.conflicts, tree)]
        self.assertEqual(found, [("a.md", 2), ("a.md", 6)])

    def test_finds_paths_of_one_machine(self):
        place = "/secret" + "/x"
        tree = {
            "a.cpp": f'open("{place}");\n',
            "b.md": "/ho" "me/somebody/x\n",
            "c.sh": "cat /usr/share/x a/secret/x ${root}/secret/x\n",
        }
        found = [f.path for f in findings(text_rules.private_places, tree, roots={"secret"})]
        self.assertEqual(found, ["a.cpp", "b.md"])

    def test_finds_addresses_that_nobody_listed(self):
        tree = {
            "a.md": "see https" + "://somewhere.invalid/x\n",
            "b.sh": "echo registry" + ".somewhere.org\n",
            "c.cpp": '"http://libvirt.org/schemas/domain/qemu/1.0"\n',
        }
        found = [f.path for f in findings(text_rules.private_places, tree, roots=set())]
        self.assertEqual(found, ["a.md", "b.sh"])

    def test_finds_links_that_lead_nowhere(self):
        tree = {
            "README.md": "[a](docs/a.md) [b](docs/b.md) [c](docs/a.md#two-words) [d](docs/a.md#no)\n"
            "[e](#here) [f](docs)\n# Here\n",
            "docs/a.md": "# Two words\n[up](../README.md)\n```\n[no](link)\n```\n",
        }
        found = sorted(f.text for f in findings(text_rules.links, tree))
        self.assertEqual(found, ["docs/a.md has no heading #no", "docs/b.md leads nowhere"])

    def test_finds_named_files_that_do_not_exist(self):
        tree = {
            "README.md": "`tools/up` `tools/down --now` `tools/*.sh` `aliquot list`\n",
            "tools/up": "#!/bin/sh\n",
        }
        self.assertEqual(
            [f.text for f in findings(text_rules.named_files, tree)], ["`tools/down` does not exist"]
        )

    def test_finds_a_missing_licence(self):
        self.assertEqual(len(findings(text_rules.licence, {})), 2)
        tree = {"LICENSE": "Apache License\nVersion 2.0", "NOTICE": "Aliquot"}
        self.assertEqual(findings(text_rules.licence, tree), [])

    def test_finds_words_the_glossary_owes(self):
        tree = {
            "policies/model/plan.hpp": "enum class Reason : int {\n  held,  // a, b\n  memory,\n};\n",
            "monitor/record/action.hpp": 'constexpr std::string_view words[] = {"save", "cap"};\n',
            "tools/sim/out.cpp": 'out << "job,submit,start,end,"\n    "wait\\n";\n',
            "GLOSSARY.md": "| `held` | `job` | `submit` | `start` | `cap` |\n",
        }
        owed = [f.text.split("`")[1] for f in findings(text_rules.glossary, tree)]
        self.assertEqual(sorted(owed), ["end", "memory", "save", "wait"])

    def test_finds_names_that_the_code_does_not_know(self):
        table = "| word | in the code |\n|---|---|\n| a | `Job::held`, `Gone` |\n| b | `policies/x` |\n"
        tree = {"policies/a.hpp": "struct Job { bool held; };\n", "GLOSSARY.md": table + "\n| `Other` |\n"}
        found = [f.text for f in findings(text_rules.glossary_names, tree)]
        self.assertEqual(found, ["`Gone` is not in the code"])

    def test_finds_what_a_stray_command_left(self):
        tree = {
            "--help/aliquot.db": "",
            "policies/-x": "",
            "build-old/a.txt": "",
            "README.md": "",
            ".ci/run": "",
            "tools/a-b.sh": "",
        }
        found = sorted(f.path for f in findings(text_rules.strays, tree))
        self.assertEqual(found, ["--help/aliquot.db", "build-old/a.txt", "policies/-x"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
