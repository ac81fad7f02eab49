#!/usr/bin/env bash
# schedules.sh PROGRAM [NAME...]: hunts the broken locks (all, or those named) with the seeds 1 to 3,
# and keeps each one's shortest failing schedule in zoo/<name>.txt, where zoo_test.cc replays it.
set -euo pipefail
program=${1:?usage: schedules.sh PROGRAM [NAME...]}
shift
folder=$(dirname "$0")/zoo
mkdir -p "$folder"
[ $# -gt 0 ] || set -- $("$program" list --json | grep -oE '"name": *"(zoo|textbook)-[^"]*"' | cut -d '"' -f 4)

# number KEY JSON, word KEY JSON: the value of a key.
number() { sed -nE "s/.*\"$1\": *([0-9]+).*/\1/p" <<<"$2"; }
word() { sed -nE "s/.*\"$1\": *\"([^\"]*)\".*/\1/p" <<<"$2"; }

for name in "$@"; do
  best=''
  for seed in 1 2 3; do
    found=$("$program" hunt "$name" --seed "$seed" --json) || [ $? = 1 ]
    violation=$(tr -d '\n' <<<"$found" | grep -oE '"violation": *\{.*' || true)
    [ -n "$violation" ] || continue
    steps=$(number steps "$violation")
    if [ -z "$best" ] || [ "$steps" -lt "$best" ]; then
      best=$steps
      word replay "$violation" >"$folder/$name.txt"
    fi
  done
  [ -n "$best" ] || { echo "$name: nothing found" >&2; exit 1; }
done
