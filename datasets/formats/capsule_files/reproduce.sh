#!/bin/sh
# Prints the tables of this release, counted anew from its files, what its sample run scores, and what of its claims holds.
#
#     sh capsule/reproduce.sh [FOLDER]
#
# It makes an environment with exactly the packages of requirements.txt, checked by their hashes, and the measures as they
# were when the release was made: in FOLDER, which is kept, or else in one that is removed at the end. It needs Python 3.11
# to 3.13 (PYTHON names another than python3) and the package index that pip is configured for. The exit code is 0 if all
# claims hold, 1 if not.
set -eu
unset PYTHONPATH PYTHONHOME
capsule=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=$(dirname -- "$capsule")
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
    echo "$0: found $("$python" --version 2>&1), expected Python 3.11 to 3.13; PYTHON=python3.12 sh $0 names another" >&2
    exit 2
fi
if [ $# -gt 0 ]; then
    mkdir -p -- "$1"
    made=$(CDPATH='' cd -- "$1" && pwd)
    case $made/ in "$release"/*)
        echo "$0: found the folder $made, expected one outside the release, to which nothing may be added" >&2
        exit 2
    esac
else
    made=$(mktemp -d)
    trap 'rm -rf -- "$made"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi
echo "making an environment in $made" >&2
"$python" -m venv "$made"
"$made/bin/python" -m pip --disable-pip-version-check install --quiet --require-hashes --only-binary :all: \
    --requirement "$capsule/requirements.txt"
"$made/bin/python" -m pip --disable-pip-version-check install --quiet --no-index --no-deps "$capsule"/qreels_eval-*.whl
truth=val
grep -q query_id "$release/val.json" || truth=test
"$made/bin/qreels-eval" score "$release/$truth.json" "$release/sample_run.jsonl"
echo
"$made/bin/qreels-eval" verify --tables "$release"
