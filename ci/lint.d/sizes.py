# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Files of at most 500 lines, functions of at most 60 (100 in a .cu, where kernels live).

ci/lint.d/allowlist has the exceptions: "path reason" or "path:function reason" a line.
"""
import os
import re

import tree

FILE_LINES = 500
FUNCTION_LINES = 60
KERNEL_LINES = 100
ALLOWLIST = "ci/lint.d/allowlist"
COUNTED = tree.HOST_SUFFIXES + (".def", ".py", ".cmake", ".txt")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
LEAD = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")
NAME = re.compile(r"([A-Za-z_~][\w:~]*)\s*\(")


def allowlist(root):
    allowed, complaints = {}, []
    if not os.path.isfile(os.path.join(root, ALLOWLIST)):
        return allowed, complaints
    for number, line in enumerate(tree.text_of(root, ALLOWLIST).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(" ")
        if not reason.strip():
            complaints.append(f"{ALLOWLIST}:{number}: {name} has no reason")
        if not os.path.isfile(os.path.join(root, name.split(":")[0])):
            complaints.append(f"{ALLOWLIST}:{number}: {name} does not exist")
        allowed[name] = reason
    return allowed, complaints


def functions(text):
    """(name, first line, line count) of every function body. Lambdas belong to what holds them."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  tree.without_comments(text), flags=re.MULTILINE)
    found, stack, head_start = [], [], 0
    for match in re.finditer(r"[{};]", text):
        at = match.start()
        if match.group() == "{" and text[at - 1:at].strip():
            # clang-format sets a space before a body and none before an initialiser, x_{1}: that
            # one belongs to the head that it stands in.
            stack.append(("initialiser", "", at))
            continue
        if match.group() == "{":
            head = text[head_start:at]
            inside = any(kind == "body" for kind, *_ in stack)
            stack.append((*kind_of(head, inside), head_start + LEAD.match(head).end()))
        elif match.group() == "}" and stack:
            kind, name, start = stack.pop()
            if kind == "initialiser":
                continue
            if kind == "body":
                first = tree.line_of(text, start)
                found.append((name, first, tree.line_of(text, at) - first + 1))
        head_start = at + 1
    return found


def kind_of(head, inside_body):
    call = NAME.search(head)
    if inside_body:
        return "inner", ""
    if call and not re.search(r"=\s*$", head) and not re.match(r"\s*(namespace|enum)\b", head):
        declares_type = SCOPE.search(head) and head.rstrip()[-1:] not in (")", "t", "e")
        return ("scope", "") if declares_type and ")" not in head else ("body", call.group(1))
    return ("scope", "") if SCOPE.search(head) else ("inner", "")


def check(root):
    allowed, complaints = allowlist(root)
    for path in tree.files(root):
        if not path.endswith(COUNTED):
            continue
        text = tree.text_of(root, path)
        count = len(text.splitlines())
        if count > FILE_LINES and path not in allowed:
            complaints.append(f"{path}: {count} lines, at most {FILE_LINES}")
        if path.endswith(tree.HOST_SUFFIXES):
            complaints += check_functions(path, text, allowed)
    return complaints


def check_functions(path, text, allowed):
    most = KERNEL_LINES if path.endswith((".cu", ".cuh")) else FUNCTION_LINES
    return [f"{path}:{first}: {name} has {count} lines, at most {most}"
            for name, first, count in functions(text)
            if count > most and f"{path}:{name}" not in allowed]


if __name__ == "__main__":
    tree.main(check)
