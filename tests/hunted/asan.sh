#!/bin/bash
# Hunts the production backend with AddressSanitizer in front of malloc:
#
#   tests/hunted/asan.sh PROGRAM EXECUTIONS
#
# The program itself is built without the sanitizer, which therefore sees every allocation and free,
# also the C client's, but not every access. It cannot start its symbolizer on a hunted stack.
set -euo pipefail

program=$1 executions=$2
LD_PRELOAD=$(readlink -f "$(g++ -print-file-name=libasan.so)")
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:symbolize=0

for scenario in read-write-lock fair-mutex-blocking; do
  "$program" hunt "$scenario" --backend zookeeper --executions "$executions" --rounds 2 \
    --fault-budget 3 --seed 2
done
