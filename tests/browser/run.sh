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

# The scenarios show two lanes, a fault, watch events, servers that lag, several queues, and ten lanes.
scenarios=(zoo-01-wait-after-missing-predecessor zoo-07-create-without-guid fair-mutex textbook-b-herd
  unfair-mutex-on-three-servers multi-lock ten)
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

# in_sight FILE STEP: the row of the step in the address is inside the window.
in_sight() {
  local look='<script>addEventListener("load",()=>{const box=document.querySelector("#timeline .selected")'
  look+='.getBoundingClientRect();document.body.dataset.seen=box.top>=0\&\&box.bottom<=innerHeight;});</script>'
  sed "s|</body>|$look</body>|" "$1" >"$scratch/looked_at.html"
  browse "file://$scratch/looked_at.html#step=$2" | grep -q '<body data-seen="true"'
}
for step in 3 90; do in_sight "$scratch/ten.html" $step || fail "step $step is out of sight"; done
sed 's/^  goToAddress();$//' "$scratch/ten.html" >"$scratch/unmoved.html"
if in_sight "$scratch/unmoved.html" 90; then fail 'not noticed: the page stays at its top'; fi
echo 'the step in the address is in sight'

# The first page of paper has steps.
first_page() {
  rm -f "$scratch/printed.pdf"
  timeout 120 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
    --print-to-pdf="$scratch/printed.pdf" "file://$1" 2>"$scratch/chromium.log" >&2
  pdftotext -l 1 -layout "$scratch/printed.pdf" "$scratch/printed.txt"
  grep -q 'create /lock' "$scratch/printed.txt"
}
first_page "$scratch/ten.html" || fail 'the first page of paper has no steps'
sed 's/#timeline svg, .inspector .card/.stage, .inspector .card/' "$scratch/ten.html" >"$scratch/together.html"
if first_page "$scratch/together.html"; then fail 'not noticed: a timeline that does not begin on the first page'; fi
echo 'paper begins with the first steps'

# Below the line that says that events are left out, the first row has its step.
"$program" hunt fair-mutex --clients 64 --rounds 3 --seed 1 --executions 1 --html "$scratch/long.html" >/dev/null
has_step_after_gap() {
  browse "file://$1" | grep -Eq \
    'events are left out</text><g [^>]*data-step="([0-9]+)"[^>]*><rect [^>]*></rect><text class="number"[^>]*>\1<'
}
has_step_after_gap "$scratch/long.html" || fail 'the row below a gap has no step'
sed 's/before.kind === "gap" ||//' "$scratch/long.html" >"$scratch/nameless.html"
if has_step_after_gap "$scratch/nameless.html"; then fail 'not noticed: a row without its step'; fi
echo 'the row below a gap has its step'

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
broken 'the last change is the cause' 's/String(change.z) === told.zxid/change.s > 0 \&\& change.m < moment.i/' \
  unfair-mutex-on-three-servers
broken 'a watch of another queue' 's/ \&\& concerns(each.n))/)/' multi-lock
broken 'it says for ever that it has copied' 's/^    clearTimeout(restoring.*//; s/say("Copy", title, button), kS/say(button.textContent, title, button), kS/'
broken 'one drawing on all pages' 's/kRowsOnPaper = 12/kRowsOnPaper = 999/' ten
broken 'paper without a legend' 's/legend.open = paper > 0 ||/legend.open =/'
broken 'it is printed as it is' 's/^    addEventListener("beforeprint".*//'
broken 'no version' 's/>lockstep [0-9.]*</></'
broken 'nothing is highlighted' 's/const fresh = .*/const fresh = false;/'
broken 'the keyboard is dead' 's/addEventListener("keydown", pressed);//'
broken 'an error on the console' 's/^  drawLegend();$/drawLegend(); console.error("broken");/'
broken 'an exception' 's/^  listen();$/listen(); missing();/'
broken 'pale text' 's/--soft: #545d72;/--soft: #a0a8b8;/'
broken 'clients of one colour' 's/kLaneColors = 10;/kLaneColors = 6;/' ten
broken 'a page that is too wide' 's/^body { max-width: 1680px; }$/body { min-width: 1300px; }/'
broken 'a button without a name' 's/ aria-label="Next step">&rsaquo;/>/'

echo 'the timeline works in Chromium'
