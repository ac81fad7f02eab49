#!/usr/bin/env bash
# hunts.sh PROGRAM EXECUTIONS: hunts every scenario of the program for that many executions. A recipe
# must hold; a textbook lock or a lock of the zoo must break the guarantee it says it breaks.
set -euo pipefail
program=$1 executions=$2
failures=0 hunted=0

# "name kind expects" of each scenario, one a line.
scenarios() {
  { "$program" list --json | tr -d '\n' | tr '{' '\n' && echo; } | while IFS= read -r line; do
    for key in name kind expects; do
      sed -nE "s/.*\"$key\": *\"([^\"]*)\".*/\1/p" <<<"$line"
    done | paste -sd ' '
  done | grep -E '^\S+ \S+ \S+$'
}

while read -r name kind expects; do
  status=0
  found=$("$program" hunt "$name" --executions "$executions" --seed 1 --json) || status=$?
  oracle=$(sed -nE 's/.*"oracle": *"([^"]*)".*/\1/p' <<<"$(tr -d '\n' <<<"$found")")
  hunted=$((hunted + 1))
  case $status,$expects,$oracle in
    0,pass,) ;;
    1,"$oracle","$expects") ;;
    *)
      failures=$((failures + 1))
      echo "$kind $name: expected $expects, got ${oracle:-no violation} (exit status $status)"
      echo "  $program hunt $name --executions $executions --seed 1" ;;
  esac
done < <(scenarios)

echo "$hunted scenarios hunted, $failures not as expected"
[ "$hunted" -gt 0 ] && [ "$failures" = 0 ]
