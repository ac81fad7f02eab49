// Runs in the page of control_page.py: uses the control port's page in each frame, and lists
// problems with what it shows.
"use strict";

const kPatienceMs = 15000;

async function json(page) {
  return (await (await fetch(`/${page}`)).json())[page];
}

// Waits until `holds` returns true; returns false if it never does.
async function until(holds) {
  const end = Date.now() + kPatienceMs;
  while (Date.now() < end) {
    if (await holds()) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

async function expectSoon(holds, words) {
  if (!(await until(holds))) throw words;  // The following checks would also wait in vain.
}

const texts = (root, selector) => [...root.querySelectorAll(selector)].map((each) => each.textContent);
const named = (document, name) =>
  [...document.querySelectorAll("button")].find((each) => each.getAttribute("aria-label") === name);

// ------------------------------------------------------------------------------------ what is shown

async function checkShown(document, where) {
  await expectSoon(async () => {
    const paths = (await json("tree")).map((each) => each.path).join();
    return [...document.querySelectorAll("#tree li")].map((each) => each.dataset.path).join() === paths;
  }, `${where}: the tree is another one`);
  const sessions = await json("sessions");
  await expectSoon(() => texts(document, "#sessions td:first-child").join() ===
    sessions.map((each) => each.id).join(), `${where}: the sessions are others`);
  const owner = sessions[0].id;
  await expectSoon(() => texts(document, "#sessions td:nth-child(4)").some((text) => text.startsWith("/locks/")),
    `${where}: no ephemeral znode`);
  await expectSoon(() => texts(document, "#queues h3").join() === "/locks/nightly", `${where}: the queue`);
  const places = texts(document, "#queues li");
  expect(places.length === 2 && places[0].startsWith("holds") && places[1].startsWith("waits"),
    `${where}: places are ${places.join("; ")}`);
  expect(places[0]?.includes(owner), `${where}: the holder is another one`);
  const watches = await json("watches");
  expect(watches.length > 0, `${where}: nobody watches`);
  await expectSoon(() => texts(document, "#watches td:first-child").join() ===
    watches.map((each) => each.path).join(), `${where}: the watches are others`);
  await expectSoon(async () => {
    const last = (await json("log")).at(-1);
    return document.querySelector("#log td")?.textContent === String(last.number);
  }, `${where}: the last request is not shown`);
  expect(texts(document, "#log td:nth-child(5)").includes("create"), `${where}: no create in the log`);
}

// ------------------------------------------------------------------------------------- what it does

// Every fault has a button with a unique name.
async function checkEveryFault(document, where) {
  for (const fault of await json("faults")) {
    const offered = document.querySelector(`form[data-fault="${fault.fault}"]`) ||
      [...document.querySelectorAll("button")].some((each) => each.textContent === fault.fault);
    expect(offered, `${where}: no button for ${fault.fault}`);
  }
}

async function submit(view, fault, values) {
  const form = view.document.querySelector(`form[data-fault="${fault}"]`);
  if (!form) return expect(false, `no form for ${fault}`);
  for (const [name, value] of Object.entries(values)) form.querySelector(`[name="${name}"]`).value = value;
  form.requestSubmit();
}

async function checkButtons(view, where) {
  const {document} = view;
  const [session] = (await json("sessions")).slice(-1);
  const row = () => [...document.querySelectorAll("#sessions tr")].find((each) => each.textContent.includes(session.id));
  const shows = (words) => () => row()?.textContent.includes(words);
  named(document, `stall session ${session.id}`)?.focus();
  document.activeElement.click();
  await expectSoon(shows("stalled"), `${where}: the session is not stalled`);
  expect(document.activeElement.getAttribute("aria-label") === `stall session ${session.id}`,
    `${where}: the focus is lost`);
  named(document, `resume session ${session.id}`)?.click();
  await expectSoon(shows("on server"), `${where}: the session is not resumed`);
  named(document, "lag server 1")?.click();
  await expectSoon(() => document.getElementById("servers").textContent.includes("lags"), `${where}: no lag`);
  named(document, "catch-up server 1")?.click();
  await expectSoon(() => !document.getElementById("servers").textContent.includes("lags"), `${where}: it lags on`);
}

async function checkForms(view, where) {
  const outcome = view.document.getElementById("outcome");
  await submit(view, "set-counter", {path: "/none", next: "7"});
  await expectSoon(() => outcome.checkVisibility() && outcome.textContent.includes("no znode /none") &&
    outcome.classList.contains("bad"), `${where}: a refusal is not shown`);
  await submit(view, "plan", {seed: "1", ms: "3600000", kinds: "cut, lag"});
  await expectSoon(() => outcome.textContent.startsWith("Done: plan"), `${where}: no plan`);
  await submit(view, "set-counter", {path: "/locks", next: "7"});
  await expectSoon(() => outcome.textContent === "Done: set-counter 7 /locks", `${where}: not done`);
}

// Ends a session: its place in the queue disappears, and the other session holds the lock.
async function checkExpiry(view, where) {
  const {document} = view;
  const [place, next] = (await json("queues"))[0].places;
  named(document, `expire session ${place.session}`)?.click();
  await expectSoon(() => texts(document, "#queues li")[0]?.includes(next.session), `${where}: it still holds`);
}

// ------------------------------------------------------------------------------- names and layout

function checkNames(view, where) {
  const {document} = view;
  expect(document.documentElement.lang === "en", `${where}: no language`);
  expect(document.querySelectorAll("h1").length === 1, `${where}: not one h1`);
  const all = [...document.querySelectorAll("button")].map((each) => each.getAttribute("aria-label") || each.textContent);
  expect(all.every((name) => name.trim()), `${where}: a button has no name`);
  expect(new Set(all).size === all.length, `${where}: two buttons have one name`);
  for (const input of document.querySelectorAll("input")) expect(input.labels.length === 1, `${where}: a field has no name`);
}

function checkLayout(view, where) {
  const page = view.document.documentElement;
  expect(page.scrollWidth <= view.innerWidth, `${where}: the page is ${page.scrollWidth} pixels wide`);
  const edge = view.innerWidth;
  for (const button of view.document.querySelectorAll("#faults button, #pause")) {
    expect(button.getBoundingClientRect().right <= edge, `${where}: ${button.textContent} is cut off`);
  }
}

// ---------------------------------------------------------------------------------------- the check

async function checkFrame(frame, scheme, last) {
  const view = frame.contentWindow;
  const where = `${frame.width} px, ${scheme}`;
  const dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  expect(dark === (scheme === "dark"), `${where}: the scheme is another one`);
  await checkShown(view.document, where);
  await checkEveryFault(view.document, where);
  checkNames(view, where);
  await checkButtons(view, where);
  await checkForms(view, where);
  checkLayout(view, where);
  checkContrast(view, where);
  if (last) await checkExpiry(view, where);
  for (const problem of view.problems) wrong.push(`${where}: the page reports ${problem}`);
}

addEventListener("load", async () => {
  const frames = [...document.querySelectorAll("iframe")];
  try {
    for (const frame of frames) await checkFrame(frame, document.body.dataset.scheme, frame === frames.at(-1));
  } catch (error) {
    wrong.push(error.stack ?? error);
  }
  await fetch("/result", {method: "POST", body: wrong.length ? `WRONG ${wrong.join(" | ")}` : "ALL CHECKED"});
});
