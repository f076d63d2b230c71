#!/usr/bin/env python3
"""Every rule for code finds what is planted for it, and lets pass what only looks like it."""

import unittest

import code_rules
from cpp import scan, without_comments_and_strings

COMMENT = "// A header that says what it is, what it is not, and who owns what it hands out.\n"


def findings(rule, tree, **options):
    return list(rule(tree, **options))


class Layers(unittest.TestCase):
    def test_finds_an_include_that_points_up(self):
        for path, target in [
            ("policies/a.cpp", "manager/core/cluster.hpp"),
            ("config/a.cpp", "monitor/observer.hpp"),
            ("monitor/a.cpp", "manager/api/wire/request.hpp"),
            ("manager/a.cpp", "tools/ctl/table.hpp"),
            ("tools/sim/a.cpp", "test/support/make.hpp"),
        ]:
            tree = {path: f'#include "{target}"\n'}
            self.assertEqual(len(findings(code_rules.layers, tree)), 1, path)

    def test_lets_an_include_point_down_or_across(self):
        tree = {
            "tools/sim/a.cpp": '#include "policies/policy.hpp"\n#include "tools/sim/b.hpp"\n',
            "test/unit/a.cpp": '#include "tools/sim/b.hpp"\n#include <vector>\n',
        }
        self.assertEqual(findings(code_rules.layers, tree), [])

    def test_finds_an_include_that_is_not_from_the_root(self):
        self.assertEqual(len(findings(code_rules.layers, {"policies/a.cpp": '#include "b.hpp"\n'})), 1)

    def test_finds_a_policy_in_the_model(self):
        tree = {
            "policies/model/a.cpp": '#include "policies/policy.hpp"\n#include "policies/model/id.hpp"\n'
        }
        self.assertEqual(len(findings(code_rules.model_knows_no_policy, tree)), 1)

    def test_finds_a_library_outside_its_places(self):
        tree = {
            "manager/core/a.cpp": "#include <libvirt/libvirt.h>\n",
            "manager/hypervisor/libvirt/b.cpp": "#include <libvirt/libvirt.h>\n",
            "test/integration/c.cpp": "#include <libvirt/libvirt.h>\n",
        }
        found = findings(code_rules.allowed_includes, tree)
        self.assertEqual([f.path for f in found], ["manager/core/a.cpp"])


class OneDefinition(unittest.TestCase):
    def test_finds_a_type_of_one_name_in_two_files(self):
        node = "namespace aliquot {\nstruct Slot {\n};\n}  // namespace aliquot\n"
        found = findings(code_rules.one_definition, {"policies/a.hpp": node, "manager/b.hpp": node})
        self.assertEqual([(f.path, f.line) for f in found], [("policies/a.hpp", 2)])

    def test_finds_a_constant_of_one_name_in_two_files(self):
        least = "namespace aliquot {\ninline constexpr Duration kLeast{1'000};\n}  // namespace aliquot\n"
        other = least.replace("{1'000}", " = seconds(60)")
        found = findings(code_rules.one_definition, {"policies/a.hpp": least, "manager/b.hpp": other})
        self.assertEqual([(f.path, f.line) for f in found], [("policies/a.hpp", 2)])

    def test_lets_pass_other_namespaces_declarations_and_what_is_of_one_file(self):
        slot = "struct Slot {\n};\n"
        tree = {
            "policies/a.hpp": f"namespace aliquot {{\n{slot}}}  // namespace aliquot\n",
            "policies/b.hpp": f"namespace aliquot::ip {{\n{slot}}}  // namespace aliquot::ip\n",
            "policies/c.cpp": "namespace aliquot {\nnamespace {\n"
            f"{slot}}}  // namespace\n}}  // namespace aliquot\n",
            "policies/d.hpp": "namespace aliquot {\nstruct Slot;\n}  // namespace aliquot\n",
        }
        self.assertEqual(findings(code_rules.one_definition, tree), [])


class Lengths(unittest.TestCase):
    def test_finds_a_long_file(self):
        tree = {
            "a.cpp": "\n" * 401,
            "b.cpp": "\n" * 400,
            "c.py": "\n" * 401,
            "tools/d": "#!/bin/sh\n" * 401,
        }
        self.assertEqual(
            {f.path for f in findings(code_rules.file_length, tree)}, {"a.cpp", "c.py", "tools/d"}
        )

    def test_finds_a_long_line(self):
        tree = {"a.cpp": "x" * 109 + "\n" + "y" * 108 + "\n", "b.md": "z" * 200}
        self.assertEqual([(f.path, f.line) for f in findings(code_rules.line_length, tree)], [("a.cpp", 1)])

    def test_finds_a_long_function_in_each_language(self):
        body = "  step();\n" * 70
        tree = {
            "a.cpp": "namespace n {\nvoid f() {\n" + body + "}\n}\n",
            "b.py": "def f():\n" + "    step()\n" * 70,
            "c.sh": "f() {\n" + body + "}\n",
        }
        found = {f.path: f.line for f in findings(code_rules.function_length, tree)}
        self.assertEqual(found, {"a.cpp": 2, "b.py": 1, "c.sh": 1})

    def test_lets_a_function_of_70_lines_pass(self):
        tree = {"a.cpp": "void f() {\n" + "  step();\n" * 68 + "}\n"}
        self.assertEqual(findings(code_rules.function_length, tree), [])


    def test_counts_a_class_with_the_members_defined_elsewhere(self):
        body = "  step();\n" * 60
        short = "struct Short {\n  int x;\n};\n"
        members = "".join(f"void Long::member{n}() {{\n{body}}}\n" for n in range(7))
        tree = {
            "a.hpp": "class Long : public Base {\n  void member0();\n};\n" + short,
            "a.cpp": members,
            "b.cpp": members.replace("Long", "Short").split("void Short::member3")[0],
            "c.cpp": short + members.replace("Long", "Short").split("void Short::member6")[0],
        }
        found = findings(code_rules.class_length, tree)
        self.assertEqual([(f.path, f.line) for f in found], [("a.hpp", 1)])


class CppScanner(unittest.TestCase):
    def names(self, text):
        return [function.name for function in scan(text).functions]

    def test_finds_functions_of_every_form(self):
        text = """
        namespace a::b {
        struct S : Base<int> {
          S(int x) : x_{x}, y_(x) { go(); }
          explicit S() noexcept : x_{1}, y_{2} {}
          [[nodiscard]] const T& get() const noexcept override { return x_; }
          auto end() -> std::vector<int> { return {}; }
          int x_ = 0, y_{3};
        };
        template <class T>
        requires std::integral<T>
        T* find(const std::map<int, T>& m = {}, int n = f(2)) { if (n) { return 0; } return 1; }
        }
        TEST(Suite, Case) { EXPECT_EQ(1, 1); }
        """
        self.assertEqual(self.names(text), ["S", "S", "get", "end", "find", "TEST"])

    def test_is_not_misled_by_braces_in_text(self):
        text = 'void f() { say("{"); char c = \'{\'; auto r = R"x(}{{)x"; /* { */ } // {\nvoid g() {}\n'
        self.assertEqual(self.names(text), ["f", "g"])

    def test_takes_an_initializer_for_what_it_is(self):
        text = (
            "const std::vector<int> v = {1, 2};\nconstexpr int w[]{1, 2};\nenum class E : int { a, b };\n"
        )
        self.assertEqual(self.names(text), [])

    def test_keeps_lines_and_digit_separators(self):
        text = "int a = 1'000'000; // x\nint b = '\\'';\n/* 1\n2 */ int c;\n"
        blanked = without_comments_and_strings(text)
        self.assertEqual(blanked.count("\n"), text.count("\n"))
        self.assertIn("1'000'000", blanked)
        self.assertNotIn("x", blanked)


class Purity(unittest.TestCase):
    def test_finds_every_banned_call(self):
        for call in [
            "auto t = std::chrono::steady_clock::now();",
            "auto t = time(nullptr);",
            "clock_gettime(CLOCK_MONOTONIC, &t);",
            "int x = rand();",
            "std::random_device seed;",
            "std::mt19937 engine(1);",
            'printf("x");',
            "std::cout << 1;",
            'std::fprintf(stderr, "x");',
            'spdlog::info("x");',
            'auto home = getenv("HOME");',
            "std::mutex m;",
            "std::jthread t;",
            "thread_local int x = 0;",
            "std::this_thread::sleep_for(d);",
        ]:
            tree = {"policies/a.cpp": "void f() {\n" + call + "\n}\n"}
            self.assertGreaterEqual(len(findings(code_rules.banned_calls, tree)), 1, call)
            tree = {"manager/api/a.cpp": "void f() {\n" + call + "\n}\n"}
            self.assertEqual(findings(code_rules.banned_calls, tree), [], call)

    def test_lets_words_in_comments_strings_and_members_pass(self):
        text = '// rand() and time(0)\nauto s = "printf(";\nauto t = job.time(now) + run_time(2);\n'
        self.assertEqual(findings(code_rules.banned_calls, {"manager/core/a.cpp": text}), [])

    def test_finds_what_can_change_between_calls(self):
        for text in [
            "void f() { static int calls = 0; ++calls; }\n",
            "namespace a {\nint count = 0;\n}\n",
            "static std::map<int, int> cache;\n",
            "struct S {\n  inline static int live = 0;\n};\n",
            "std::vector<int> seen{1, 2};\n",
        ]:
            found = findings(code_rules.mutable_state, {"policies/a.cpp": text})
            self.assertEqual(len(found), 1, text)

    def test_lets_constants_functions_and_members_pass(self):
        text = """
        namespace a {
        constexpr int kOne = 1;
        inline constexpr std::string_view kName{"x"};
        const std::vector<int> kAll = {1, 2};
        static int twice(int x) { static const int k = 2; static constexpr int z = 0; return k * x + z; }
        int once(int x);
        struct S { int live = 0; std::vector<int> v; static int make(); static const int n = 3; };
        using T = int;
        }
        """
        self.assertEqual(findings(code_rules.mutable_state, {"manager/core/a.cpp": text}), [])


class Names(unittest.TestCase):
    def test_finds_names_that_say_nothing(self):
        tree = {
            "manager/a.hpp": "class JobManager;\nstruct Utils {};\nenum class HelperKind;\nclass Utility;\n"
        }
        self.assertEqual([f.line for f in findings(code_rules.names, tree)], [1, 2, 3])
        tree = {"manager/string_utils.cpp": "", "manager/core/cluster.cpp": "", "manager/manager.hpp": ""}
        self.assertEqual(len(findings(code_rules.names, tree)), 2)

    def test_finds_a_header_without_an_opening_paragraph(self):
        tree = {
            "a/a.hpp": "#pragma once\nint f();\n",
            "a/b.hpp": "// short\n#pragma once\n",
            "a/c.hpp": COMMENT + "#pragma once\n",
        }
        self.assertEqual([f.path for f in findings(code_rules.headers, tree)], ["a/a.hpp", "a/b.hpp"])

    def test_finds_a_source_that_does_not_include_its_header_first(self):
        tree = {
            "a/a.hpp": COMMENT + "#pragma once\n",
            "a/a.cpp": '#include <vector>\n#include "a/a.hpp"\n',
            "a/b.cpp": "#include <vector>\n",
        }
        self.assertEqual([f.path for f in findings(code_rules.headers, tree)], ["a/a.cpp"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
