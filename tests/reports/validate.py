# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""validate.py FILE…: exit 0 where every file fits docs/schema/audit.schema.json."""
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("validate: python3-jsonschema is missing: ci/install --test")

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def validator():
    with open(os.path.join(ROOT, "docs/schema/audit.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def complaints(document):
    return [f"{error.json_path}: {error.message}" for error in validator().iter_errors(document)]


if __name__ == "__main__":
    broken = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as handle:
            for complaint in complaints(json.load(handle)):
                print(f"{path}: {complaint}")
                broken = True
    sys.exit(1 if broken or len(sys.argv) < 2 else 0)
