// Fetches the control port's views twice a second, and posts faults. GET /faults lists the faults
// and the fields that they need.
"use strict";

const kEveryMs = 500;
const kShownRequests = 200;
const kDeepest = 4;

const byId = (id) => document.getElementById(id);
const shown = new Map();  // The JSON that each part shows.
let faults = [];
let requests = [];

// make("td", {className: "mono"}, child...): texts and elements are children.
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

async function get(page) {
  const answer = await fetch(`/${page}`);
  if (!answer.ok) throw new Error(`${page}: ${answer.status}`);
  return (await answer.json())[page.split("?")[0]];
}

// Replaces the children of a part if its content has changed, and keeps the focus.
function draw(id, content, children) {
  const text = JSON.stringify(content);
  if (shown.get(id) === text) return;
  shown.set(id, text);
  const key = document.activeElement?.dataset?.key;
  const rows = children(content);
  byId(id).replaceChildren(...(rows.length ? rows : [make("p", {className: "none"}, "None")]));
  if (key) byId(id).querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

function table(heads, rows) {
  if (!rows.length) return [];
  const head = make("tr", {}, ...heads.map((text) => make("th", {scope: "col"}, text)));
  return [make("div", {className: "scroll"},
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)))];
}

const cell = (...children) => make("td", {}, ...children);
const mono = (text) => make("code", {}, text);
const idOf = (text) => make("code", {className: "whole"}, text);
const badge = (kind, text) => make("span", {className: `badge ${kind}`}, text);

// ------------------------------------------------------------------------------------------ faults

async function strike(fault) {
  const outcome = byId("outcome");
  try {
    const answer = await fetch("/faults", {method: "POST", body: JSON.stringify(fault)});
    const said = await answer.json();
    outcome.textContent = answer.ok ? `Done: ${Object.values(fault).join(" ")}` : `${fault.fault}: ${said.error}`;
    outcome.className = answer.ok ? "outcome" : "outcome bad";
  } catch (error) {
    outcome.textContent = `${fault.fault}: ${error.message}`;
    outcome.className = "outcome bad";
  }
  outcome.hidden = false;
  await refresh();
}

const fieldsOf = (fault) => Object.keys(fault).filter((field) => field !== "fault");

// A fault that needs only this field gets a button next to each known value.
function buttons(field, value) {
  const whose = `${field} ${value}`;
  const acts = faults.filter((fault) => fieldsOf(fault).join() === field).map((fault) => {
    const button = make("button", {type: "button", className: "button"}, fault.fault);
    button.dataset.key = `${fault.fault} ${whose}`;
    button.setAttribute("aria-label", `${fault.fault} ${whose}`);
    button.addEventListener("click", () => strike({fault: fault.fault, [field]: value}));
    return button;
  });
  return make("div", {className: "acts"}, ...acts);
}

// Converts numbers, lists and texts to what the port expects.
function read(text, expected) {
  if (expected.startsWith("a list")) return text.split(/[\s,]+/).filter(Boolean);
  return /^a number|^the number|milliseconds/.test(expected) && /^-?\d+$/.test(text) ? Number(text) : text;
}

function form(fault) {
  const button = make("button", {className: "button"}, fault.fault);
  const element = make("form", {}, ...fieldsOf(fault).map((field) => {
    const input = make("input", {name: field, title: fault[field], autocomplete: "off"});
    return make("label", {}, field, input);
  }), button);
  element.dataset.fault = fault.fault;
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = {fault: fault.fault};
    for (const input of element.querySelectorAll("input")) {
      if (input.value !== "") body[input.name] = read(input.value, fault[input.name]);
    }
    strike(body);
  });
  return element;
}

function drawFaults() {
  const beside = (fault) => ["session", "server"].includes(fieldsOf(fault).join());
  byId("faults").replaceChildren(...faults.filter((fault) => !beside(fault)).map(form));
}

// -------------------------------------------------------------------------------------- what there is

function drawServers(servers) {
  return table(["Server", "State", "Faults"], servers.map((each) => make("tr", {},
    cell(mono(each.address)),
    cell(each.refuses ? badge("bad", "refuses") : null,
      each.lags ? badge("warn", `lags, ${each.behind} behind`) : null,
      each.refuses || each.lags ? null : badge("good", "serves")),
    cell(buttons("server", each.server)))));
}

function drawSessions(sessions) {
  const state = (each) => each.stalled ? badge("warn", "stalled") :
    each.connected ? badge("good", `on server ${each.server}`) : badge("bad", "not connected");
  return table(["Session", "State", "Timeout", "Ephemeral znodes", "Faults"], sessions.map((each) =>
    make("tr", {}, cell(idOf(each.id)), cell(state(each)), cell(`${each.timeout_ms / 1000} s`),
      cell(mono(each.ephemerals.join(" "))), cell(buttons("session", each.id)))));
}

function drawQueues(queues) {
  return queues.map((queue) => make("div", {className: "queue"}, make("h3", {}, queue.path),
    make("ol", {}, ...queue.places.map((place, index) => make("li", {},
      index === 0 ? badge("good", "holds") : badge("plain", "waits"),
      mono(place.znode.slice(place.znode.lastIndexOf("/") + 1)), idOf(place.session),
      place.connected ? null : badge("bad", "not connected"))))));
}

function drawTree(tree) {
  return tree.map((each) => {
    const depth = each.path === "/" ? 0 : each.path.split("/").length - 1;
    const name = each.path.slice(each.path.lastIndexOf("/") + 1) || "/";
    const line = make("li", {className: `depth-${Math.min(depth, kDeepest)}`}, make("span", {}, name),
      each.data ? make("span", {className: "more"}, each.data.slice(0, 80)) : null,
      each.owner ? make("span", {className: "more"}, `of ${each.owner}`) : null);
    line.dataset.path = each.path;
    return line;
  });
}

function drawWatches(watches) {
  return table(["Path", "On", "Session"], watches.map((each) =>
    make("tr", {}, cell(mono(each.path)), cell(make("span", {className: "whole"}, each.on)), cell(idOf(each.session)))));
}

function drawLog(log) {
  const answer = (text) => text === null ? badge("warn", "waits") :
    badge(text === "ok" ? "good" : "bad", text);
  return table(["No.", "Time", "Session", "Server", "Request", "Path", "Answer"],
    log.slice(-kShownRequests).reverse().map((each) => make("tr", {}, cell(String(each.number)),
      cell(new Date(each.at_ms).toISOString().slice(11, 23)), cell(idOf(each.session)),
      cell(String(each.server)), cell(each.op), cell(mono(each.path)), cell(answer(each.answer)))));
}

// Reads on from the first request that had no answer at the last read.
async function readLog() {
  const open = requests.find((each) => each.answer === null);
  const after = open ? open.number - 1 : requests.at(-1)?.number ?? 0;
  const news = await get(`log?after=${after}`);
  requests = requests.filter((each) => each.number <= after).concat(news).slice(-kShownRequests);
}

async function refresh() {
  const state = byId("state");
  try {
    if (!faults.length) {
      faults = await get("faults");
      drawFaults();
    }
    const pages = ["servers", "sessions", "queues", "tree", "watches"];
    const [servers, sessions, queues, tree, watches] = await Promise.all([...pages.map(get), readLog()]);
    draw("servers", servers, drawServers);
    draw("sessions", sessions, drawSessions);
    draw("queues", queues, drawQueues);
    draw("tree", tree, drawTree);
    draw("watches", watches, drawWatches);
    draw("log", requests, drawLog);
    state.textContent = `${sessions.length} sessions, ${tree.length} znodes`;
    state.className = "state";
  } catch (error) {
    state.textContent = `The servers do not answer: ${error.message}`;
    state.className = "state bad";
  }
}

async function keepRefreshing() {
  if (byId("pause").getAttribute("aria-pressed") === "false") await refresh();
  setTimeout(keepRefreshing, kEveryMs);
}

byId("pause").addEventListener("click", (event) => {
  const paused = event.target.getAttribute("aria-pressed") === "true";
  event.target.setAttribute("aria-pressed", String(!paused));
});
keepRefreshing();
