#!/usr/bin/env python3
"""Finds private words and people's pronouns: vocabulary.py [--report] [--words] [ROOT] [PATH-PREFIX...].

The project uses the standard terms of its field (CONTRIBUTING.md). This rule knows the words that stood in
for such terms, and the standard term for each. It looks at paths, identifiers and prose; a word counts
as such within an identifier as well (`RisingCrowds`, `crowd_of`). A job, a node or a VM is "it": "who",
"whom", "nobody", "everybody" and "somebody" may only speak of people.

--report prints the findings and succeeds; --words prints a count for each word instead.
"""

import argparse
import collections
import pathlib
import re
import sys

from tree import Finding, is_code, is_cpp, read_tree, suffix

# Word -> the term to use. Each stands for its plural too.
TERMS = {
    "bearer": "preemption candidate",
    "chore": "pending work",
    "crowd": "contention group",
    "desk": "request handler",
    "errand": "background task",
    "house": "project",
    "hurry": "waiting pressure",
    "notebook": "policy state",
    "outlook": "stretch prediction",
    "outsider": "unplaced job",
    "rival": "baseline",
    "settle": "allocate shares",
    "settled": "allocated",
    "settling": "share allocation",
    "sheet": "job spec",
    "storm": "fault injection run",
    "stranger": "newcomer",
    "tally": "counters",
    "tour": "demo",
    "twin": "reference implementation",
}
# Words with a good common meaning too: only as a whole identifier or a part of one, never in prose.
TERMS_IN_NAMES = {
    "board": "decision context, planning state",
    "border": "feasibility threshold",
    "judge": "conformance checker",
    "leap": "probe",
    "room": "free capacity",
    "worth": "dual value",
}
PEOPLE = re.compile(
    r"\b(?:administrators?|anyone|authors?|callers?|developers?|engineers?|maintainers?|newcomers?"
    r"|operators?|people|persons?|readers?|researchers?|someone|they|those|users?|you)\b[^.;:]{0,40}$",
    re.I,
)
PRONOUN = re.compile(r"\b(?:who|whom|nobody|everybody|somebody)\b(?!-)", re.I)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
CPP_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
SCRIPT_COMMENT = re.compile(r"(?<![$\w{])#[^\n]*|\"\"\".*?\"\"\"", re.S)

# (pattern of paths, words, why): what is exempt there. "*" stands for every word and pronoun.
EXCEPTIONS = [
    (r"CHANGELOG\.md", {"*"}, "tells what things were called"),
    (r"test/style/vocabulary(_test)?\.py", {"*"}, "lists the words"),
    (r"LICENSE|NOTICE|CITATION\.cff", {"*"}, "not our text"),
    (
        r"docs/policy\.md|policies/aliquot/(aliquot|spec)\.[ch]pp|policies/built_in_policies\.cpp"
        r"|test/unit/policies/aliquot/(spec|share_allocation)_test\.cpp"
        r"|tools/experiments/beyond/beyond\.cpp",
        {"hurry"},
        "an option of ALIQUOT that users type",
    ),
    (
        r"GLOSSARY\.md|docs/console\.md|manager/page/(console\.cpp|actions\.js)"
        r"|test/unit/manager/(console_test\.cpp|page/(page_test|served)\.py)"
        r"|test/unit/monitor/watch/live_feed_test\.cpp",
        {"bearer"},
        "the scheme of HTTP by which a token is shown",
    ),
    (r"test/(golden|fuzz)/.*\.(jsonl|csv|swf|txt|json|gz)", {"*"}, "recorded data"),
]
COMPOUNDS = re.compile(r"steady_clock|style ?sheets?|stylesheets?|pin ?board|data ?sheets?|twins of")


def singular(word):
    return word[:-1] if word.endswith("s") and word[:-1] in TERMS | TERMS_IN_NAMES else word


def exempt(path, word):
    return any(re.fullmatch(pattern, path) and words & {"*", word} for pattern, words, _ in EXCEPTIONS)


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def private_words(path, text):
    """(line, word, term) of each identifier or word of prose that holds a private word."""
    is_prose = suffix(path) == ".md"
    for match in IDENTIFIER.finditer(COMPOUNDS.sub(lambda m: " " * len(m.group()), text)):
        parts = WORD.findall(match.group())
        for part in parts:
            word = singular(part.lower())
            compound = len(parts) > 1 or part != part.lower()
            if word in TERMS:
                yield line_of(text, match.start()), match.group(), TERMS[word], word
            elif word in TERMS_IN_NAMES and compound and not is_prose and part != match.group():
                yield line_of(text, match.start()), match.group(), TERMS_IN_NAMES[word], word


def prose(path, text):
    """The same text with all that is not prose blanked."""
    if suffix(path) == ".md":
        return text
    comments = CPP_COMMENT if is_cpp(path) else SCRIPT_COMMENT
    kept, at = [], 0
    for match in comments.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[at : match.start()]) + match.group())
        at = match.end()
    return "".join(kept) + re.sub(r"[^\n]", " ", text[at:])


def pronouns(path, text):
    words = prose(path, text)
    for match in PRONOUN.finditer(words):
        before = re.sub(r"\s*\n\s*(?://|#)?\s*", " ", words[max(0, match.start() - 90) : match.start()])
        if not PEOPLE.search(before):
            yield line_of(words, match.start()), match.group()


def vocabulary(tree):
    for path, text in tree.items():
        for part in WORD.findall(path):
            word = singular(part.lower())
            if word in TERMS and not exempt(path, word):
                yield Finding(path, 1, "vocabulary", f"'{word}' in the path: {TERMS[word]}")
        is_text = suffix(path) in (".md", ".cmake") or path.endswith("CMakeLists.txt")
        if not is_text and not is_code(path, text):
            continue
        for line, name, term, word in private_words(path, text):
            if not exempt(path, word):
                yield Finding(path, line, "vocabulary", f"'{name}': the term is {term}")
        for line, word in pronouns(path, text):
            if not exempt(path, word.lower()):
                yield Finding(path, line, "vocabulary", f"'{word}' speaks of a person; a thing is 'it'")


RULES = [vocabulary]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true", help="succeed, whatever is found")
    parser.add_argument("--words", action="store_true", help="count each word instead")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("prefixes", nargs="*", help="only files whose path begins so")
    given = parser.parse_args()
    found = sorted(
        finding
        for finding in vocabulary(read_tree(given.root))
        if finding.path.startswith(tuple(given.prefixes or [""]))
    )
    if given.words:
        counted = collections.Counter(re.search("'(.*?)'", finding.text).group(1) for finding in found)
        for word, count in counted.most_common():
            print(f"{count:6} {word}")
    else:
        for finding in found:
            print(finding)
    print(f"{len(found)} findings in {len({finding.path for finding in found})} files")
    return 0 if given.report else int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
