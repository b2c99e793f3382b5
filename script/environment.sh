# Sourced by the scripts beside it: stands in the checkout with a complete .venv, made or mended if need be.
# $requirements names the list to install: requirements.txt, the product's, unless the script says another.
# Leaves $python behind. Two scripts started at once wait for each other.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

requirements=${requirements:-requirements.txt}
# The installer, several times as fast as pip, which installs it and everything else where it can't be had.
uv_pin=uv==0.13.9

say() { printf '%s\n' "$*" >&2; }

# Prints major.minor of the Python at $1 if Qreels runs on it. Fast: it is asked at every start.
supported_version() {
  "$1" -I -S -c 'import sys; v = sys.version_info; print("%d.%d" % v[:2]); sys.exit(not (3, 11) <= v[:2] <= (3, 13))' 2>/dev/null
}

# Whether the Python at $1 was compiled with a profile of what it does, as a system's own is, and not without, as pyenv
# does by default: plain Python takes a third more then.
is_optimised() {
  "$1" -c 'import sys, sysconfig; sys.exit(sys.base_prefix != "/usr" and "--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""))' 2>/dev/null
}

# Prints the first on the PATH that is optimised, or the first if none is.
find_python() {
  local candidate bare= first= candidates
  if [ -n "${QREELS_PYTHON:-}" ]; then
    if ! supported_version "$QREELS_PYTHON" >/dev/null; then
      say "QREELS_PYTHON names $QREELS_PYTHON ($("$QREELS_PYTHON" --version 2>/dev/null || echo "which doesn't run")): Qreels needs Python 3.11, 3.12 or 3.13."
      return 1
    fi
  fi
  mapfile -t candidates < <(
    if [ -n "${QREELS_PYTHON:-}" ]; then command -v "$QREELS_PYTHON"; else type -aP python3.11 python3.12 python3.13 python3 python; fi
  )
  for candidate in ${candidates[@]+"${candidates[@]}"}; do
    if ! supported_version "$candidate" >/dev/null; then continue; fi
    if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      first=${first:-$candidate}
      if is_optimised "$candidate"; then first=$candidate; break; fi
    else
      bare=${bare:-$candidate}
    fi
  done
  if [ -n "$first" ]; then
    printf '%s\n' "$first"
    return
  fi
  if [ -n "$bare" ]; then
    say "$(command -v "$bare") can't make virtual environments: it lacks venv or ensurepip."
    say "On Debian: apt-get install python$(supported_version "$bare")-venv. Or name another Python: QREELS_PYTHON=/path/to/python3 $0"
  else
    say "Qreels needs Python 3.11, 3.12 or 3.13, and there is none on the PATH (found: $(python3 --version 2>/dev/null || echo 'no python3'))."
    say "Install it, or name it: QREELS_PYTHON=/path/to/python3 $0"
  fi
  return 1
}

# Whether .venv runs, on a supported Python and on that of QREELS_PYTHON if it is set, and still has its packages.
usable() {
  local version
  [ -x .venv/bin/python ] && version=$(supported_version .venv/bin/python) || return 1
  # pip's list of its files is the last thing that is written when an environment is made.
  compgen -G ".venv/lib/python$version/site-packages/pip-*.dist-info/RECORD" >/dev/null || return 1
  [ -z "${QREELS_PYTHON:-}" ] || [ "$version" = "$(supported_version "$QREELS_PYTHON")" ]
}

# The state of one list with what it includes. requirements-dev.txt includes requirements.txt, and that the constraints.
state_of() {
  case "$1" in
    requirements.txt) cat requirements.txt requirements-cuda.txt ;;
    *) cat "$1" requirements.txt requirements-cuda.txt ;;
  esac 2>/dev/null | cksum
}

installed() { [ "$(cat ".venv/installed-$1" 2>/dev/null)" = "$(state_of "$1")" ]; }

# Prints one of pip's options, from its environment variables or its configuration files; $pip_options lists them.
pip_option() {
  local section value
  for section in :env: install global; do
    value=$(sed -n "s/^$section\.$1='\(.*\)'\$/\1/p" <<<"$pip_options" | sed 's/\\n/ /g; s/^ *//; s/ *$//')
    if [ -n "$value" ]; then printf '%s' "$value" && return; fi
  done
}

share() {
  local value
  value=$(pip_option "$2")
  if [ -n "$value" ] && [ -z "${!1:-}" ]; then export "$1=$value"; fi
}

# uv reads none of pip's configuration: it gets the same indexes, folders and constraints. Its own settings win.
share_pip_sources() {
  local pip_options
  pip_options=$(.venv/bin/python -m pip config list 2>/dev/null)
  share UV_DEFAULT_INDEX index-url
  share UV_INDEX extra-index-url
  share UV_FIND_LINKS find-links
  share UV_CONSTRAINT constraint
  share UV_INSECURE_HOST trusted-host
  share SSL_CERT_FILE cert
  if [ -n "${UV_FIND_LINKS:-}" ]; then export UV_FIND_LINKS="${UV_FIND_LINKS// /,}"; fi
  if [ -n "$(pip_option no-index)" ]; then uv_options+=(--no-index); fi
  # The best version of all indexes, as pip takes it.
  export UV_INDEX_STRATEGY="${UV_INDEX_STRATEGY:-unsafe-best-match}"
}

uv_options=()
uv_install() { .venv/bin/uv pip install --python .venv/bin/python ${uv_options[@]+"${uv_options[@]}"} "$@"; }

# Sets $backend to uv's --torch-backend, or to nothing for the build that the package index has by default.
choose_torch() {
  local driver pin found
  backend=
  pin=$(sed -n 's/^\(torch==[^ ;]*\).*/\1/p' requirements.txt)
  if [ -z "$pin" ] || .venv/bin/python -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null; then return; fi
  if driver=$(timeout 20 nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null) && [ -n "$driver" ]; then
    driver=${driver%%$'\n'*}
    # Drivers before 580 don't run CUDA 13, which the default build comes with: uv knows which build they run.
    if [ "${driver%%.*}" -lt 580 ] 2>/dev/null; then
      backend=auto
      say "$pin: the build for the NVIDIA card's driver $driver, which is too old for the default build."
    else
      say "$pin: the default build, with CUDA, because there is an NVIDIA card (driver $driver)."
      return
    fi
  elif found=$(uv_install --dry-run --no-deps "$pin" 2>&1) && [[ $found == *torch==*+cpu* ]]; then
    say "$pin: the CPU build, because nvidia-smi finds no NVIDIA card; the package sources set up here have it."
    return
  else
    backend=cpu
    say "$pin: the CPU build, because nvidia-smi finds no NVIDIA card."
  fi
  # Builds other than the default are on PyTorch's index alone. If it can't be reached that has to show within seconds.
  if ! UV_HTTP_RETRIES=0 UV_HTTP_CONNECT_TIMEOUT=5 UV_HTTP_TIMEOUT=5 \
    uv_install --dry-run --no-deps --torch-backend "$backend" "$pin" >/dev/null 2>&1; then
    backend=
    say "PyTorch's index, which has that build, can't be reached or lacks it: the default build instead. It brings CUDA, several GB."
  fi
}

# A package whose files are not all there is forgotten, so that it is installed again: an installer was killed at work.
forget_half_installed() {
  .venv/bin/python - <<'PYTHON'
import csv, pathlib, shutil, sysconfig

site = pathlib.Path(sysconfig.get_path("purelib"))
for folder in site.glob("*.dist-info"):
    record = folder / "RECORD"
    files = [row[0] for row in csv.reader(record.open()) if row and not row[0].endswith(".pyc")] if record.exists() else []
    if not files or not all((site / name).exists() for name in files):
        shutil.rmtree(folder)
PYTHON
}

install_with_uv() {
  if [ "$(.venv/bin/uv --version 2>/dev/null | cut -d' ' -f2)" != "${uv_pin#*==}" ] &&
    ! .venv/bin/python -m pip install -q --disable-pip-version-check --only-binary :all: "$uv_pin" >&2; then
    say "$uv_pin can't be installed: pip does it all, more slowly, and takes the build of torch that its index has by default."
    return 1
  fi
  share_pip_sources
  local backend quiet=-q
  if [ -t 2 ]; then quiet=; fi
  choose_torch
  if uv_install $quiet ${backend:+--torch-backend "$backend"} -r "$requirements" >&2; then return; fi
  say "uv could not install the packages (see above): trying with pip."
  return 1
}

install_with_pip() {
  local quiet=-q
  if [ -t 2 ]; then quiet=; fi
  .venv/bin/python -m pip install $quiet --disable-pip-version-check -r "$requirements" >&2
}

install_requirements() {
  if usable && installed "$requirements"; then return; fi
  local base list
  if ! usable || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    base=$(find_python) || return 1
    say "Making .venv with $base ..."
    rm -rf .venv  # it is dead, half made, or another Python's
    "$base" -m venv .venv || { say "The virtual environment can't be made (see above)."; return 1; }
  else
    forget_half_installed
  fi
  say "Installing the pinned packages of $requirements into .venv; the first time this takes some minutes ..."
  if ! install_with_uv && ! install_with_pip; then
    say "The packages could not be installed (see above): is there a network, and space on the disk ($(df -Ph .venv | awk 'NR==2 {print $4}') are free)?"
    say "What is installed so far is kept: run this again."
    return 1
  fi
  for list in requirements.txt "$requirements"; do state_of "$list" >".venv/installed-$list"; done
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
# Plain `pytest`, which unlike `python -m pytest` doesn't look in this folder, finds the plugins in tests/.
if [ "$requirements" = requirements-dev.txt ]; then
  # In front: a package that is installed brings tests of its own.
  for site in .venv/lib/python*/site-packages; do
    printf 'import sys; sys.path.insert(0, "%s")\n' "$PWD" >"$site/qreels-checkout.pth"
  done
fi
# Images of containers set it. uv compiles nothing, so every process would compile all that it imports: 9 s for the models.
unset PYTHONDONTWRITEBYTECODE
# The models come in packages: nothing is ever asked of a hub unless somebody allows it.
export HF_HUB_OFFLINE="${HF_HUB_OFFLINE:-1}"
