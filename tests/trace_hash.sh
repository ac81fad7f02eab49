#!/usr/bin/env bash
# trace_hash.sh PROGRAM...: the same hunts must give the same trace hash in every build of the program
# (compilers, optimisation levels, sanitizers) and with any number of jobs. A difference means that
# something outside the seed decides: an address, an uninitialised byte, an order of evaluation.
set -euo pipefail
[ $# -ge 1 ] || { echo 'usage: trace_hash.sh PROGRAM...' >&2; exit 2; }

zoo=$("$1" list --json | grep -oE '"zoo-01-[^"]*"' | head -n 1 | tr -d '"')
hunts=(
  "fair-mutex"
  "fair-mutex --faults none"
  "${zoo:?the program lists no zoo-01 scenario}"
)

# hash PROGRAM HUNT JOBS
hash() {
  local status=0 answer options
  read -ra options <<<"$2 --executions 2000 --seed 7 --clients 3 --strategy random --jobs $3 --json"
  answer=$("$1" hunt "${options[@]}") || status=$?
  [ $status -le 1 ] || { echo "$1 hunt $2: exit status $status" >&2; return 1; }  # 1: a violation, as expected of zoo-01.
  tr -d '\n' <<<"$answer" | sed -nE 's/.*"trace_hash": *"?([0-9a-zA-Z]+).*/\1/p' | grep .
}

differences=0
for hunt in "${hunts[@]}"; do
  expected=$(hash "$1" "$hunt" 1)
  echo "$expected  $hunt"
  for program in "$@"; do
    for jobs in 1 2; do
      got=$(hash "$program" "$hunt" $jobs)
      [ "$got" = "$expected" ] && continue
      echo "  $got from $program with $jobs jobs"
      differences=$((differences + 1))
    done
  done
done
[ $differences = 0 ]
