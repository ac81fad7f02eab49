// Runs in the page that run.sh makes: frames of several widths show a timeline each; what is wrong
// with one of them is listed as text. Needs contrast.js.
"use strict";

// ----------------------------------------------------------------------------------- the slider

// What exists after a step, worked out from the record alone.
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

function checkStep(document, record, step, where) {
  const name = `${where}, step ${step}`;
  expect(document.documentElement.dataset.step === String(step), `${name}: the step is another one`);
  expect(document.getElementById("step-title").textContent === `Step ${step} of ${record.steps}`, `${name}: heading`);
  expect(shownZnodes(document) === expectedZnodes(record, step), `${name}: tree is ${shownZnodes(document)}`);
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

// ------------------------------------------------------------------------------ names and layout

function checkNames(view, where) {
  const {document} = view;
  expect(document.documentElement.lang === "en", `${where}: no language`);
  expect(document.querySelectorAll("h1").length === 1, `${where}: not one h1`);
  for (const each of document.querySelectorAll("button, input, [role=button], svg[role]")) {
    const name = each.getAttribute("aria-label") || each.textContent.trim();
    expect(name || each.closest("[hidden]"), `${where}: <${each.tagName}> has no name`);
  }
  const reachable = document.querySelectorAll("#timeline [tabindex='0']");
  expect(reachable.length === 1, `${where}: ${reachable.length} rows are tab stops`);
}

function checkLayout(view, where) {
  const {document} = view;
  const page = document.documentElement;
  expect(page.scrollWidth <= view.innerWidth, `${where}: the page is ${page.scrollWidth} pixels wide`);
  const right = document.querySelector("#timeline svg").getBoundingClientRect().right + 1;
  const texts = [...document.querySelectorAll("#timeline text")];
  expect(texts.length > 10, `${where}: ${texts.length} texts in the timeline`);
  for (const text of texts) {
    expect(text.getBoundingClientRect().right <= right, `${where}: "${text.textContent}" is cut off`);
  }
}

// --------------------------------------------------------------------------------------- the page

function checkFrame(frame, scheme) {
  const view = frame.contentWindow;
  const where = `${frame.width} px, ${scheme}`;
  expect(view.innerWidth === Number(frame.width), `${where}: the frame is ${view.innerWidth} px wide`);
  const dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  expect(dark === (scheme === "dark"), `${where}: the scheme is another one`);
  try {
    checkSlider(view, where);
    checkNames(view, where);
    checkLayout(view, where);
    checkContrast(view, where);
  } catch (error) {
    wrong.push(`${where}: ${error.stack}`);
  }
  for (const problem of view.problems) wrong.push(`${where}: the page reports ${problem}`);
}

addEventListener("load", () => {
  const {scheme} = document.body.dataset;
  const frames = [...document.querySelectorAll("iframe")];
  expect(frames.length === 2, "two frames");
  for (const frame of frames) checkFrame(frame, scheme);
  document.getElementById("result").textContent = wrong.length ? `WRONG ${wrong.join(" | ")}` : "ALL CHECKED";
});
