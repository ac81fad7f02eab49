# shellcheck shell=bash disable=SC2034
# Shared by ./run and ./test: the required packages, and how the tree is built. Sourced, not run. Writes only
# to stderr: the standard output of ./run belongs to the program.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

run_packages=(g++ cmake ninja-build libboost-context-dev libboost-dev libcli11-dev nlohmann-json3-dev
  libssl-dev libzookeeper-mt-dev)
test_packages=("${run_packages[@]}" ccache python3 pkg-config libgtest-dev libgmock-dev librapidcheck-dev zookeeper)
# The libraries whose contenders share locks with ours, and kazoo's own tests; not for ./test --quick.
peer_packages=(libcurator-recipes-java python3-kazoo python3-mock python3-objgraph python3-pytest python3-pytest-timeout)

# A tool may come from elsewhere than its package; a library must be the packaged one.
is_installed() {
  case $1 in
    g++ | cmake | ccache | chromium | python3 | pkg-config) command -v "$1" >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    clang-19) command -v clang++-19 >/dev/null ;;
    clang-format-19 | clang-tidy-19) command -v "$1" >/dev/null ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac
}

# update_package_lists [COMMAND-PREFIX...]: the lists may be locked, as when a machine that has just started
# updates them itself.
update_package_lists() {
  local attempt
  for attempt in 1 2 3 4 5 6; do
    if "$@" apt-get update -qq; then return; fi
    [ "$attempt" = 6 ] || { echo 'apt-get update has failed; trying again in 10 s' && sleep 10; }
  done
  echo 'going on with the lists of packages that are there'
}

# need PACKAGE...: installs missing packages, or prints how to and stops.
need() {
  local package missing=() as_root=()
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0

  local install=(apt-get install --yes --no-install-recommends "${missing[@]}")
  if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
  if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "packages are missing; as root: ${install[*]}" >&2
    exit 2
  fi
  echo "installing ${missing[*]}" >&2
  update_package_lists "${as_root[@]}" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -qq -o DPkg::Lock::Timeout=300 >&2 ||
    { echo "could not install the packages (apt-get says above why); as root: ${install[*]}" >&2; exit 2; }
}

# configure PRESET [CMAKE-ARGUMENT...]
configure() { (cd "$top" && cmake --preset "$@"); }

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --build "$top/build/$preset" --parallel "$jobs" ${1:+--target "$@"}
}

# lock_tree COMMAND...: locks descriptor 9, which is build/lock, so that runs do not build over each other.
# While another one holds it, returns without it once the command succeeds.
lock_tree() {
  local status=0
  flock --nonblock 9 || status=$?
  [ $status != 1 ] || echo 'waiting for another ./run or ./test' >&2
  while [ $status = 1 ] && ! "$@"; do
    status=0
    flock --timeout 1 9 || status=$?
  done
  [ $status -le 1 ]  # More is an error of flock.
}

program=$top/build/release/bin/lockstep
stamp=$top/build/release/program.stamp

# True if no file or folder that the program is made from has changed since its build.
program_is_current() {
  [ -x "$program" ] && [ -e "$stamp" ] || return 1
  local sources=("$top"/{CMakeLists.txt,CMakePresets.json,core,fakezk,backends,property})
  [ -z "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]
}

# build_program TARGET...: builds these targets of the release preset, including the program. The
# stamp has the time when the build began, so that a file saved meanwhile counts as changed.
build_program() {
  touch "$stamp.new" && build release "$@" && mv "$stamp.new" "$stamp"
}
