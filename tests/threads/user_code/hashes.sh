#!/usr/bin/env bash
# hashes.sh BUILD [EXECUTIONS]: installs a build, compiles a user's threaded code against it with GCC and
# Clang, optimized and not, and compares the trace hashes of its hunt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 executions=${2-1000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/installed" >/dev/null
expected=
for compiler in 'g++ -O2' 'g++ -O0' 'clang++-19 -O2'; do
  read -r program optimization <<<"$compiler"
  cmake -G Ninja -S "$here" -B "$scratch/$compiler" -DCMAKE_PREFIX_PATH="$scratch/installed" \
    -DCMAKE_CXX_COMPILER="$program" -DCMAKE_CXX_FLAGS="$optimization" >/dev/null
  cmake --build "$scratch/$compiler" --target order_desk >/dev/null
  hash=$("$scratch/$compiler/order_desk" "$executions")
  echo "$hash  $executions executions of code compiled by $compiler"
  [ "$hash" = "${expected:=$hash}" ] || { echo 'FAILED: another compiler gives another hash' >&2; exit 1; }
done
