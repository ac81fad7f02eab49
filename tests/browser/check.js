// Runs in the page that run.sh makes, with a timeline in frames of several widths. Lists problems
// as text. Needs contrast.js.
"use strict";

const kColors = 10;
const kLeastDifference = 25;  // Ten times the difference that is just noticeable side by side.

// ----------------------------------------------------------------------------------- the slider

// The znodes after a step, computed from the record alone.
function expectedZnodes(record, step) {
  const znodes = new Set();
  for (const change of record.changes.filter((each) => each.s <= step)) {
    if (change.k === "created") znodes.add(change.p);
    if (change.k === "deleted") znodes.delete(change.p);
  }
  return [...znodes].map((path) => path.slice(path.lastIndexOf("/") + 1)).sort().join(" ");
}

function shownZnodes(document) {
  const lines = [...document.querySelectorAll("#tree .znode:not(.deleted):not(.missing) .name")];
  return lines.map((line) => line.textContent).filter((name) => name !== "/").sort().join(" ");
}

// The contenders in the queue, computed from the record alone.
function expectedQueue(record, step) {
  const names = expectedZnodes(record, step).split(" ").filter((name) => /\d{10}$/.test(name));
  return names.sort((one, other) => Number(one.slice(-10)) - Number(other.slice(-10))).join(" ");
}

function shownQueue(document) {
  return [...document.querySelectorAll("#queues .name")].map((name) => name.textContent).join(" ");
}

// The words after "watches", by place. A contender's other watches belong to other places.
function expectedWatches(record, step) {
  const parentOf = (path) => path.slice(0, path.lastIndexOf("/"));
  const places = new Map();
  for (const change of record.changes.filter((each) => each.s <= step && /\d{10}$/.test(each.p))) {
    if (change.k === "created") places.set(change.p, change);
    if (change.k === "deleted") places.delete(change.p);
  }
  const lines = [];
  for (const [path, {l, f}] of places) {
    if (record.grants.some((each) => each.z === f && each.bs <= step && step < (each.gs ?? each.es ?? Infinity))) continue;
    const own = [...places].filter(([other, place]) => place.l === l && parentOf(other) === parentOf(path)).length;
    const names = record.watches.filter((each) => each.p === l && each.b <= step && step < (each.e ?? Infinity))
      .map((each) => each.n)
      .filter((name) => name === parentOf(path) || (parentOf(name) === parentOf(path) && (name !== path || own === 1)));
    if (names.length > 0) lines.push(`${path} ${names.map((name) => name.slice(name.lastIndexOf("/") + 1)).join(", ")}`);
  }
  return lines.map((line) => line.slice(line.lastIndexOf("/") + 1)).sort().join("; ");
}

function shownWatches(document) {
  const lines = [...document.querySelectorAll("#queues li")].map((line) => [
    line.querySelector(".name").textContent, line.querySelector(".chip.soft")?.textContent ?? "",
  ]);
  return lines.filter(([, words]) => words).map(([name, words]) => `${name} ${words.replace("watches ", "")}`).sort().join("; ");
}

function checkStep(document, record, step, where) {
  const name = `${where}, step ${step}`;
  expect(document.documentElement.dataset.step === String(step), `${name}: the step is another one`);
  expect(document.getElementById("step-title").textContent === `Step ${step} of ${record.steps}`, `${name}: heading`);
  expect(shownZnodes(document) === expectedZnodes(record, step), `${name}: tree is ${shownZnodes(document)}`);
  expect(shownQueue(document) === expectedQueue(record, step), `${name}: queue is ${shownQueue(document)}`);
  expect(shownWatches(document) === expectedWatches(record, step), `${name}: the queue shows "${shownWatches(document)}", not "${expectedWatches(record, step)}"`);
  const changed = new Set(record.changes.filter((each) => each.s === step && step > 0).map((each) => each.p));
  const marked = document.querySelectorAll("#tree .created, #tree .deleted, #tree .changed");
  expect(marked.length === changed.size, `${name}: ${marked.length} znodes are highlighted`);
  const selected = [...document.querySelectorAll("#timeline .row.selected")];
  expect(selected.every((row) => Number(row.dataset.step) === step), `${name}: selected rows`);
}

function checkSlider(view, where) {
  const {document} = view;
  const record = JSON.parse(document.getElementById("record").textContent);
  const slider = document.getElementById("step");
  const trees = new Set();
  for (let step = 0; step <= record.steps; ++step) {
    slider.value = step;
    slider.dispatchEvent(new view.Event("input", {bubbles: true}));
    checkStep(document, record, step, where);
    trees.add(document.getElementById("tree").innerHTML);
  }
  expect(trees.size > 2, `${where}: the slider shows ${trees.size} different trees`);
  const press = (key) => document.body.dispatchEvent(new view.KeyboardEvent("keydown", {key, bubbles: true}));
  for (const [key, step] of [["Home", 0], ["ArrowRight", 1], ["ArrowRight", 2], ["ArrowLeft", 1], ["End", record.steps]]) {
    press(key);
    checkStep(document, record, step, `${where}, key ${key}`);
  }
  const row = document.querySelector("#timeline g.row");
  row.dispatchEvent(new view.MouseEvent("click", {bubbles: true}));
  checkStep(document, record, Number(row.dataset.step), `${where}, click`);
}

// The page plays from the first step, and pauses. (Time is virtual: see run.sh.)
async function checkPlay(view, where) {
  const {document} = view;
  const press = (key) => document.body.dispatchEvent(new view.KeyboardEvent("keydown", {key, bubbles: true}));
  const step = () => Number(document.documentElement.dataset.step);
  const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const button = document.getElementById("play");
  press("Home");
  press("p");
  expect(button.getAttribute("aria-label") === "Pause", `${where}: it does not say that it plays`);
  await after(1800);
  expect(step() >= 2, `${where}: after 1.8 seconds it shows step ${step()}`);
  button.click();
  const paused = step();
  await after(1800);
  expect(step() === paused, `${where}: it does not pause`);
  expect(button.getAttribute("aria-label") === "Play", `${where}: it does not say that it pauses`);
}

// The step of the row at that height.
function stepAt(document, y) {
  const rows = [...document.querySelectorAll("#timeline g.row")];
  return rows.find((row) => {
    const box = row.querySelector(".hit");
    const top = Number(box.getAttribute("y"));
    return top <= y && y < top + Number(box.getAttribute("height"));
  })?.dataset.step;
}

// Each watch event has an arrow from the change with its zxid, unless that is left out.
function checkWakes(document, record, where) {
  const shown = new Set(record.moments.map((moment) => moment.i));
  const expected = [];
  for (const moment of record.moments.filter((each) => each.k === "watch")) {
    const zxid = moment.d.find(([name]) => name === "zxid")[1];
    const change = record.changes.find((each) => String(each.z) === zxid);
    expect(change, `${where}: no change has the zxid ${zxid} of a watch event`);
    if (change && shown.has(change.m)) expected.push(`${change.s} to ${moment.s}`);
  }
  const arrows = [...document.querySelectorAll("#timeline .wake")].map((arrow) => {
    const numbers = arrow.getAttribute("d").match(/[\d.]+/g).map(Number);
    return `${stepAt(document, numbers[1])} to ${stepAt(document, numbers.at(-1))}`;
  });
  expect(arrows.join() === expected.join(), `${where}: arrows from step ${arrows.join()}, not ${expected.join()}`);
  const kept = record.watches.filter((watch) => watch.e === null).length;
  const armed = document.querySelectorAll("#timeline .armed").length;
  expect(armed >= kept, `${where}: ${armed} of ${kept} watches are shown`);
}

// ------------------------------------------------------------------------------ names and layout

function checkNames(view, where) {
  const {document} = view;
  expect(/^lockstep \d+\.\d+/.test(document.querySelector(".brand").textContent), `${where}: no version`);
  expect(document.documentElement.lang === "en", `${where}: no language`);
  expect(document.querySelectorAll("h1").length === 1, `${where}: not one h1`);
  for (const each of document.querySelectorAll("button, input, [role=button], svg[role]")) {
    const name = each.getAttribute("aria-label") || each.textContent.trim();
    expect(name || each.closest("[hidden]"), `${where}: <${each.tagName}> has no name`);
  }
  const reachable = document.querySelectorAll("#timeline [tabindex='0']");
  expect(reachable.length === 1, `${where}: ${reachable.length} rows are tab stops`);
}

// Ten clients have ten colours, each on the name of its lane.
function checkColors(view, record, where) {
  const names = [...view.document.querySelectorAll("#lane-names span[title]")].slice(0, Math.min(record.lanes.length, kColors));
  const inks = names.map((name) => color(view.getComputedStyle(name).color).rgb);
  inks.forEach((ink, index) => inks.slice(0, index).forEach((other, before) => {
    const apart = difference(ink, other);
    expect(apart >= kLeastDifference, `${where}: lanes ${before + 1} and ${index + 1} differ by ${apart.toFixed(0)}`);
  }));
}

// A button says what it has done, and after a while again what it does.
async function checkCopy(view, where) {
  const {document} = view;
  const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const button = document.querySelector(".snippet .button");
  if (!button) return;
  const words = () => `${button.textContent}, ${button.getAttribute("aria-label")}`;
  const before = words();
  for (let click = 0; click < 2; ++click) {
    button.click();
    await after(300);
    expect(words() !== before, `${where}: the button does not say that it has copied`);
    expect(button.getAttribute("aria-label").startsWith(button.textContent), `${where}: the button's name is ${words()}`);
  }
  await after(2500);
  expect(words() === before, `${where}: the button still says ${words()}`);
}

// Before it is printed, the drawing gets the width of the paper and is cut where pages may end.
function checkPrint(view, where) {
  const {document} = view;
  const drawings = () => [...document.querySelectorAll("#timeline svg")];
  const legend = document.querySelector("details.legend");
  const width = () => drawings()[0].viewBox.baseVal.width;
  const rows = document.querySelectorAll("#timeline .row").length;
  const before = width();
  view.dispatchEvent(new view.Event("beforeprint"));
  expect(width() === 680, `${where}: on paper it is ${width()} px wide`);
  const most = Math.max(...drawings().map((drawing) => drawing.viewBox.baseVal.height));
  expect(most < 400, `${where}: on paper a drawing is ${most} px high`);
  expect(document.querySelectorAll("#timeline .row").length === rows, `${where}: paper lacks rows`);
  expect(legend.open, `${where}: paper has no legend`);
  view.dispatchEvent(new view.Event("afterprint"));
  expect(width() === before, `${where}: after printing it is ${width()} px wide`);
  expect(drawings().length === 1, `${where}: after printing there are ${drawings().length} drawings`);
  expect(!legend.open, `${where}: after printing the legend is open`);
}

function checkLayout(view, where) {
  const {document} = view;
  const page = document.documentElement;
  expect(page.scrollWidth <= view.innerWidth, `${where}: the page is ${page.scrollWidth} pixels wide`);
  const drawing = document.querySelector("#timeline svg").getBoundingClientRect();
  const [left, right] = [drawing.left - 1, drawing.right + 1];
  const texts = [...document.querySelectorAll("#timeline text")];
  expect(texts.length > 10, `${where}: ${texts.length} texts in the timeline`);
  for (const text of texts) {
    const box = text.getBoundingClientRect();
    expect(box.right <= right && box.left >= left, `${where}: "${text.textContent}" is cut off`);
  }
}

// --------------------------------------------------------------------------------------- the page

async function checkFrame(frame, scheme) {
  const view = frame.contentWindow;
  const where = `${frame.width} px, ${scheme}`;
  expect(view.innerWidth === Number(frame.width), `${where}: the frame is ${view.innerWidth} px wide`);
  const dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  expect(dark === (scheme === "dark"), `${where}: the scheme is another one`);
  try {
    checkSlider(view, where);
    checkWakes(view.document, JSON.parse(view.document.getElementById("record").textContent), where);
    await checkPlay(view, where);
    await checkCopy(view, where);
    checkNames(view, where);
    checkColors(view, JSON.parse(view.document.getElementById("record").textContent), where);
    checkPrint(view, where);
    checkLayout(view, where);
    checkContrast(view, where);
  } catch (error) {
    wrong.push(`${where}: ${error.stack}`);
  }
  for (const problem of view.problems) wrong.push(`${where}: the page reports ${problem}`);
}

addEventListener("load", async () => {
  const {scheme} = document.body.dataset;
  const frames = [...document.querySelectorAll("iframe")];
  expect(frames.length === 2, "two frames");
  for (const frame of frames) await checkFrame(frame, scheme);
  document.getElementById("result").textContent = wrong.length ? `WRONG ${wrong.join(" | ")}` : "ALL CHECKED";
});
