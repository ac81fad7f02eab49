#!/bin/bash
# Hunts the production backend with AddressSanitizer in front of malloc:
#
#   tests/hunted/asan.sh PROGRAM EXECUTIONS
#
# The program is built without the sanitizer, which then sees each block that is allocated or freed,
# by the C client too, and not each access. It cannot start its symbolizer on a hunted stack.
set -euo pipefail

program=$1 executions=$2
LD_PRELOAD=$(readlink -f "$(g++ -print-file-name=libasan.so)")
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:symbolize=0

for scenario in read-write-lock fair-mutex-blocking; do
  "$program" hunt "$scenario" --backend zookeeper --executions "$executions" --rounds 2 \
    --fault-budget 3 --seed 2
done
