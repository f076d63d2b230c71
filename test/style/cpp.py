"""Just enough C++ to measure it: comments and strings blanked, functions found, statements of a scope.

Not a parser. It knows braces, parentheses and what usually stands before them; the code this is run on is
formatted by clang-format and compiled with all warnings, so that is enough.
"""

import re
from dataclasses import dataclass, field

LITERAL = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.S,
)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
FUNCTION_TAIL = re.compile(
    r"\)(?:\s*(?:const\b|noexcept\b(?:\s*\([^)]*\))?|override\b|final\b|mutable\b|&&?"
    r"|->[^;{}]*|requires\b[^;{}]*))*\s*$",
    re.S,
)
TYPE_HEAD = re.compile(
    r"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:enum\s+)?(?:class|struct|union|enum)\b", re.S
)
NAMESPACE_HEAD = re.compile(r'^\s*(?:inline\s+)?(?:namespace\b|extern\s*""?)', re.S)
MEMBER_INITIALIZER = re.compile(r"\)\s*(?:noexcept\s*)?:[^:]", re.S)
FUNCTION_NAME = re.compile(r"([\w:~]+(?:\s*operator\s*[^\s(]+)?)\s*\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments_and_strings(text):
    """The same text, line for line; a string keeps its quotes."""

    def replace(match):
        found = match.group(0)
        blanked = blank(match)
        if found.startswith("/"):
            return blanked
        return found[0] + blanked[1:-1] + found[-1]

    return LITERAL.sub(replace, text)


@dataclass
class Function:
    name: str
    first: int  # line of its head
    last: int  # line of its closing brace
    body: str
    body_line: int  # line on which the body begins


@dataclass
class Statement:
    scope: str  # "namespace" or "type"
    line: int
    text: str


@dataclass
class Scan:
    functions: list = field(default_factory=list)
    statements: list = field(default_factory=list)


def matching(text, start):
    """The index of the bracket that closes the one at start; the end of the text if none does."""
    opening = text[start]
    closing = {"(": ")", "{": "}"}[opening]
    depth = 0
    for match in re.compile(rf"[{re.escape(opening + closing)}]").finditer(text, start):
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.start()
    return len(text) - 1


def kind_of(head):
    """What the brace after this head opens."""
    if NAMESPACE_HEAD.match(head):
        return "namespace"
    if MEMBER_INITIALIZER.search(head) and re.search(r"[\w>]\s*$", head) and not FUNCTION_TAIL.search(head):
        return "initializer"
    if FUNCTION_TAIL.search(head) or (MEMBER_INITIALIZER.search(head) and re.search(r"[)}]\s*$", head)):
        return "function"
    if TYPE_HEAD.match(head) and "=" not in head:
        return "type"
    return "initializer"


def scan(text):
    """Functions and statements of all namespace and class scopes; what is inside a function is its body."""
    code = PREPROCESSOR.sub(blank, without_comments_and_strings(text))
    found = Scan()
    scopes = ["namespace"]
    start = position = 0

    def line_at(index):
        return code.count("\n", 0, index) + 1

    def head_line():
        return line_at(start + len(code[start:]) - len(code[start:].lstrip()))

    for_each = re.compile(r"[(){};]")
    while match := for_each.search(code, position):
        position = match.end()
        symbol, head = match.group(), code[start : match.start()]
        if symbol == "(":
            position = matching(code, match.start()) + 1
        elif symbol == ";":
            if head.strip():
                found.statements.append(Statement(scopes[-1], head_line(), head.strip()))
            start = position
        elif symbol == "}":
            if len(scopes) > 1:
                scopes.pop()
            start = position
        elif symbol == "{":
            kind = kind_of(re.sub(r"^\s*(?:public|private|protected)\s*:", "", head))
            if kind in ("namespace", "type"):
                scopes.append("type" if kind == "type" else "namespace")
                start = position
                continue
            end = matching(code, match.start())
            position = end + 1
            if kind == "function":
                names = FUNCTION_NAME.findall(head)
                name = next((name for name in names if name != "requires"), "a function")
                body = code[match.start() : end + 1]
                found.functions.append(
                    Function(name, head_line(), line_at(end), body, line_at(match.start()))
                )
                start = position
    return found
