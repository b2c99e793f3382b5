# Sourced by the scripts beside it: stands in the checkout with a complete .venv, made or mended if need be.
# Leaves $python behind. Two scripts started at once wait for each other.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '%s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in "${QREELS_PYTHON:-}" python3.11 python3 python; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  say "Qreels needs Python 3.11, and there is none on the PATH (found: $(python3 --version 2>/dev/null || echo 'no python3'))."
  say "Install it, or name it: QREELS_PYTHON=/path/to/python3.11 $0"
  return 1
}

install_requirements() {
  local stamp=.venv/installed wanted
  wanted=$(cksum <requirements.txt)
  if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    return
  fi
  local base
  base=$(find_python) || return 1
  if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    say "Making .venv with $base ..."
    "$base" -m venv .venv || { say "The virtual environment can't be made; on Debian: apt-get install python3.11-venv"; return 1; }
  fi
  say "Installing $(grep -c '==' requirements.txt) pinned packages into .venv; the first time this takes some minutes ..."
  local quiet=-q
  if [ -t 2 ]; then quiet=; fi
  if ! .venv/bin/python -m pip install $quiet --disable-pip-version-check -r requirements.txt >&2; then
    say "The packages could not be installed (see above). What is installed so far is kept: run this again."
    return 1
  fi
  printf '%s' "$wanted" >"$stamp"
}

if command -v flock >/dev/null 2>&1; then
  exec 9>>.venv.lock
  flock -n 9 || { say "Another script is installing .venv; waiting for it ..."; flock 9; }
  install_requirements || exit 1
  exec 9>&-
else
  install_requirements || exit 1
fi

python="$PWD/.venv/bin/python"
# The models come in packages: nothing is ever asked of a hub unless somebody allows it.
export HF_HUB_OFFLINE="${HF_HUB_OFFLINE:-1}"
