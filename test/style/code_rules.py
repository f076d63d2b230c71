"""Rules for code: layers, where a library may be included, lengths, names, purity."""

import ast
import collections
import os
import re

from cpp import scan, without_comments_and_strings
from tree import FOLDERS, Finding, is_code, is_cpp, is_python, is_shell, suffix, top_folder

FUNCTION_LINES = 70
CLASS_LINES = 400  # its declaration and the definitions of its members, wherever they are
FILE_LINES = 400  # a longer file probably holds two ideas
LINE_LENGTH = 108

# What holds one idea in more lines, each with the reason.
LONG_FILES = {
    "config/field_table.cpp": "all that can be set, each once",
    "manager/assembly.cpp": "all parts of the daemon, each made once",
    "manager/api/wire/request_codec.cpp": "the body of each kind of request, there and back",
    "manager/core/vm_transitions.cpp": "what each event does to one VM",
    "manager/hypervisor/libvirt/libvirt_calls.cpp": "one function for each call of libvirt",
    "monitor/log_lines.cpp": "what each event and each action says in the log",
    "manager/request_handler.cpp": "one answer for each kind of request",
    "test/integration/manager/live_words_test.py": "every verb, each with what it says",
    "test/unit/manager/hypervisor/agent/agent_hypervisor_test.cpp": "what a manager and an agent promise",
    "test/unit/manager/request_handler_test.cpp": "what is answered to each kind of request",
}

# The only places that may include a library; all other code uses an interface. Tests may include any.
ALLOWED_INCLUDES = {
    r"<libvirt/": ["manager/hypervisor/libvirt/"],
    r"<libxl": ["manager/hypervisor/libxl/"],
    r"<curl/": ["manager/ha/"],
    r"<sodium": ["manager/keys/"],
    r"<openssl": ["manager/hypervisor/job_key.cpp", "monitor/sha256.cpp"],
    r"<sqlite3": ["manager/store/"],
    r"<zmq": ["manager/hypervisor/agent/", "tools/ctl/"],
    r"<yaml-cpp/": ["config/"],
    r"<prometheus/": ["monitor/", "manager/daemon", "manager/main"],
    r"<httplib": ["monitor/", "manager/daemon", "manager/main"],
    r"<spdlog/": ["monitor/", "manager/daemon", "manager/main", "tools/ctl/"],
}

# Code that decides and computes: it reads no clock and no environment, uses no random numbers and does
# no input or output.
PURE = ["policies/", "manager/core/", "manager/hypervisor/model/"]
BANNED_IN_PURE = [
    (
        r"\bstd::chrono\b|\b(?:gettimeofday|clock_gettime|localtime|gmtime)\s*\("
        r"|(?<![\w.>:])(?:std::)?time\s*\(\s*(?:nullptr|NULL|0|&)",
        "reads a clock; the instant is a field of the view",
    ),
    (
        r"\bstd::random_device\b|(?<![\w.>:])(?:std::)?(?:s?rand|random|drand48)\s*\(",
        "is random; ties break by id, and faults come from a seed",
    ),
    (
        r"(?<![\w.>:])(?:std::)?(?:printf|fprintf|puts|fputs|putchar)\s*\("
        r"|\bstd::(?:cout|cerr|clog|ofstream|ifstream|fstream)\b|\bspdlog::",
        "does input or output; return a value, and let an observer report it",
    ),
    (
        r"(?<![\w.>])(?:std::)?(?:secure_)?getenv\s*\(",
        "reads the environment; settings are arguments",
    ),
    (
        r"\bstd::(?:thread|jthread|async|mutex|shared_mutex|condition_variable|atomic)\b|\bthread_local\b",
        "needs threads; pure code runs on one",
    ),
    (
        r"(?<![\w.>:])(?:sleep|usleep|nanosleep)\s*\(|\bsleep_(?:for|until)\s*\(",
        "waits; ask for a wake-up instead",
    ),
]
ENGINES = r"\bstd::(?:mt19937(?:_64)?|minstd_rand0?|default_random_engine)\b"  # in policies not even seeded

VAGUE_NAME = re.compile(
    r"\b(?:class|struct|enum(?:\s+class)?|union|using|concept)\s+(\w*(?:Manager|Helper|Util(?!i))\w*)"
)
VAGUE_FILE = re.compile(r"(?:^|_)(?:manager|helper|helpers|util|utils|misc|common)(?:_|\.)")
CLASS = re.compile(r"^( *)(?:class|struct) (\w+)[^;{}()]*\{\n.*?^\1\};", re.M | re.S)
NOT_A_VARIABLE = re.compile(
    r"^(?:__extension__\s+|\[\[[^\]]*\]\]\s*)?(?:using|typedef|template|static_assert|extern"
    r"|friend|class|struct|enum|union|namespace"
    r"|concept|(?:(?:inline|static|constinit)\s+)*(?:constexpr|const)\b)"
)


def is_pure(path):
    return is_cpp(path) and any(path.startswith(prefix) for prefix in PURE)


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def layers(tree):
    """policies < config < monitor < manager < tools: an include points down, or stays in its layer."""
    for path, text in tree.items():
        folder = top_folder(path)
        if not is_cpp(path) or folder not in FOLDERS:
            continue
        for match in re.finditer(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            target = top_folder(match.group(1))
            if target in FOLDERS and FOLDERS.index(target) > FOLDERS.index(folder):
                yield Finding(
                    path,
                    line_of(text, match.start()),
                    "layers",
                    f"{folder} may not include {match.group(1)}: {target} stands above it",
                )
            elif target not in FOLDERS and suffix(path) not in (".c", ".h"):  # the guests build alone
                yield Finding(
                    path,
                    line_of(text, match.start()),
                    "layers",
                    f'include "{match.group(1)}" by its path from the root of the project',
                )


def model_knows_no_policy(tree):
    for path, text in tree.items():
        if not path.startswith("policies/model/"):
            continue
        for match in re.finditer(r'^\s*#\s*include\s+"((?!policies/model/)[^"]+)"', text, re.M):
            yield Finding(
                path,
                line_of(text, match.start()),
                "layers",
                f"the model knows no policy: it may not include {match.group(1)}",
            )


def allowed_includes(tree):
    for path, text in tree.items():
        if not is_cpp(path) or top_folder(path) in ("test", ""):
            continue
        for library, allowed in ALLOWED_INCLUDES.items():
            for match in re.finditer(r"^\s*#\s*include\s+" + library, text, re.M):
                if not any(path.startswith(prefix) for prefix in allowed):
                    yield Finding(
                        path,
                        line_of(text, match.start()),
                        "allowed includes",
                        f"{library.strip('<')} belongs in {', '.join(allowed)}",
                    )


def file_length(tree):
    for path, text in tree.items():
        lines = text.count("\n")
        if is_code(path, text) and lines > FILE_LINES and path not in LONG_FILES:
            yield Finding(
                path,
                FILE_LINES + 1,
                "file length",
                f"{lines} lines: does it hold two ideas? If it holds one, name it in LONG_FILES",
            )


def line_length(tree):
    for path, text in tree.items():
        if is_code(path, text):
            for number, line in enumerate(text.split("\n"), 1):
                if len(line) > LINE_LENGTH:
                    yield Finding(
                        path, number, "line length", f"{len(line)} columns, {LINE_LENGTH} at most"
                    )


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def shell_functions(text):
    for match in re.finditer(r"^(\w+) *\(\) *[{(].*?^[})]", text, re.M | re.S):
        first = line_of(text, match.start())
        yield match.group(1), first, first + match.group(0).count("\n")


def functions(path, text):
    if is_cpp(path):
        return [(f.name, f.first, f.last) for f in scan(text).functions]
    if is_python(path, text):
        return list(python_functions(text))
    return list(shell_functions(text)) if is_shell(path, text) else []


def function_length(tree):
    for path, text in tree.items():
        for name, first, last in functions(path, text):
            if last - first + 1 > FUNCTION_LINES:
                yield Finding(
                    path,
                    first,
                    "function length",
                    f"{name} has {last - first + 1} lines; a screen holds {FUNCTION_LINES}",
                )


def class_lengths(tree):
    """(path, line, name, lines) of each class: its declaration and the members defined outside it.

    A class of a source is known there only; one of a header has members in any source.
    """
    declared, lengths = {}, collections.Counter()
    code = {path: text for path, text in tree.items() if is_cpp(path) and top_folder(path) != "test"}
    for path, text in code.items():
        for match in CLASS.finditer(text):
            key = (path if suffix(path) == ".cpp" else "", match.group(2))
            declared[key] = (path, line_of(text, match.start()))
            lengths[key] += match.group(0).count("\n") + 1
    for path, text in code.items():
        for function in scan(text).functions:
            if member := re.search(r"(\w+)::~?\w+$", function.name):
                key = (path, member.group(1))
                lengths[key if key in declared else ("", key[1])] += function.last - function.first + 1
    return [(*where, key[1], lengths[key]) for key, where in declared.items()]


def class_length(tree):
    for path, line, name, lines in class_lengths(tree):
        if lines > CLASS_LINES:
            yield Finding(
                path,
                line,
                "class length",
                f"{name} has {lines} lines with its members; {CLASS_LINES} at most",
            )


def banned_calls(tree):
    for path, text in tree.items():
        if not is_pure(path):
            continue
        code = without_comments_and_strings(text)
        banned = list(BANNED_IN_PURE)
        if path.startswith("policies/"):
            banned.append((ENGINES, "is random; a policy is a function of the view"))
        for pattern, why in banned:
            for match in re.finditer(pattern, code):
                yield Finding(
                    path, line_of(code, match.start()), "purity", f"{match.group(0).strip()} {why}"
                )


def mutable_state(tree):
    """No global that can change and no static local in pure code: same view, same plan."""
    for path, text in tree.items():
        if not is_pure(path):
            continue
        found = scan(text)
        for function in found.functions:
            for match in re.finditer(r"\bstatic\s+(?!const\b|constexpr\b)", function.body):
                line = function.body_line + function.body.count("\n", 0, match.start())
                yield Finding(path, line, "purity", f"{function.name} keeps a static local between calls")
        for statement in found.statements:
            before = re.split(r"[={]", statement.text, maxsplit=1)[0]
            if statement.scope == "type" and not re.match(
                r"(?:inline\s+)?static\s+(?!const)", statement.text
            ):
                continue
            if (
                NOT_A_VARIABLE.match(statement.text)
                or "(" in before
                or "operator" in before
                or " " not in before
            ):
                continue
            yield Finding(
                path, statement.line, "purity", f"a global that can change: {' '.join(before.split())}"
            )


def names(tree):
    for path, text in tree.items():
        if is_code(path, text) and VAGUE_FILE.search(os.path.basename(path)):
            yield Finding(path, 1, "names", "the file's name says nothing; name the idea")
        if is_cpp(path):
            code = without_comments_and_strings(text)
            for match in VAGUE_NAME.finditer(code):
                yield Finding(
                    path,
                    line_of(code, match.start()),
                    "names",
                    f"{match.group(1)} says nothing; name the idea",
                )


def headers(tree):
    """A header opens with what it is; a source includes its own first, which proves it self-contained."""
    for path, text in tree.items():
        if suffix(path) == ".hpp":
            opening = re.match(r"((?://[^\n]*\n)+)(?:\s*\n)*#pragma once\n", text)
            if not opening or len(opening.group(1).strip("/ \n")) < 20:
                yield Finding(path, 1, "header", "opens with a paragraph of // comment, then #pragma once")
        own = path[: -len(".cpp")] + ".hpp"
        if suffix(path) == ".cpp" and own in tree:
            first = re.search(r'^\s*#\s*include\s+[<"]([^>"]+)', text, re.M)
            if not first or first.group(1) != own:
                yield Finding(path, 1, "header", f'includes "{own}" first')


def one_definition(tree):
    """Two types or constants of one name in one namespace: undefined where one program has both."""
    first = {}
    for path, text in sorted(tree.items()):
        if not is_cpp(path) or top_folder(path) == "test":
            continue
        spaces = []
        for number, line in enumerate(text.split("\n"), 1):
            if opened := re.match(r"namespace ([\w:]*) ?\{$", line):
                spaces.append(opened.group(1))
            elif line.startswith("}  // namespace"):
                spaces.pop()
            elif "" not in spaces and (
                named := re.match(r"(?:struct|class|enum class|union) (\w+)(?!\w|<|::)[^;]*$", line)
                or re.match(r"inline (?:constexpr|const) [^=({]*?\b(\w+)(?:\[\w*\])? ?[={]", line)
            ):
                name = "::".join([*spaces, named.group(1)])
                known = first.setdefault(name, path)
                if known != path:
                    yield Finding(path, number, "one definition", f"{name} is also in {known}")


RULES = [
    layers,
    model_knows_no_policy,
    allowed_includes,
    file_length,
    line_length,
    function_length,
    class_length,
    banned_calls,
    mutable_state,
    names,
    headers,
    one_definition,
]
