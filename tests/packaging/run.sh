#!/usr/bin/env bash
# run.sh BUILD: installs a build that has the production backend, and one without it, made by a
# project that has Lockstep as a subproject. Builds the projects beside this file against both, and
# a program with only pkg-config. Clang checks the code that must cause warnings: GCC 12 overlooks a
# co_await whose result is dropped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# For a project that only has to build: this takes half the time.
unoptimized=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O0 -DNDEBUG' -DLOCKSTEP_UNITY_BUILD=ON)
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

# consume NAME PROJECT [CMAKE-ARGUMENT...]: configures, builds and runs a project of this folder.
consume() {
  local name=$1 project=$2
  shift 2
  cmake -G Ninja -S "$here/$project" -B "$scratch/$name" -DCMAKE_BUILD_TYPE=Release "$@" &&
    cmake --build "$scratch/$name" --target consumer --parallel "$(nproc)" &&
    "$scratch/$name/consumer"
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

echo '== installed with the production backend'
cmake --install "$build" --prefix "$scratch/with" >/dev/null
consume simulation simulation -DCMAKE_PREFIX_PATH="$scratch/with"
consume production production -DCMAKE_PREFIX_PATH="$scratch/with"
"$here/installed_headers.py" "$scratch/with"

echo '== production contains nothing of the simulated world'
# contains_room CONSUMER ROOM: whether the program has symbols of the room's namespace.
contains_room() { grep -q "lockstep::$2::" "$scratch/$1.symbols"; }
for consumer in production simulation; do nm -C "$scratch/$consumer/consumer" >"$scratch/$consumer.symbols"; done
contains_room production zookeeper || fail 'the production consumer does not contain the backend'
for room in fakezk fake search judge lab; do
  contains_room simulation $room || fail "no symbol of $room can be found, even where it is linked"
  if contains_room production $room; then fail "the production consumer contains $room"; fi
done

echo '== with pkg-config alone'
export PKG_CONFIG_PATH=$scratch/with/lib/pkgconfig
[ "$(pkg-config --modversion lockstep-core)" = "$(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' "$source/CMakeLists.txt")" ] ||
  fail 'lockstep-core.pc has another version'
# with_pkg_config PACKAGE SOURCE
with_pkg_config() {
  local flags
  read -ra flags <<<"$(pkg-config --cflags --libs "$1")"
  g++ -std=c++23 -O0 "$2" "${flags[@]}" -o "$scratch/$1" || fail "$2 does not build with $1"
}
with_pkg_config lockstep-core "$here/main.cc"
with_pkg_config lockstep-zookeeper "$source/examples/lock_in_production.cc"
"$scratch/lockstep-core"
"$scratch/lockstep-zookeeper" 2>"$scratch/usage" || grep -q '^usage: ' "$scratch/usage" || fail 'built with pkg-config, it does not start'

echo '== with the address sanitizer of the user alone'
# with_headers SOURCE [ARGUMENT...]: builds a program with the installed libraries.
with_headers() {
  local flags
  read -ra flags <<<"$(pkg-config --cflags --libs lockstep-core)"
  g++ -std=c++23 -O0 "$@" "${flags[@]}" -o "$scratch/with_headers"
}
# GCC 12's sanitizers cannot start under the widest address randomization.
steady=(setarch "$(uname -m)" -R)
"${steady[@]}" true 2>/dev/null || steady=()
with_headers "$here/frames.cc" -fsanitize=address || fail 'frames.cc does not build with the address sanitizer'
"${steady[@]}" "$scratch/with_headers" || fail 'the address sanitizer finds a mistake'
if with_headers "$here/frames.cc" -DLOCKSTEP_POISON_FRAMES -fsanitize=address 2>"$scratch/errors"; then
  fail 'a program with another layout of the frame pool links'
fi
grep -q 'undefined reference to .*poisoned_frames' "$scratch/errors" || { cat "$scratch/errors"; fail 'the link error does not name it'; }

echo '== an older language is one error'
for compiler in g++ clang++-19; do
  if "$compiler" -std=c++20 -fsyntax-only -I "$scratch/with/include" "$source/examples/lock_in_production.cc" 2>"$scratch/errors"; then
    fail "$compiler compiles C++20"
  fi
  [ "$(grep -c 'error:' "$scratch/errors")" = 1 ] && grep -q 'error:.*compile with -std=c++23' "$scratch/errors" ||
    { cat "$scratch/errors"; fail "$compiler with -std=c++20"; }
done

echo '== a dropped grant is a warning'
# unused_results [ARGUMENT...]: prints the lines where Clang reports a dropped result.
unused_results() {
  clang++-19 -std=c++23 -fsyntax-only -Wall -Wextra "$@" -I "$scratch/with/include" "$here/dropped/dropped.cc" 2>&1 |
    sed -n 's/.*dropped.cc:\([0-9]*\):.*\[-Wunused-result\]$/\1/p'
  return "${PIPESTATUS[0]}"
}
expected=$(grep -n '^  MAY_BE_DROPPED' "$here/dropped/dropped.cc" | cut -d: -f1)
found=$(unused_results) || fail 'dropped.cc does not compile'
[ -n "$found" ] && [ "$found" = "$expected" ] ||
  fail "dropped on lines $(echo $expected), and a warning for lines $(echo $found)"
found=$(unused_results -DKEPT) || fail 'dropped.cc does not compile with -DKEPT'
[ -z "$found" ] || fail "a warning although nothing is dropped, on lines $(echo $found)"

echo '== the regression tests that hunts print'
regression=$scratch/regression
cmake -G Ninja -S "$here/regression" -B "$regression" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$scratch/with" -DLOCKSTEP_SOURCE_DIR="$source" -DLOCKSTEP_BUILD="$(realpath "$build")"
cmake --build "$regression" --parallel "$(nproc)"
"$regression/repaired" || fail 'the test does not pass although the lock is repaired'
# fails_with TEST ORACLE: checks that the broken lock's test fails and names the oracle.
fails_with() {
  if "$regression/$1" >"$scratch/$1.log"; then fail "$1: the test passes although the lock is broken"; fi
  grep -q "replayed as recorded, breaks $2" "$scratch/$1.log" || { cat "$scratch/$1.log"; fail "$1: not $2"; }
}
fails_with broken S1
fails_with scenario L1

echo '== as a subproject, and what that installs, without the production backend'
consume subproject subproject -DLOCKSTEP_SOURCE_DIR="$source" -DLOCKSTEP_WITH_ZOOKEEPER=OFF -DLOCKSTEP_INSTALL=ON "${unoptimized[@]}"
if grep -q '^ZooKeeper_' "$scratch/subproject/CMakeCache.txt"; then fail 'CMake looked for libzookeeper nevertheless'; fi
cmake --build "$scratch/subproject" --parallel "$(nproc)" --target lockstep_installed
cmake --install "$scratch/subproject" --prefix "$scratch/without" >/dev/null
consume simulation-only simulation -DCMAKE_PREFIX_PATH="$scratch/without"
if consume refused production -DCMAKE_PREFIX_PATH="$scratch/without" >"$scratch/refused.log" 2>&1; then
  fail 'a package without the production backend accepted COMPONENTS zookeeper'
fi
tr -s '\n ' ' ' <"$scratch/refused.log" | grep -q 'built with LOCKSTEP_WITH_ZOOKEEPER=OFF' || {
  cat "$scratch/refused.log"
  fail 'COMPONENTS zookeeper was refused without saying why'
}

echo '== recipes of package managers'
"$here/recipes.py"

echo 'all consumers build'
