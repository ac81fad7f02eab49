#!/usr/bin/env bash
# run.sh PROGRAM: opens the program's timelines in headless Chromium, light and dark, at 1200 and at
# 400 pixels, moves the slider through all steps and checks the page (check.js).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# browse ADDRESS [OPTION...]: prints the page after its scripts have run.
browse() {
  local address=$1
  shift
  timeout 120 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
    --window-size=1300,900 --virtual-time-budget=20000 "$@" --dump-dom "$address" 2>"$scratch/chromium.log"
}

# as_attribute FILE: prints the page for the attribute srcdoc, with an error handler.
as_attribute() {
  local trap='<script>var problems=[];addEventListener("error",e=>problems.push(e.message));'
  trap+='addEventListener("unhandledrejection",e=>problems.push(String(e.reason)));'
  trap+='for(const k of ["error","warn"])console[k]=(...w)=>problems.push(w.join(" "));</script>'
  sed "0,/<head>/s|<head>|<head>${trap//&/\\&}|" "$1" | sed 's/&/\&amp;/g; s/"/\&quot;/g'
}

# check PAGE SCHEME: prints the problems of a page; true if there are none.
check() {
  local page=$1 scheme=$2 preferred=1 width result
  [ "$scheme" = light ] || preferred=0
  {
    echo "<!doctype html><meta charset=utf-8><body data-scheme=$scheme><pre id=result>NOT RUN</pre>"
    for width in 1200 400; do
      printf '<iframe width=%d height=800 style="border:0" srcdoc="' "$width"
      as_attribute "$page"
      echo '"></iframe>'
    done
    echo '<script>'
    cat "$here/contrast.js" "$here/check.js"
    echo '</script></body>'
  } >"$scratch/harness.html"
  browse "file://$scratch/harness.html" --blink-settings=preferredColorScheme=$preferred >"$scratch/checked.html"
  result=$(sed -n '/<pre id="result">/,/<\/pre>/p' "$scratch/checked.html" | head -n 40)
  [[ $result == *'ALL CHECKED'* ]] || { echo "${result:-the browser showed nothing}"; return 1; }
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

write() { "$program" hunt "$1" --seed 1 --executions 5000 --html "$scratch/$1.html" >/dev/null || true; }

# The scenarios show two lanes, a fault, watch events, and ten lanes.
scenarios=(zoo-01-wait-after-missing-predecessor zoo-07-create-without-guid fair-mutex textbook-b-herd ten)
for scenario in "${scenarios[@]}"; do
  if [ "$scenario" = ten ]; then
    "$program" hunt fair-mutex --clients 10 --seed 1 --executions 10 --html "$scratch/ten.html" >/dev/null
  else
    write "$scenario"
  fi
  for scheme in light dark; do
    check "$scratch/$scenario.html" $scheme || fail "$scenario, $scheme"
    echo "$scenario, $scheme: every step, the keyboard, names, contrast, layout"
  done
done

# The address selects the step.
for step in 0 3 8; do
  browse "file://$scratch/${scenarios[0]}.html#step=$step" | grep -q "data-step=\"$step\"" ||
    fail "#step=$step shows another step"
done
echo 'the step in the address is shown'

# Each of these changes breaks the page, and the check must notice it.
broken() {
  local words=$1 expression=$2 page=$scratch/${3-${scenarios[0]}}.html
  sed "$expression" "$page" >"$scratch/broken.html"
  ! cmp -s "$page" "$scratch/broken.html" || fail "nothing was broken: $words"
  if check "$scratch/broken.html" light >"$scratch/found.txt"; then fail "not noticed: $words"; fi
  grep -q WRONG "$scratch/found.txt" || fail "not looked at: $words"
  echo "noticed: $words: $(sed -n 's/.*WRONG \([^|]*\).*/\1/p' "$scratch/found.txt" | head -n 1)"
}
broken 'the tree stays as it is' 's/^    drawTree(current);$//'
broken 'a znode that was deleted stays' 's/else znodes.delete(change.p);//'
broken 'the queue stays as it is' 's/^    drawQueues(current);$//'
broken 'nothing plays' 's/playing = setInterval/playing = (() => 1)/'
broken 'it plays on' 's/^    clearInterval(playing);$//'
broken 'a watch has no line' 's/^    drawWatches(under, place);$//'
broken 'nobody is told' 's/^    drawWakes(under, place);$//' textbook-b-herd
broken 'it is printed as it is' 's/^    addEventListener("beforeprint".*//'
broken 'no version' 's/>lockstep [0-9.]*</></'
broken 'nothing is highlighted' 's/const fresh = .*/const fresh = false;/'
broken 'the keyboard is dead' 's/addEventListener("keydown", pressed);//'
broken 'an error on the console' 's/^  drawLegend();$/drawLegend(); console.error("broken");/'
broken 'an exception' 's/^  listen();$/listen(); missing();/'
broken 'pale text' 's/--soft: #545d72;/--soft: #a0a8b8;/'
broken 'clients of one colour' 's/kLaneColors = 10;/kLaneColors = 6;/' ten
broken 'a page that is too wide' 's/^  max-width: 1680px;$/min-width: 1300px;/'
broken 'a button without a name' 's/ aria-label="Next step">&rsaquo;/>/'

echo 'the timeline works in Chromium'
