#!/usr/bin/env bash
# cross_checks.sh PROGRAM EXECUTIONS [JOBS]: hunts every recipe for so many executions, a quarter of
# them each with 2 (in two rounds), 3, 4 and 5 clients: all strategies in turn, all kinds of faults,
# up to three in one execution. None may break.
set -euo pipefail
program=$1 quarter=$(($2 / 4)) jobs=${3:-1}
failures=0 hunted=0

recipes() {
  { "$program" list --json | tr -d '\n' | tr '{' '\n' && echo; } |
    sed -nE '/"kind": *"recipe"/s/.*"name": *"([^"]*)".*/\1/p'
}

while read -r name; do
  hunted=$((hunted + 1))
  for clients in 2 3 4 5; do
    found=$("$program" hunt "$name" --clients $clients --rounds $((clients == 2 ? 2 : 1)) \
      --executions $quarter --fault-budget 3 --seed $((1000 + clients)) --jobs "$jobs" --json) && continue
    failures=$((failures + 1))
    echo "$name with $clients clients: $found"
  done
done < <(recipes)

echo "$hunted recipes hunted for $((4 * quarter)) executions each, $failures violations"
[ "$hunted" -gt 0 ] && [ "$failures" = 0 ]
