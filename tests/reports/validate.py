# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""validate.py [--schema NAME] FILE…: exit 0 where every file fits docs/schema/NAME.schema.json, the
audit's where none is named."""
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("validate: python3-jsonschema is missing: ci/install --test")

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def validator(name):
    with open(os.path.join(ROOT, f"docs/schema/{name}.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def complaints(document, name="audit"):
    return [f"{error.json_path}: {error.message}"
            for error in validator(name).iter_errors(document)]


if __name__ == "__main__":
    words, schema = sys.argv[1:], "audit"
    if words[:1] == ["--schema"]:
        schema, words = words[1], words[2:]
    broken = False
    for path in words:
        with open(path, encoding="utf-8") as handle:
            for complaint in complaints(json.load(handle), schema):
                print(f"{path}: {complaint}")
                broken = True
    sys.exit(1 if broken or not words else 0)
