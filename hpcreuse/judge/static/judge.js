// The page of a judge. Content of the crawl only ever becomes text nodes, or a frame that may do nothing.
"use strict";

const VIEWS = ["text", "source", "drawing"];
const VIEW_NAMES = {text: "text", source: "source", drawing: "page"};
const COLOURS = 8;
const $ = (id) => document.getElementById(id);

let state = null;      // what the server knows: sample, labels, categories
let at = 0;            // the item that is shown
let evidence = null;
let shown = {pages: 0, sources: 0};
let view = "text";
const fetched = new Map();

function make(tag, content, classes) {
  const node = document.createElement(tag);
  if (content !== undefined && content !== null) node.append(content);
  if (classes) node.className = classes;
  return node;
}

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: {"Content-Type": "application/json"},
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The judge does not answer: has it been ended, or the tunnel been cut? Nothing more is saved.");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim() || `error ${answer.status}`);
  return answer.json();
}

function say(text, alarm = false) {
  $("said").textContent = text;
  $("said").classList.toggle("alarm", alarm);
}

// Run what the server takes part in; what goes wrong is said, and nothing changes on the page
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    say(error.message, true);
  }
}

function evidenceOf(number) {
  if (!fetched.has(number)) {
    const asked = ask(`item/${number}`);
    asked.catch(() => fetched.delete(number));
    fetched.set(number, asked);
  }
  return fetched.get(number);
}

async function show(number) {
  at = Math.max(0, Math.min(number, state.items.length - 1));
  const here = at;
  shown = {pages: 0, sources: 0};
  history.replaceState(null, "", `#${at + 1}`);
  drawAround();
  const found = await evidenceOf(here);
  if (here !== at) return;
  evidence = found;
  drawEvidence();
  // The next one is ready before it is asked for
  if (at + 1 < state.items.length) evidenceOf(at + 1).catch(() => {});
  for (const kept of [...fetched.keys()]) if (Math.abs(kept - at) > 3) fetched.delete(kept);
}

function drawAround() {
  const item = state.items[at];
  const done = state.items.filter((one) => one.label !== null).length;
  $("kind").textContent = state.kind;
  $("place").textContent = `${at + 1} of ${state.items.length}`;
  $("progress").max = state.items.length;
  $("progress").value = done;
  $("done").textContent = `${done} labelled`;
  $("who").textContent = `${state.judge} · ${state.result}`;
  $("title").textContent = item.key;
  $("note").value = item.note;
  for (const button of $("categories").children)
    button.setAttribute("aria-pressed", String(button.dataset.label === item.label));
}

function drawEvidence() {
  $("title").textContent = evidence.title;
  $("facts").replaceChildren(...evidence.facts.map(([name, value]) => {
    const pair = make("div");
    pair.append(make("dt", name), make("dd", value));
    return pair;
  }));
  drawSides();
}

function drawSides() {
  if (evidence.paired) shown.pages = shown.sources;
  drawTabs("pages", evidence.paired ? [] : evidence.pages);
  drawTabs("sources", evidence.sources);
  drawViews();
  drawPanel("left", "pages");
  drawPanel("right", "sources");
}

function hostOf(title) {
  const match = /^[a-z]+:\/\/([^/]+)/i.exec(title);
  return match ? match[1] : title;
}

function drawTabs(side, panels) {
  $(side).replaceChildren(...(panels.length < 2 && side === "pages" ? [] : panels).map((panel, number) => {
    const button = make("button");
    button.type = "button";
    if (panel.mark) button.append(make("span", String(panel.mark), `dot m${(panel.mark - 1) % COLOURS}`), " ");
    button.append(side === "pages" ? `page ${number + 1}` : hostOf(panel.title));
    button.title = panel.title;
    button.setAttribute("aria-pressed", String(number === shown[side]));
    button.onclick = () => turn(side, number - shown[side]);
    return button;
  }));
  const pressed = $(side).querySelector('[aria-pressed="true"]');
  if (pressed) pressed.scrollIntoView({block: "nearest", inline: "nearest"});
}

function views() {
  const panels = [...evidence.pages, ...evidence.sources];
  return VIEWS.filter((name) => name === "text" || panels.some((panel) => name === "source" ? panel.source.length : panel.drawing));
}

function drawViews() {
  const possible = views();
  if (!possible.includes(view)) view = "text";
  $("views").replaceChildren(make("kbd", "v"), ...possible.map((name) => {
    const button = make("button", VIEW_NAMES[name]);
    button.type = "button";
    button.setAttribute("aria-pressed", String(name === view));
    button.onclick = () => { view = name; drawSides(); };
    return button;
  }));
}

function drawPanel(place, side) {
  const [head, problem, body] = [".head", ".problem", ".body"].map((part) => $(place).querySelector(part));
  const panel = evidence[side][shown[side]];
  head.children[0].textContent = panel ? panel.title : "";
  head.children[1].textContent = panel ? panel.detail : "";
  problem.hidden = !panel || !panel.problem;
  problem.textContent = panel && panel.problem ? `It cannot be shown as it was: ${panel.problem}` : "";
  body.className = "body";
  body.scrollTop = 0;
  if (!panel) {
    body.replaceChildren(make("span", "Nothing to show beside it.", "empty"));
  } else if (view === "drawing" && panel.drawing) {
    const frame = make("iframe");
    frame.setAttribute("sandbox", "");
    frame.setAttribute("referrerpolicy", "no-referrer");
    frame.title = panel.title;
    frame.src = `drawing/${at}/${side}/${shown[side]}`;
    body.classList.add("drawing");
    body.replaceChildren(frame);
  } else {
    const source = view === "source" && panel.source.length > 0;
    body.classList.toggle("source", source);
    const segments = source ? panel.source : panel.text;
    body.replaceChildren(...segments.map((segment) => drawSegment(segment, source)));
    if (!segments.length) body.replaceChildren(make("span", "No text.", "empty"));
    const first = body.querySelector("mark");
    if (first && first.offsetTop > body.clientHeight) body.scrollTop = first.offsetTop - body.offsetTop - 40;
  }
}

function drawSegment(segment, source) {
  if (segment.mark === null) return document.createTextNode(segment.text);
  const whole = !source && segment.text.endsWith("\n");
  const node = make("mark", null, `m${(segment.mark - 1) % COLOURS}${whole ? " whole" : ""}`);
  node.append(make("sup", String(segment.mark)), whole ? segment.text.trimEnd() : segment.text);
  return node;
}

function turn(side, step) {
  const count = evidence ? evidence[side].length : 0;
  if (!count) return;
  shown[side] = (shown[side] + step + count) % count;
  drawSides();
}

function nextWithout(from) {
  const count = state.items.length;
  for (let step = 1; step <= count; step++) {
    const number = (from + step) % count;
    if (state.items[number].label === null) return number;
  }
  return null;
}

const label = (name) => attempt(async () => {
  const here = at;
  state = await ask("judge", {number: here, label: name, note: $("note").value});
  say(`saved: ${name}`);
  const next = nextWithout(here);
  if (next === null) {
    await show(here);
    say("all are labelled");
    await openResults();
  } else {
    await show(next);
  }
});

const keepNote = () => attempt(async () => {
  const item = state.items[at];
  if ($("note").value === item.note) return;
  state = await ask("judge", {number: at, label: item.label, note: $("note").value});
  say("note saved");
  drawAround();
});

const undo = () => attempt(async () => {
  const answer = await ask("undo", {});
  state = answer;
  if (answer.undone === null) {
    say("nothing to undo");
    drawAround();
  } else {
    await show(answer.undone);
    say("taken back");
  }
});

function skip() {
  const next = nextWithout(at);
  if (next === null || next === at) say(next === at ? "this is the last without a label" : "all are labelled");
  else attempt(() => show(next));
}

function drawRows(heads, rows) {
  const table = make("table");
  const line = (cells, tag) => {
    const row = make("tr");
    cells.forEach((cell, number) => row.append(make(tag, cell, number > 0 && number < 4 ? "n" : "")));
    return row;
  };
  table.append(line(heads, "th"), ...rows.map((cells) => {
    const row = line(cells.slice(0, 5), "td");
    if (cells[5]) row.className = "total";
    return row;
  }));
  return table;
}

const percent = (share) => (100 * share).toFixed(1);
const kappa = (value) => value === null ? "not defined (all in one category)" : value.toFixed(3);

const openResults = () => attempt(async () => {
  const found = await ask("results");
  const box = $("results").firstElementChild;
  box.replaceChildren(make("h2", `${found.sampled} of ${found.population} ${found.kind}, drawn at random (seed ${found.seed})`));
  for (const one of found.judges) {
    const cells = (row, total) => [row.name, String(row.count), percent(row.share),
      `${percent(row.low)} – ${percent(row.high)}`, row.type || "", total];
    const rows = one.categories.map((row) => cells(row, false));
    rows.push(["total", String(one.judged), "100.0", "", "", true], ...one.types.map((row) => cells(row, false)));
    box.append(make("h2", `${one.judge}, ${one.judged} judged`), drawRows(["", "N", "%", "95 % interval", "type"], rows));
  }
  if (!found.judges.length) box.append(make("p", "Nothing is labelled yet."));
  for (const pair of found.agreement) {
    box.append(make("h2", `${pair.judges.join(" and ")}`), make("p",
      `They agree on ${pair.agree} of ${pair.judged} that both have judged. ` +
      `Cohen's kappa ${kappa(pair.kappa)}, of types ${kappa(pair.kappa_of_types)}.`));
  }
  if (found.hidden) box.append(make("p", "What other judges say is shown when you have labelled all."));
  if (!$("results").open) $("results").showModal();
  $("results").scrollTop = 0;
});

const COMMANDS = {
  previous: () => attempt(() => show(at - 1)),
  next: () => attempt(() => show(at + 1)),
  first: () => attempt(() => show(0)),
  last: () => attempt(() => show(state.items.length - 1)),
  skip, undo,
  results: openResults,
  help: () => $("help").showModal(),
  close: () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close()),
  note: () => { $("note").focus(); $("note").select(); },
  view: () => {
    if (!evidence) return;
    const possible = views();
    view = possible[(possible.indexOf(view) + 1) % possible.length];
    drawSides();
  },
  nextSource: () => turn("sources", 1),
  previousSource: () => turn("sources", -1),
  nextPage: () => turn("pages", 1),
  previousPage: () => turn("pages", -1),
  down: () => scrollBoth(80),
  up: () => scrollBoth(-80),
};

function scrollBoth(step) {
  for (const body of document.querySelectorAll(".body")) body.scrollTop += step;
}

const KEYS = {
  ArrowLeft: ["previous", "the finding before"], ArrowRight: ["next", "the next finding"],
  Home: ["first", "the first finding"], End: ["last", "the last finding"],
  ArrowDown: ["down", "scroll both sides down"], ArrowUp: ["up", "scroll both sides up"],
  s: ["skip", "leave it; go to the next without a label"], u: ["undo", "take the last label back"],
  n: ["note", "write a note; Enter keeps it, Esc leaves it"],
  v: ["view", "text, source or page"],
  j: ["nextSource", "the next source"], k: ["previousSource", "the source before"],
  "]": ["nextPage", "the next page of the finding"], "[": ["previousPage", "the page before"],
  r: ["results", "the table so far, agreement, CSV"], "?": ["help", "these keys"],
};
const KEY_NAMES = {ArrowLeft: "←", ArrowRight: "→", ArrowDown: "↓", ArrowUp: "↑"};

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !state) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target === $("note")) {
    if (event.key === "Enter") { keepNote(); $("note").blur(); }
    if (event.key === "Escape") { $("note").value = state.items[at].note; $("note").blur(); }
    return;
  }
  const category = state.categories.find((one) => one.key === event.key.toLowerCase());
  if (category) label(category.name);
  else if (KEYS[event.key]) COMMANDS[KEYS[event.key][0]]();
  else return;
  event.preventDefault();
}

function drawFixed() {
  $("categories").replaceChildren(...state.categories.map((category) => {
    const button = make("button");
    button.type = "button";
    button.dataset.label = category.name;
    button.append(make("kbd", category.key), ` ${category.name}`);
    if (category.type) button.append(make("small", category.type));
    button.onclick = () => label(category.name);
    return button;
  }));
  const keys = [["", ...state.categories.map((one) => one.key)].slice(1).join(" "), "label it, and go on"];
  $("keys").replaceChildren(...[keys, ...Object.entries(KEYS).map(([key, [, text]]) => [KEY_NAMES[key] || key, text])]
    .map(([key, text]) => {
      const row = make("tr");
      const cell = make("td");
      cell.append(make("kbd", key));
      row.append(cell, make("td", text));
      return row;
    }));
  document.title = `${state.kind} of ${state.result} · hpcreuse judge`;
}

document.addEventListener("keydown", pressed);
$("note").addEventListener("change", keepNote);
for (const button of document.querySelectorAll("[data-command]")) {
  button.addEventListener("click", () => { COMMANDS[button.dataset.command](); button.blur(); });
}

attempt(async () => {
  state = await ask("state");
  drawFixed();
  const wanted = Number.parseInt(location.hash.slice(1), 10) - 1;
  const start = nextWithout(state.items.length - 1);
  await show(Number.isInteger(wanted) ? wanted : start ?? 0);
});
