#!/usr/bin/env bash
# races.sh BUILD: installs a build, compiles a user's threaded code against it with ThreadSanitizer, and
# expects that a hunt finds the race of race.cc, each time in the same schedule, and none in order_desk.cc.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
steady=(setarch "$(uname -m)" -R)  # GCC 12's runtime cannot start under the widest address randomization.
"${steady[@]}" true 2>/dev/null || steady=()

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cmake --install "$build" --prefix "$scratch/installed" >/dev/null
# built NAME FLAGS: configures and builds this folder there.
built() {
  cmake -G Ninja -S "$here" -B "$scratch/$1" -DCMAKE_PREFIX_PATH="$scratch/installed" \
    -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS="$2" >/dev/null
  cmake --build "$scratch/$1" >/dev/null
}
built plain -O0
built sanitized '-O1 -g1 -fsanitize=thread'
# With the race that is known in the C client (tsan.supp).
export TSAN_OPTIONS=halt_on_error=1:suppressions=$here/../../tsan.supp

line=$(grep -n '// The race' "$here/race.cc" | cut -d: -f1)
for i in 1 2; do
  if "${steady[@]}" "$scratch/sanitized/race" >"$scratch/race$i" 2>&1; then fail 'no race is found'; fi
  grep -q 'WARNING: ThreadSanitizer: data race' "$scratch/race$i" || { cat "$scratch/race$i"; fail 'no race'; }
  grep -q "race.cc:$line " "$scratch/race$i" || { cat "$scratch/race$i"; fail "the race is not that of line $line"; }
  grep -o '^  LOCKSTEP_REPLAY=.*' "$scratch/race$i" >"$scratch/replay$i" || { cat "$scratch/race$i"; fail 'no replay string'; }
done
cmp "$scratch"/replay[12] || fail 'the race is found in another schedule'
cat "$scratch/replay1"

expected=$("$scratch/plain/order_desk" 200)
hash=$("${steady[@]}" "$scratch/sanitized/order_desk" 200) || fail 'a race in code that has none'
[ "$hash" = "$expected" ] || fail "the sanitizer changes the trace hash: $hash, not $expected"
echo "$hash  200 executions without a race"
