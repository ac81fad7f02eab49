// Draws the record that stands in this page. Text from the record enters the page as text only.
"use strict";
(() => {
  const record = JSON.parse(document.getElementById("record").textContent);
  const element = (id) => document.getElementById(id);
  const kLaneColors = 10;
  const kRowHeight = 28;
  const kCharacter = 7.3;  // Width of one character of a label, in pixels, rounded up.
  const kNarrowestLane = 130;  // Below, lanes keep their marks and share one column for labels.
  const kPaperWidth = 680;  // As in style.css.
  const kRowsOnPaper = 12;  // Pages end between drawings of so many rows.
  const kSaidFor = 1500;  // Milliseconds, until a button says again what it does.
  const kBetweenSteps = 700;  // Milliseconds, while it plays.

  const kServersShare = 0.7;

  const usesServers = record.moments.some((moment) => moment.p < 0);
  const lanes = record.lanes.map((name, index) => ({name, color: `var(--lane-${index % kLaneColors})`}));
  if (usesServers) lanes.push({name: "servers, clock", color: "var(--lane-servers)"});
  const laneOf = (process) => (process < 0 ? lanes.length - 1 : process);
  const nameOf = (process) => (process < 0 ? "servers" : record.lanes[process]);
  const colorOf = (process) => (process < 0 ? "var(--lane-servers)" : lanes[process].color);
  const lastStep = record.steps;
  const never = Infinity;

  // ------------------------------------------------------------------------------- small tools

  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "style") made.style.setProperty(...value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function shape(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const parentOf = (path) => path.slice(0, path.lastIndexOf("/"));
  const lastOf = (path) => path.slice(path.lastIndexOf("/") + 1);

  // Shorter paths first, then fewer characters.
  function fitted(text, pixels) {
    const most = Math.max(4, Math.floor(pixels / kCharacter));
    if (text.length <= most) return text;
    const brief = text.replace(/\/(?:[^\s/]+\/)+/g, "\u2026/");
    if (brief.length <= most) return brief;
    // Sequence numbers differ at their ends.
    const tail = Math.floor(most * 0.45);
    const cut = `${brief.slice(0, most - tail - 1)}\u2026${brief.slice(brief.length - tail)}`;
    return cut.replace(/\u2026\/?\u2026/, "\u2026");
  }

  // "create /a: no node" as what was asked and how it went.
  function parts(moment) {
    const colon = moment.x.lastIndexOf(": ");
    if ((moment.k !== "request" && moment.k !== "reply") || colon < 0) return [moment.x, ""];
    const result = moment.x.slice(colon + 2);
    return [moment.x.slice(0, colon), result === "ok" ? "" : result];
  }

  const kWords = {
    request: "a server takes up a request",
    reply: "a reply is received",
    watch: "a watch event is received",
    connection: "the connection or the session",
    servers: "the servers by themselves",
    clock: "the clock moves",
    fault: "a fault, on purpose",
    thread: "a thread goes on after a blocking call",
    remark: "what the program says",
  };

  // ------------------------------------------------------------------------------------ marks

  function mark(kind, x, y, color) {
    const filled = {fill: color, stroke: color, "stroke-width": 1.6, "stroke-linejoin": "round"};
    const hollow = {...filled, fill: "var(--card)"};
    const path = (d, style) => shape("path", {d, ...style});
    const bad = {...filled, fill: "var(--bad)", stroke: "var(--bad)"};
    switch (kind) {
      case "request": return shape("circle", {cx: x, cy: y, r: 5, ...filled});
      case "reply": return shape("circle", {cx: x, cy: y, r: 4.5, ...hollow});
      case "watch": return path(`M${x} ${y - 6}l6 6l-6 6l-6 -6z`, hollow);
      case "connection": return path(`M${x - 6} ${y}h12`, {...filled, "stroke-width": 3});
      case "servers": return shape("rect", {x: x - 5, y: y - 5, width: 10, height: 10, ...filled});
      case "clock": return path(`M${x - 5} ${y - 5}h10l-10 10h10z`, hollow);
      case "fault": return path(`M${x} ${y - 7}l7 12h-14z`, bad);
      default: return path(`M${x - 4} ${y - 6}l8 6l-8 6z`, filled);
    }
  }

  function drawLegend() {
    const entries = Object.entries(kWords).map(([kind, words]) => [mark(kind, 10, 9, "var(--soft)"), words]);
    const bar = (name) => shape("rect", {x: 4, y: 1, width: 12, height: 16, rx: 3, fill: "var(--lane-0)", class: name});
    entries.push([bar("held"), "holds the lock"]);
    entries.push([bar("held loose"), "its znode is gone, but it does not know or has not said so"]);
    for (const [state, words] of Object.entries({created: "creates a znode", deleted: "deletes one", changed: "changes one"})) {
      const sign = shape("text", {x: 10, y: 14, "text-anchor": "middle", class: `sign ${state}`}, kSigns[state]);
      entries.push([sign, words]);
    }
    entries.push([shape("path", {d: "M10 1C2 6 2 12 10 17", class: "flight", stroke: "var(--soft)"}), "from a request to its reply"]);
    entries.push([shape("line", {x1: 10, x2: 10, y1: 1, y2: 17, class: "armed", stroke: "var(--lane-0)"}), "a server keeps a watch of it"]);
    entries.push([shape("path", {d: "M2 2C2 12 16 6 16 16", class: "wake", stroke: "var(--lane-0)"}), "from a change to who is told of it"]);
    for (const [drawing, words] of entries) {
      const picture = shape("svg", {width: 20, height: 18, "aria-hidden": "true"}, drawing);
      element("legend").append(make("li", {}, picture, words));
    }
  }

  // --------------------------------------------------------------------------------- timeline

  // The rows from top to bottom: moments, a gap where some are left out, the violation.
  function listRows() {
    const rows = [];
    let expected = 0;
    for (const moment of record.moments) {
      if (moment.i > expected) rows.push({kind: "gap", count: moment.i - expected, step: moment.s});
      rows.push({kind: "moment", moment, index: moment.i, step: moment.s});
      expected = moment.i + 1;
    }
    if (record.verdict) {
      const after = rows.findLastIndex((row) => row.step <= record.verdict.step);
      rows.splice(after + 1, 0, {kind: "violation", step: record.verdict.step});
    }
    return rows;
  }

  const rows = listRows();
  const momentOf = new WeakMap();  // By its drawing.
  const rowOf = new Map(rows.map((row, place) => [row.index, place]));

  // How the tree changes, by the moment that changes it.
  const kSigns = {created: "+", deleted: "\u2212", changed: "~", missing: "?"};
  const signsOf = new Map();
  for (const change of record.changes) {
    if (change.s === 0) continue;
    const kind = change.k === "created" || change.k === "deleted" ? change.k : "changed";
    const signs = signsOf.get(change.m) ?? [];
    signsOf.set(change.m, signs.includes(kind) ? signs : [...signs, kind]);
  }

  // The top of the row of a moment, or of the first one after it if it is left out.
  function topOf(index) {
    if (rowOf.has(index)) return rowOf.get(index) * kRowHeight;
    const place = rows.findIndex((row) => row.index !== undefined && row.index >= index);
    return (place < 0 ? rows.length : place) * kRowHeight;
  }

  function geometry(width) {
    const roomy = width >= 560;
    const gutter = roomy ? 112 : 46;
    const share = usesServers ? kServersShare - 1 : 0;  // Their lane is narrower than the others.
    const pitch = (width - gutter) / (lanes.length + share);
    const wide = pitch >= kNarrowestLane;
    // Narrow lanes leave more than half of the width to the labels.
    const narrow = Math.max(9, Math.min(24, (width * 0.45 - gutter) / lanes.length));
    const step = wide ? pitch : narrow;
    const center = (lane) => gutter + (wide ? 14 : narrow / 2) + lane * step;
    const label = (lane) => (wide ? center(lane) + 16 : gutter + 14 + lanes.length * narrow);
    return {width, gutter, roomy, wide, step, center, label};
  }

  // A row has one text, which may run over the other lanes: it is elided only where the page ends. In
  // a lane on the right it stands on the left of its mark if there is more room.
  function sideOf(lane, letters, place) {
    const right = place.width - place.label(lane) - 6;
    const left = place.center(lane) - 16 - place.gutter;
    if (!place.wide || letters * kCharacter <= right || left <= right) {
      return {x: place.label(lane), anchor: "start", room: right};
    }
    return {x: place.center(lane) - 16, anchor: "end", room: left};
  }

  function drawLaneNames(place) {
    const names = element("lane-names");
    names.classList.toggle("narrow", !place.wide);
    names.replaceChildren(make("span", {style: ["flex", `0 0 ${place.gutter}px`]}, place.roomy ? "step" : "#"));
    lanes.forEach((lane, index) => {
      const isServers = index >= record.lanes.length;
      const narrow = place.wide ? `${isServers ? kServersShare : 1} 1 0` : `0 0 ${place.step}px`;
      const shown = place.wide ? lane.name : lane.name.slice(0, place.step < 18 ? 1 : 2);
      const span = make("span", {style: ["flex", narrow], title: lane.name}, shown);
      span.style.color = lane.color;
      if (!place.wide && isServers) span.textContent = "\u2699";
      names.append(span);
    });
  }

  function drawGrants(svg, place) {
    const bottom = rows.length * kRowHeight;
    const width = Math.min(18, place.step);
    const bar = (grant, from, to, name) => {
      if (to <= from) return;
      svg.append(shape("rect", {
        x: place.center(laneOf(grant.p)) - width / 2, y: from, width, height: to - from, rx: 5,
        fill: colorOf(grant.p), class: name,
      }));
    };
    for (const grant of record.grants) {
      const begins = topOf(grant.b);
      const ends = grant.e === null ? bottom : topOf(grant.e);
      const gone = grant.g === null ? ends : Math.min(ends, Math.max(begins, topOf(grant.g)));
      bar(grant, begins, gone, "held");
      bar(grant, gone, ends, "held loose");
    }
  }

  function drawFlights(svg, place) {
    for (const row of rows) {
      if (row.kind !== "moment" || row.moment.a === undefined) continue;
      const from = topOf(row.moment.a) + kRowHeight / 2 + 5;
      const to = topOf(row.index) + kRowHeight / 2 - 5;
      const x = place.center(laneOf(row.moment.p));
      const far = to - from > kRowHeight ? 9 : 0;
      svg.append(shape("path", {
        d: `M${x} ${from}C${x - far * 1.4} ${from + 12} ${x - far * 1.4} ${to - 12} ${x} ${to}`,
        class: "flight", stroke: colorOf(row.moment.p),
      }));
    }
  }

  // The change that a watch event reports: of a child, if the event is about children.
  function causeOf(moment) {
    const told = Object.fromEntries(moment.d ?? []);
    const pathIn = (change) => (told.event === "child" ? parentOf(change.f) || "/" : change.f);
    return record.changes.findLast((change) => String(change.z) === told.zxid && pathIn(change) === told.path);
  }

  // From the change of a znode to the process that hears of it.
  function drawWakes(svg, place) {
    for (const row of rows) {
      if (row.kind !== "moment" || row.moment.k !== "watch") continue;
      const cause = causeOf(row.moment);
      const by = cause && record.moments.find((moment) => moment.i === cause.m);
      if (!by) continue;
      const [from, to] = [place.center(laneOf(by.p)), place.center(laneOf(row.moment.p))];
      const [top, bottom] = [topOf(by.i) + kRowHeight / 2 + 6, topOf(row.index) + kRowHeight / 2 - 9];
      const bulge = from === to ? 16 : 0;
      const middle = (top + bottom) / 2;
      const color = colorOf(row.moment.p);
      svg.append(shape("path", {
        d: `M${from} ${top}C${from + bulge} ${middle} ${to + bulge} ${middle} ${to} ${bottom}`, class: "wake", stroke: color,
      }));
      svg.append(shape("path", {d: `M${to - 4} ${bottom - 5}h8l-4 7z`, fill: color}));
    }
  }

  // Beside a lane, for as long as a server keeps a watch of its process.
  function drawWatches(svg, place) {
    const rowAfter = (step) => {
      const found = rows.findIndex((row) => row.step > step);
      return found < 0 ? rows.length : found;
    };
    for (const watch of record.watches) {
      const x = place.center(laneOf(watch.p)) + Math.min(11, place.step / 2);
      const [from, to] = [rowAfter(watch.b), watch.e === null ? rows.length : rowAfter(watch.e)];
      if (to <= from) continue;
      svg.append(shape("line", {
        x1: x, x2: x, y1: from * kRowHeight - 6, y2: to * kRowHeight - 6, class: "armed", stroke: colorOf(watch.p),
      }));
    }
  }

  function labelOf(moment, y, place) {
    const [said, wrong] = parts(moment);
    const style = moment.k === "fault" ? "fault" : moment.k === "remark" ? "remark" : moment.k === "reply" ? "quiet" : "";
    const arrow = moment.k === "watch" ? "! " : "";
    // Where the lanes are narrow, the label stands away from its lane.
    const who = place.wide ? "" : `${nameOf(moment.p)} `;
    const others = who.length + (wrong ? wrong.length + 3 : 0);
    const side = sideOf(laneOf(moment.p), arrow.length + said.length + others, place);
    const text = shape("text", {x: side.x, y: y + 4, class: style, "text-anchor": side.anchor});
    if (who) text.append(shape("tspan", {style: `fill: ${colorOf(moment.p)}; font-weight: 650`}, who));
    text.append(fitted(arrow + said, side.room - others * kCharacter));
    if (wrong) text.append(shape("tspan", {class: "error"}, ` \u2717 ${wrong}`));
    return text;
  }

  function drawMoment(row, place, top, before) {
    const {moment} = row;
    const middle = top + kRowHeight / 2;
    const lane = laneOf(moment.p);
    const group = shape("g", {
      class: "row", role: "button", tabindex: "-1", "data-step": row.step,
      "aria-label": `Step ${row.step}, ${nameOf(moment.p)}: ${kWords[moment.k]}: ${moment.x}`,
    });
    group.append(shape("rect", {class: "hit", x: 0, y: top, width: place.width, height: kRowHeight, rx: 5}));
    if (!before || before.kind === "gap" || before.step !== row.step) {
      group.append(shape("text", {class: "number", x: 24, y: middle + 4, "text-anchor": "end"}, String(row.step)));
    }
    if (place.roomy && (!before || !before.moment || before.moment.t !== moment.t)) {
      const time = shape("text", {class: "number", x: 92, y: middle + 4, "text-anchor": "end"}, `${moment.t} ms`);
      group.append(time);
    }
    const signs = signsOf.get(row.index);
    if (signs) {
      const style = signs.length > 1 ? "sign changed" : `sign ${signs[0]}`;
      const sign = signs.length > 1 ? "\u00b1" : kSigns[signs[0]];
      group.append(shape("text", {class: style, x: place.gutter - 8, y: middle + 4, "text-anchor": "middle"}, sign));
    }
    const drawn = mark(moment.k, place.center(lane), middle, colorOf(moment.p));
    group.append(drawn, labelOf(moment, middle, place));
    momentOf.set(group, moment);
    return group;
  }

  function drawSpecial(row, place, top) {
    const middle = top + kRowHeight / 2;
    if (row.kind === "gap") {
      return shape("text", {class: "gap", x: place.gutter, y: middle + 4}, `\u22ee ${row.count} events are left out`);
    }
    const {headline, guarantee} = record.verdict;
    const group = shape("g", {
      class: "row violated", role: "button", tabindex: "-1", "data-step": row.step,
      "aria-label": `Step ${row.step}: ${headline}: ${guarantee}`,
    });
    group.append(shape("rect", {class: "hit", x: 0, y: top, width: place.width, height: kRowHeight, rx: 5}));
    const words = fitted(`\u2717 ${headline}: ${guarantee}`, place.width - place.gutter - 8);
    group.append(shape("text", {class: "fault", x: place.gutter, y: middle + 4}, words));
    return group;
  }

  function drawTimeline(paper = 0) {
    const box = element("timeline");
    const width = paper || Math.max(240, Math.floor(box.clientWidth));
    const place = geometry(width);
    const height = rows.length * kRowHeight + 6;
    const under = shape("g", {id: "under", "aria-hidden": "true"});
    const groups = rows.map((row, index) => {
      const top = index * kRowHeight;
      return row.kind === "moment" ? drawMoment(row, place, top, rows[index - 1]) : drawSpecial(row, place, top);
    });
    lanes.forEach((lane, index) => {
      under.append(shape("line", {class: "rail", x1: place.center(index), x2: place.center(index), y1: 0, y2: height}));
    });
    drawGrants(under, place);
    drawFlights(under, place);
    drawWatches(under, place);
    drawWakes(under, place);
    const rowsEach = paper ? kRowsOnPaper : Math.max(1, rows.length);
    const parts = [];
    for (let first = 0; first === 0 || first < rows.length; first += rowsEach) {
      const top = first * kRowHeight;
      const bottom = first + rowsEach < rows.length ? (first + rowsEach) * kRowHeight : height;
      const svg = shape("svg", {
        viewBox: `0 ${top} ${width} ${bottom - top}`, height: bottom - top, role: "group", "aria-label": "Events, one row each",
      });
      svg.append(first === 0 ? under : shape("use", {href: "#under"}), ...groups.slice(first, first + rowsEach));
      parts.push(svg);
    }
    box.replaceChildren(...parts);
    drawLaneNames(place);
    select(current, false);
  }

  // On paper there is a legend, and pages end between rows.
  function drawFor(paper) {
    const legend = document.querySelector("details.legend");
    if (paper) legend.dataset.open = legend.open;
    legend.open = paper > 0 || legend.dataset.open === "true";
    drawTimeline(paper);
  }

  // ---------------------------------------------------------------------------------- the tree

  // Every znode that exists after a step, or was deleted in it, in order of creation.
  function znodesAfter(step) {
    const znodes = new Map();
    for (const change of record.changes) {
      if (change.s > step) break;
      const fresh = change.s === step && step > 0;
      const known = znodes.get(change.p);
      if (change.k === "created") {
        znodes.delete(change.p);
        znodes.set(change.p, {...change, state: fresh ? "created" : ""});
      } else if (known && change.k === "deleted") {
        if (fresh) known.state = "deleted";
        else znodes.delete(change.p);
      } else if (known) {
        if (change.k === "data") known.d = change.d;
        if (fresh && known.state === "") known.state = "changed";
      }
    }
    return znodes;
  }

  const isWatched = (watch, step) => watch.b <= step && step < (watch.e ?? never);
  const isHeld = (grant, step) => grant.bs <= step && step < (grant.gs ?? never) && step < (grant.es ?? never);
  const isLoose = (grant, step) => grant.bs <= step && step >= (grant.gs ?? never) && step < (grant.es ?? never);

  function chip(words, process, style) {
    const made = make("span", {class: `chip ${style}`}, words);
    if (process !== null) made.style.setProperty("--lane", colorOf(process));
    return made;
  }

  const kStates = {created: "created in this step", deleted: "deleted in this step", changed: "changed in this step", missing: "does not exist"};

  function znodeLine(path, znode, step) {
    const line = make("div", {class: `znode ${znode.state}`, title: znode.f || path});
    if (znode.state) {
      const words = kStates[znode.state];
      line.append(make("span", {class: "sign", role: "img", "aria-label": words}, kSigns[znode.state]));
    }
    line.append(make("span", {class: "name"}, path === "/" ? "/" : path.slice(path.lastIndexOf("/") + 1)));
    if (znode.d) line.append(make("span", {class: "data"}, `= ${JSON.stringify(znode.d)}`));
    if (znode.o) {
      const owner = znode.l < 0 ? "another session" : nameOf(znode.l);
      line.append(chip(`ephemeral of ${owner}`, znode.l, "lane"));
    }
    if (znode.state === "missing") line.append(chip("does not exist", null, "soft"));
    for (const grant of record.grants) {
      if (grant.z === znode.f && isHeld(grant, step)) line.append(chip(`${nameOf(grant.p)} holds the lock`, grant.p, "solid"));
    }
    for (const watch of record.watches) {
      if (watch.z !== znode.f || !isWatched(watch, step)) continue;
      line.append(chip(`${nameOf(watch.p)} watches${watch.c ? " children" : ""}`, watch.p, "lane"));
    }
    return line;
  }

  function drawTree(step) {
    const znodes = znodesAfter(step);
    for (const watch of record.watches) {
      const missing = {p: watch.n, f: watch.z, state: "missing"};
      if (isWatched(watch, step) && !znodes.has(watch.n)) znodes.set(watch.n, missing);
    }
    const lists = new Map();
    const root = make("ul");
    const top = make("li", {}, znodeLine("/", {state: "", f: "/"}, step), root);
    lists.set("", root);
    // Parents come before their children: they are created earlier.
    for (const [path, znode] of [...znodes].sort((a, b) => depth(a[0]) - depth(b[0]))) {
      const parent = path.slice(0, path.lastIndexOf("/"));
      const list = make("ul");
      const item = make("li", {}, znodeLine(path, znode, step), list);
      lists.set(path, list);
      (lists.get(parent) ?? root).append(item);
    }
    element("tree").replaceChildren(top);
    const loose = record.grants.filter((grant) => isLoose(grant, step));
    element("holders").textContent = loose
      .map((grant) => `${nameOf(grant.p)}\u2019s grant is over on the servers, but it has not said so yet.`).join(" ");
  }

  const depth = (path) => path.split("/").length;

  // --------------------------------------------------------------------------------- the queues

  // The znodes with sequence numbers, ordered by number and grouped by parent.
  function queuesAfter(step) {
    const queues = new Map();
    for (const [path, znode] of znodesAfter(step)) {
      // A second hyphen is a sign: the numbers start again below zero after the last one.
      const number = /((?<=-)-\d{10}|\d{10})$/.exec(path);
      if (!number || znode.state === "deleted") continue;
      const queue = queues.get(parentOf(path)) ?? [];
      queues.set(parentOf(path), [...queue, {path, znode, number: Number(number[1])}]);
    }
    for (const queue of queues.values()) queue.sort((one, other) => one.number - other.number);
    return queues;
  }

  // What a contender watches because of this place: its queue, or another znode in it. If it has
  // only this one place, the place itself counts too.
  function watchesFor({path, znode}, queue, step) {
    if (!znode.o) return [];
    const isSingle = queue.filter((place) => place.znode.o && place.znode.l === znode.l).length === 1;
    const concerns = (name) => name === (parentOf(path) || "/") || (parentOf(name) === parentOf(path) && (name !== path || isSingle));
    return record.watches.filter((each) => each.p === znode.l && isWatched(each, step) && concerns(each.n));
  }

  function placeLine(place, queue, step) {
    const {path, znode} = place;
    const item = make("li", {}, make("span", {class: "name"}, lastOf(path)));
    const grant = record.grants.find((each) => each.z === znode.f && isHeld(each, step));
    if (grant) item.append(chip(`${nameOf(grant.p)} holds the lock`, grant.p, "solid"));
    else if (znode.o) item.append(chip(znode.l < 0 ? "another session" : nameOf(znode.l), znode.l, "lane"));
    const watched = watchesFor(place, queue, step);
    if (!grant && watched.length > 0) item.append(chip(`watches ${watched.map((each) => lastOf(each.n) || "/").join(", ")}`, null, "soft"));
    return item;
  }

  function drawQueues(step) {
    const queues = [...queuesAfter(step)].map(([parent, places]) => [
      make("p", {class: "hint"}, `${parent || "/"}, first come, first served`),
      make("ol", {class: "queue"}, ...places.map((place) => placeLine(place, places, step))),
    ]);
    element("queues").replaceChildren(...(queues.length > 0 ? queues.flat() : [make("p", {class: "hint"}, "Nobody is in a queue.")]));
  }

  // ------------------------------------------------------------------------------ the inspector

  function details(pairs) {
    const list = make("dl");
    for (const [name, value] of pairs) list.append(make("dt", {}, name), make("dd", {}, value));
    return list;
  }

  function drawMoments(step) {
    const shown = record.moments.filter((moment) => moment.s === step);
    const items = shown.map((moment) => {
      const who = make("span", {class: "who"}, `${nameOf(moment.p)} \u00b7 ${kWords[moment.k]}`);
      const item = make("li", {style: ["--lane", colorOf(moment.p)]}, who, make("div", {class: "what"}, moment.x));
      if (moment.d) item.append(details(moment.d));
      return item;
    });
    if (items.length === 0) {
      const words = step === 0 ? "Before the first step: sessions are connected." : "The events of this step are left out.";
      items.push(make("li", {class: "nothing"}, words));
    }
    element("moments").replaceChildren(...items);
    const time = shown.length > 0 ? shown[shown.length - 1].t : null;
    element("step-time").textContent = time === null ? "" : `${time} ms of virtual time`;
  }

  let current = -1;

  function select(step, remember = true) {
    current = Math.min(Math.max(0, step), lastStep);
    element("step").value = current;
    element("step").setAttribute("aria-valuetext", `step ${current} of ${lastStep}`);
    element("step-title").textContent = `Step ${current} of ${lastStep}`;
    element("back").disabled = current === 0;
    element("forth").disabled = current === lastStep;
    for (const row of document.querySelectorAll("#timeline .row")) {
      const chosen = Number(row.dataset.step) === current;
      row.classList.toggle("selected", chosen);
      row.setAttribute("aria-pressed", String(chosen));
    }
    // One row can be reached with the tabulator key; the arrows lead to the others.
    const rowsDrawn = [...document.querySelectorAll("#timeline .row")];
    for (const row of rowsDrawn) row.setAttribute("tabindex", "-1");
    (rowsDrawn.find((row) => row.classList.contains("selected")) ?? rowsDrawn[0])?.setAttribute("tabindex", "0");
    drawMoments(current);
    drawTree(current);
    drawQueues(current);
    document.documentElement.dataset.step = current;
    if (!remember) return;
    try {
      history.replaceState(null, "", `#step=${current}`);
    } catch {
      // Some browsers refuse this to a page from a file; the slider works all the same.
    }
  }

  let playing = null;

  // Goes on step by step, up to the last one.
  function play(on) {
    clearInterval(playing);
    playing = null;
    if (on && current === lastStep) select(0);
    if (on) playing = setInterval(() => (current < lastStep ? go(current + 1) : play(false)), kBetweenSteps);
    element("play").textContent = on ? "\u275a\u275a" : "\u25b6\ufe0e";
    element("play").setAttribute("aria-label", on ? "Pause" : "Play");
  }

  // Goes to a step that may be out of view.
  function go(step) {
    select(step);
    document.querySelector("#timeline .row.selected")?.scrollIntoView({block: "nearest"});
  }

  function goToAddress() {
    const step = stepInAddress();
    if (step === null) return;
    select(step, false);
    document.querySelector("#timeline .row.selected")?.scrollIntoView({block: "center"});
  }

  // The same when the user does it, which stops the playback.
  function jump(step) {
    play(false);
    go(step);
  }

  function stepInAddress() {
    const found = /^#step=(\d{1,9})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  // ---------------------------------------------------------------------------------- tooltips

  function showTip(target, x, y) {
    const tip = element("tip");
    const moment = momentOf.get(target);
    tip.hidden = !moment;
    if (!moment) return;
    tip.replaceChildren(make("b", {}, moment.x));
    tip.append(details([["step", `${moment.s}, ${moment.t} ms`], [moment.p < 0 ? "lane" : "process", nameOf(moment.p)], ["event", kWords[moment.k]], ...(moment.d ?? [])]));
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(6, Math.min(x + 16, innerWidth - box.width - 6))}px`;
    const below = y + 18 + box.height < innerHeight;
    tip.style.top = `${below ? y + 18 : Math.max(6, y - box.height - 12)}px`;
  }

  function listen() {
    const timeline = element("timeline");
    const rowAt = (event) => event.target.closest?.("g.row");
    timeline.addEventListener("click", (event) => {
      const row = rowAt(event);
      if (row) jump(Number(row.dataset.step));
    });
    timeline.addEventListener("pointermove", (event) => {
      const row = rowAt(event);
      if (row && event.pointerType !== "touch") showTip(row, event.clientX, event.clientY);
      else element("tip").hidden = true;
    });
    timeline.addEventListener("pointerleave", () => { element("tip").hidden = true; });
    timeline.addEventListener("focusin", (event) => {
      const row = rowAt(event);
      if (!row || !row.matches(":focus-visible")) return;
      const box = row.getBoundingClientRect();
      showTip(row, box.left + 120, box.bottom - 12);
    });
    timeline.addEventListener("focusout", () => { element("tip").hidden = true; });
    element("step").addEventListener("input", () => jump(Number(element("step").value)));
    element("back").addEventListener("click", () => jump(current - 1));
    element("forth").addEventListener("click", () => jump(current + 1));
    element("play").addEventListener("click", () => play(playing === null));
    addEventListener("hashchange", goToAddress);
    addEventListener("keydown", pressed);
    addEventListener("beforeprint", () => drawFor(kPaperWidth));
    addEventListener("afterprint", () => drawFor(0));
    new ResizeObserver(() => {
      const width = Math.max(240, Math.floor(timeline.clientWidth));
      if (Number(timeline.dataset.width) === width) return;
      timeline.dataset.width = width;
      drawTimeline();
    }).observe(timeline);
  }

  function pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === element("step")) return;
    const row = event.target.closest?.("g.row");
    if (row && (event.key === "ArrowDown" || event.key === "ArrowUp")) return moveFocus(row, event);
    if (row && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return jump(Number(row.dataset.step));
    }
    if (event.target.closest?.("pre")) return;
    if (event.key === "p" || event.key === "P") return play(playing === null);
    const moves = {ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: lastStep};
    if (!(event.key in moves)) return;
    event.preventDefault();
    jump(moves[event.key]);
  }

  function moveFocus(row, event) {
    event.preventDefault();
    const all = [...document.querySelectorAll("#timeline g.row")];
    all[all.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  }

  // ------------------------------------------------------------------------- heading and footing

  function drawHeading() {
    element("title").textContent = record.title;
    const {verdict} = record;
    const pill = element("verdict");
    pill.className = `verdict ${verdict ? "bad" : "good"}`;
    pill.textContent = verdict ? `\u2717 ${verdict.breaks} ${verdict.oracle}: ${verdict.guarantee}` : `\u2713 ${record.headline}`;
    for (const [name, value] of record.facts) {
      element("facts").append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    }
    if (!verdict) return;
    element("why").hidden = false;
    element("why-title").textContent = `${verdict.headline} in step ${verdict.step}`;
    element("why-guarantee").textContent = verdict.sentence;
    element("why-message").textContent = verdict.message;
    element("why-go").textContent = `Show step ${verdict.step}`;
    element("why-go").addEventListener("click", () => jump(verdict.step));
  }

  const restoring = new Map();  // By button.

  function say(words, title, button) {
    button.textContent = words;
    button.setAttribute("aria-label", `${words}: ${title}`);
  }

  async function copy(text, title, button) {
    let copied = false;
    try {
      await navigator.clipboard.writeText(text);
      copied = true;
    } catch {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      copied = document.execCommand("copy");
      area.remove();
    }
    say(copied ? "Copied" : "Select it and copy by hand", title, button);
    clearTimeout(restoring.get(button));
    restoring.set(button, setTimeout(() => say("Copy", title, button), kSaidFor));
  }

  function drawSnippets() {
    for (const [kind, title, text] of record.snippets) {
      const button = make("button", {type: "button", class: "button", "aria-live": "polite"});
      say("Copy", title, button);
      button.addEventListener("click", () => copy(text, title, button));
      const code = make("pre", {tabindex: "0", "aria-label": title}, text);
      const bar = make("div", {class: "bar"}, make("h3", {}, title), button);
      element("snippets").append(make("div", {class: `snippet ${kind}`}, bar, code));
    }
  }

  if (record.replicas > 1) {
    element("whose-tree").textContent = `as the leader of ${record.replicas} servers has committed them; a server that lags shows older ones`;
  }
  drawHeading();
  drawLegend();
  drawSnippets();
  element("step").max = lastStep;
  current = Math.min(stepInAddress() ?? record.verdict?.step ?? lastStep, lastStep);
  drawTimeline();
  goToAddress();
  listen();
})();
