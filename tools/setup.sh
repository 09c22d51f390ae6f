#!/usr/bin/env bash
# Brings a machine to where `make build` and `make test` work: Debian packages and .venv/.
# Safe to run at any time; when nothing is missing it takes a fraction of a second.
#
#   PYTHON=python3.12 tools/setup.sh    another interpreter for .venv
#   tools/setup.sh browser              also what `make test-browser` needs
#   tools/setup.sh arm                  also what `make test-arm` needs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
required=(libhwy-dev libre2-dev zlib1g-dev libgtest-dev libbenchmark-dev ninja-build)
optional=(ccache)
updated=no

say() { printf 'setup: %s\n' "$*"; }
die() {
  say "$*" >&2
  exit 1
}

check_tools() {
  local tool missing=()
  for tool in git g++ cmake make "$python"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [ ${#missing[@]} -eq 0 ] || die "please install first: ${missing[*]}"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    die "$python is older than Python 3.10; set PYTHON to a newer one"
}

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      echo "$package"
  done
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || die "not root; please run: sudo apt-get install $*"
    as_root=(sudo -n)
  fi
  say "installing $*"
  [ "$updated" = yes ] || "${as_root[@]}" apt-get -qq update
  updated=yes
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y install --no-install-recommends "$@" >/dev/null
}

check_packages() {
  local wanted=("${required[@]}") missing
  # Debian splits ensurepip, which venv needs, off its own interpreter.
  "$python" -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3-venv)
  # The same with the headers that the Python module is built with.
  "$python" -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' \
    2>/dev/null || wanted+=(python3-dev)
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: make sure you have what Debian calls ${wanted[*]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if [ ${#missing[@]} -gt 0 ]; then
    install_packages "${missing[@]}"
    # Only beside something that had to be installed anyway: nobody needs it to build.
    mapfile -t missing < <(missing_packages "${optional[@]}")
    [ ${#missing[@]} -eq 0 ] || (install_packages "${missing[@]}") || true
  fi
}

# The stamp names everything .venv was made from, its own place included: its scripts hold that path.
check_venv() {
  local stamp=.venv/.setup-stamp key
  key=$({
    cat tools/setup.sh requirements-build.txt requirements-dev.txt
    pwd
    echo "${PYTHON:-}"
  } | sha256sum)
  if [ -f $stamp ] && [ "$(cat $stamp)" = "$key" ] && .venv/bin/python -c '' 2>/dev/null; then
    return
  fi
  say "making .venv with $("$python" --version)"
  "$python" -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    -r requirements-build.txt -r requirements-dev.txt
  link_package
  echo "$key" >$stamp
}

# .venv sees the package where it is: its Python files in python/penstock, and beside them the module
# that the release build puts there.
link_package() {
  local site
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/python" >"$site/penstock.pth"
  printf '#!%s\nimport sys\n\nfrom penstock._cli import main\n\nsys.exit(main())\n' \
    "$PWD/.venv/bin/python" >.venv/bin/penstock
  chmod +x .venv/bin/penstock
}

# A browser and the readers of the exports: chromium, `go tool pprof`, and requirements-browser.txt.
check_browser() {
  local stamp=.venv/.browser-stamp key missing
  if command -v apt-get >/dev/null; then
    mapfile -t missing < <(missing_packages chromium golang-go)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
  else
    say "no apt-get here: make sure you have chromium and go"
  fi
  key=$(sha256sum requirements-browser.txt)
  if [ -f $stamp ] && [ "$(cat $stamp)" = "$key" ]; then
    return
  fi
  say "installing requirements-browser.txt into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-browser.txt
  echo "$key" >$stamp
}

# A cross compiler, an emulator, and the libraries for 64-bit ARM, of this Debian release, in a folder.
check_arm() {
  local sysroot=build/aarch64-sysroot key suite missing compiler=g++-aarch64-linux-gnu
  command -v apt-get >/dev/null || die "the libraries for ARM are Debian packages: no apt-get here"
  # One of a certain version does too.
  ! compgen -c aarch64-linux-gnu-g++ >/dev/null || compiler=
  mapfile -t missing < <(missing_packages $compiler qemu-user mmdebstrap)
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
  key=$(sha256sum requirements-build.txt)
  if [ -f $sysroot/.setup-stamp ] && [ "$(cat $sysroot/.setup-stamp)" = "$key" ]; then
    return
  fi
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  say "making $sysroot from packages of $suite for arm64"
  mkdir -p build && rm -rf $sysroot
  mmdebstrap --quiet --variant=extract --architectures=arm64 \
    --include=libc6-dev,libhwy-dev,libre2-dev,zlib1g-dev,libgtest-dev,libbenchmark-dev "$suite" $sysroot
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --platform manylinux_2_28_aarch64 --target $sysroot/opt \
    "$(grep -o '^scipy-openblas32==[0-9.]*' requirements-build.txt)"
  echo "$key" >$sysroot/.setup-stamp
}

check_tools
check_packages
check_venv
case ${1:-} in
  browser) check_browser ;;
  arm) check_arm ;;
esac
