// The page of an explanation: source, graph, steps. Everything it shows is in `data`, which page.py writes.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);
const state = { step: 0, folded: new Set(), view: { x: 0, y: 0, k: 1 }, found: new Set(), playing: null };
const steps = [...data.forward.map((n) => ["forward", n]), ...data.backward.map((n) => ["backward", n])];

// ---- modules

const ancestors = (path) => (path ? path.split(".").map((_, i, parts) => parts.slice(0, i + 1).join(".")) : []);
const members = new Map();  // path -> nodes inside
for (const node of data.nodes)
  for (const path of ancestors(node.module)) (members.get(path) ?? members.set(path, []).get(path)).push(node);

// A block that its neighbours repeat is folded at first: blocks.0, blocks.1 ... with the same operations.
function repeated() {
  const shape = (path) => members.get(path).map((n) => n.operation).join(" ");
  const groups = new Map();
  for (const path of members.keys()) {
    const key = path.replace(/\.\d+$/, ".#") + "|" + shape(path);
    if (/\.\d+$/.test(path)) (groups.get(key) ?? groups.set(key, []).get(key)).push(path);
  }
  return [...groups.values()].filter((g) => g.length > 1 && members.get(g[0]).length > 3).flat();
}

const itemOf = (node) => {
  const hidden = ancestors(node.module).find((path) => state.folded.has(path));
  return hidden === undefined ? `n${node.index}` : `m${hidden}`;
};

// ---- drawing

const make = (tag, attributes, parent, text) => {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};
// Of a large tensor, from its smallest to its largest element; the card has the rest.
const rounded = (text) => text.replace(/-?\d+\.\d+(e[+-]?\d+)?/g, (number) => String(Number(Number(number).toPrecision(3))));
const brief = (text) => rounded(text).replace(/^\[[\d, ]*\] (?=mean|all|no finite)/, "").replace(/^mean \S+, from (\S+) to ([^\s,]+)/, "$1 … $2");
const short = (text, most = 40) => (text.length <= most ? text : text.slice(0, most - 3) + "...");

let items = new Map(), edges = [];  // what is drawn now

function labelled(node) {  // name and value in one line if they fit
  if (node.value === null) return [["", short(node.label)]];
  const value = brief(node.value), together = `${node.label} = ${value}`;
  const quiz = document.documentElement.classList.contains("quiz") && node.kind !== "leaf";  // what is given is not asked
  return together.length <= 28 && !quiz ? [["", together]] : [["", short(node.label)], [quiz ? "value" : "", short(`= ${value}`)]];
}

function visible() {
  items = new Map();
  for (const node of data.nodes) {
    const id = itemOf(node);
    if (!items.has(id)) items.set(id, { id, nodes: [], folded: id[0] === "m", module: id.slice(1) });
    items.get(id).nodes.push(node);
  }
  for (const item of items.values()) {
    const node = item.nodes[0];
    const lines = item.folded
      ? [["", `▸ ${item.module}`], ["quiet", `${item.nodes.filter((n) => n.kind !== "leaf").length} operations`]]
      : [...labelled(node), ["quiet", short([node.label.startsWith(node.operation) ? "" : node.operation, node.shape && `[${node.shape}]`, node.place].filter(Boolean).join("  "))]];
    if (!item.folded && node.gradient !== null) lines.push(["gradient sent", short(`gradient ${brief(node.gradient)}`)]);
    Object.assign(item, { lines, width: Math.max(...lines.map(([, t]) => t.length)) * 7.3 + 20, height: lines.length * 16 + 14 });
  }
  const between = new Map();
  for (const [producer, consumer, gradient] of data.edges) {
    const a = itemOf(data.nodes[producer]), b = itemOf(data.nodes[consumer]);
    if (a === b) continue;
    const key = `${a} ${b}`;
    if (!between.has(key)) between.set(key, { a, b, producers: [], consumers: [], texts: [] });
    const edge = between.get(key);
    edge.producers.push(producer); edge.consumers.push(consumer);
    if (gradient !== null) edge.texts.push(gradient);
  }
  edges = [...between.values()];
}

function draw() {
  visible();
  const bends = layered([...items.values()], edges.map((e) => [e.a, e.b]));
  const canvas = $("canvas");
  canvas.replaceChildren();
  const lines = make("g", {}, canvas), boxes = make("g", {}, canvas), count = new Map();
  for (const e of edges) for (const key of [e.b, `from ${e.a}`]) count.set(key, (count.get(key) ?? 0) + 1);
  for (const edge of edges) {
    const a = items.get(edge.a), b = items.get(edge.b);
    const points = [[a.x, a.y + a.height / 2], ...bends(edge.a, edge.b), [b.x, b.y - b.height / 2]];
    edge.path = make("path", { class: "edge", d: "M" + points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" L") }, lines);
    // Beside the end that it shares with the fewest others.
    const alone = count.get(edge.b) > 1, together = count.get(`from ${edge.a}`) > 1;
    const [p, q] = alone ? points : points.slice(-2), t = alone === together ? 0.5 : alone ? 0.25 : 0.75;
    const sum = edge.texts.map(brief).join(" + "), text = edge.texts.length > 1 && sum.length > 26 ? `${edge.texts.length} gradients` : sum;
    edge.label = make("text", { class: "gradient sent along", x: p[0] + (q[0] - p[0]) * t + 4, y: p[1] + (q[1] - p[1]) * t + 4 }, lines, short(text, 26));
  }
  for (const item of items.values()) {
    const node = item.nodes[0];
    const kind = item.folded ? "fold" : node.index === data.root ? "root" : node.kind;
    item.group = make("g", { class: `item ${kind}`, "data-id": item.id, transform: `translate(${item.x - item.width / 2},${item.y - item.height / 2})` }, boxes);
    make("rect", { width: item.width, height: item.height, rx: 5 }, item.group);
    item.texts = item.lines.map(([style, text], i) => make("text", { class: style, x: 10, y: 18 + i * 16 }, item.group, text));
    item.group.addEventListener("pointerenter", () => card(item));
    item.group.addEventListener("pointerleave", () => card(current()));
    item.group.addEventListener("click", () => picked(item));
  }
  show();
}

function picked(item) {
  if (item.folded) return toggle(item.module);
  item.nodes.forEach((n) => { n.told = true; });
  const at = steps.findIndex(([phase, n]) => n === item.nodes[0].index && phase === steps[state.step]?.[0]);
  go(at < 0 ? steps.findIndex(([, n]) => n === item.nodes[0].index) : at);
}

function toggle(path) {
  if (state.folded.has(path)) state.folded.delete(path); else state.folded.add(path);
  state.before = null;
  draw();
}

// ---- the card of a node

const current = () => ({ nodes: [data.nodes[steps[state.step][1]]], folded: false });  // the step's own node, as an item

function card(item) {
  const box = $("card");
  box.replaceChildren();
  const head = document.createElement("h3"), list = document.createElement("dl");
  const add = (term, text) => {
    if (text === null || text === undefined || text === "") return;
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = dt.title = term; dd.textContent = text; list.append(dt, dd);
    dd.classList.toggle("number", ["value", "gradient"].includes(term) || term.startsWith("to "));
  };
  const node = item.nodes[0];
  if (item.folded) {
    head.textContent = item.module;
    add("operations", item.nodes.filter((n) => n.kind !== "leaf").length);
    add("saved", `${item.nodes.reduce((s, n) => s + n.bytes, 0).toLocaleString()} bytes`);
    add("", "click to unfold");
  } else {
    head.textContent = node.label;
    add("operation", node.kind === "leaf" ? "none: a leaf, to which the gradient goes" : `${node.operation}  (${node.name})`);
    add("line", node.place && `${node.place}  ${node.text}`);
    add("module", node.module);
    add("shape", `[${node.shape}] ${node.dtype}`);
    add("value", node.value ?? "not kept: no gradient needs it");
    add("gradient", node.gradient);
    if (node.hooked) add("", `a hook made it of ${node.parts.join(" + ")}`);
    else if (node.parts.length > 1) add("", `the sum over ${node.parts.length} uses: ${node.parts.join(" + ")}`);
    for (const sent of node.sent) {
      add(`to ${data.nodes[sent.to].label}`, `${sent.formula}${sent.numbers ? " = " + sent.numbers : ""}\n${sent.text}`);
      if (data.math[sent.formula]) list.lastChild.insertAdjacentHTML("afterbegin", `<div class="math">${data.math[sent.formula]}</div>`);
    }
    for (const saved of node.saved) add("saved", `${saved.name} [${saved.shape ?? "?"}] ${saved.bytes.toLocaleString()} bytes, ${saved.state}`);
    if (node.forward_time) {
      const [time, steps] = node.forward_time;
      add("forward took", `${time.toFixed(1)} µs${steps > 1 ? `, with the ${steps - 1} before it that the same call made` : ""}`);
    } else if (node.kind !== "leaf") add("forward took", "not measured: make and explain the graph within explain.recording(), or run chainrule explain script.py");
    if (node.microseconds !== null) add("backward took", `${node.microseconds.toFixed(1)} µs`);
  }
  box.append(head, list);
}

// ---- steps

function into(box, line) {  // scrollIntoView() would move the page too, and the notebook around it
  const a = line.getBoundingClientRect(), b = box.getBoundingClientRect();
  box.scrollTop += a.top < b.top ? a.top - b.top : Math.max(0, a.bottom - b.bottom);
}

function show() {
  const [phase, at] = steps[state.step] ?? ["forward", -1];
  const done = new Set(steps.slice(0, state.step + 1).filter(([p]) => p === "forward").map(([, n]) => n));
  const back = new Set(steps.slice(0, state.step + 1).filter(([p]) => p === "backward").map(([, n]) => n));
  for (const item of items.values()) {
    const here = item.nodes.some((n) => n.index === at);
    item.group.classList.toggle("now", here);
    item.group.classList.toggle("told", item.nodes.some((n) => n.told));
    item.group.classList.toggle("later", !item.nodes.some((n) => done.has(n.index)));
    item.group.classList.toggle("found", item.nodes.some((n) => state.found.has(n.index)));
    const seen = item.nodes.some((n) => back.has(n.index));
    for (const text of item.texts) if (text.classList.contains("sent")) text.classList.toggle("there", seen);
  }
  for (const edge of edges) {
    edge.label.classList.toggle("there", edge.consumers.some((n) => back.has(n)));
    edge.path.classList.toggle("flowing", phase === "backward" && edge.consumers.includes(at));
  }
  const node = data.nodes[at];
  for (const line of document.querySelectorAll("#source .now")) line.classList.remove("now");
  const line = node?.line && $(`line-${node.line[0]}-${node.line[1]}`);
  if (line) { line.classList.add("now"); into($("source"), line); }
  card(current());
  $("slider").value = state.step;
  const result = node && (phase === "forward" ? node.value : node.gradient);
  $("where").textContent = node ? `${phase} ${state.step + 1}/${steps.length}: ${node.label} ${phase === "forward" ? "=" : "gradient"} ${result === null ? "not kept" : brief(result)}` : "";
}

function go(step) {
  state.step = Math.max(0, Math.min(steps.length - 1, step));
  show();
  const item = items.get(itemOf(data.nodes[steps[state.step][1]]));
  if (item) bringIntoView(item);
}

function quiz() {  // each value and gradient is hidden until it is clicked
  document.documentElement.classList.toggle("quiz");
  data.nodes.forEach((n) => { n.told = false; });
  draw();
}

function play() {
  if (!state.playing && state.step === steps.length - 1) go(0);
  if (state.playing) { clearInterval(state.playing); state.playing = null; }
  else state.playing = setInterval(() => (state.step < steps.length - 1 ? go(state.step + 1) : play()), 450);
  $("play").textContent = state.playing ? "Pause" : "Play";
}

// ---- view

function apply() {
  const { x, y, k } = state.view;
  state.moved = true;
  $("canvas").setAttribute("transform", `translate(${x},${y}) scale(${k})`);
  $("graph").classList.toggle("far", k < 0.25);
}

function bounds() {
  const all = [...items.values()];
  const left = Math.min(...all.map((i) => i.x - i.width / 2)), right = Math.max(...all.map((i) => i.x + i.width / 2));
  return [left, right, Math.max(...all.map((i) => i.y + i.height / 2))];
}

function fit() {
  const box = $("graph").getBoundingClientRect(), [left, right, bottom] = bounds();
  const k = Math.min(1.2, (box.width - 40) / (right - left || 1), (box.height - 20) / (bottom || 1));
  state.view = { k, x: (box.width - (right + left) * k) / 2, y: (box.height - bottom * k) / 2 };
  apply();
}

function begin() {  // too much to be read at once: the top of it, in a size that can be
  const box = $("graph").getBoundingClientRect(), top = [...items.values()].filter((i) => i.y < 300);
  const middle = top.reduce((sum, i) => sum + i.x, 0) / top.length;
  state.view = { k: 0.85, x: box.width / 2 - middle * 0.85, y: 20 };
  apply();
}

function bringIntoView(item) {  // no farther than needed, so that what was looked at stays in sight
  const box = $("graph").getBoundingClientRect(), { view } = state, [left, right, bottom] = bounds();
  const inside = (at, shift, size) => at * view.k + shift >= 0 && at * view.k + shift <= size;
  if (inside(left, view.x, box.width) && inside(right, view.x, box.width) && inside(0, view.y, box.height) && inside(bottom, view.y, box.height)) return;
  const shift = (at, half, size) => (at < half ? half - at : at > size - half ? size - half - at : 0);
  const side = Math.max((item.width / 2) * view.k + 24, box.width / 4);  // not at the very edge
  view.x += shift(item.x * view.k + view.x, Math.min(box.width / 2, side), box.width);
  view.y += shift(item.y * view.k + view.y, Math.min(box.height / 2, (item.height / 2) * view.k + 90), box.height);
  apply();
}

function zoom(factor, cx, cy) {
  const { view } = state, k = Math.max(0.02, Math.min(4, view.k * factor));
  view.x = cx - ((cx - view.x) * k) / view.k; view.y = cy - ((cy - view.y) * k) / view.k; view.k = k;
  apply();
}

// ---- search and folding

function centre(item) {
  const box = $("graph").getBoundingClientRect(), { view } = state;
  if (view.k < 0.5) view.k = 0.85;
  Object.assign(view, { x: box.width / 2 - item.x * view.k, y: box.height / 2 - item.y * view.k });
  apply();
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  const hit = (n) => [n.label, n.operation, n.name, n.module ?? "", n.text ?? ""].some((t) => t.toLowerCase().includes(wanted));
  state.found = new Set(wanted ? data.nodes.filter(hit).map((n) => n.index) : []);
  $("hits").textContent = wanted ? `${state.found.size} found` : "";
  state.before ??= new Set(state.folded);  // what an earlier search unfolded is folded again
  state.folded = new Set(state.before);
  state.hit = -1;
  draw();
  if (wanted) nextHit();
}

function nextHit() {
  const hits = [...state.found];
  if (!hits.length) return;
  state.hit = (state.hit + 1) % hits.length;
  const node = data.nodes[hits[state.hit]], hidden = ancestors(node.module).filter((path) => state.folded.delete(path));
  if (hidden.length) draw();
  $("hits").textContent = `${state.hit + 1} of ${hits.length}`;
  const item = items.get(itemOf(node));
  card(item);
  centre(item);
}

function foldAll(fold) {
  state.before = null;
  state.folded = new Set(fold ? [...members.keys()].filter((p) => members.get(p).length > 1 && p.includes(".")) : []);
  draw(); fit();
  if (state.view.k < 0.3) begin();
}

// ---- the source

function source() {
  data.files.forEach((file, f) => {
    const head = document.createElement("h2");
    head.textContent = file.name;
    $("source").append(head);
    file.lines.forEach((text, i) => {
      const line = document.createElement("div"), number = document.createElement("span");
      const at = i + file.first;
      line.id = `line-${f}-${at}`; number.textContent = at; line.append(number, text);
      const step = steps.findIndex(([, n]) => data.nodes[n].line?.[0] === f && data.nodes[n].line?.[1] === at);
      if (step >= 0) { line.className = "used"; line.addEventListener("click", () => go(step)); }
      $("source").append(line);
    });
  });
}

// ---- beginning

const keys = {
  ArrowRight: () => go(state.step + 1), ArrowLeft: () => go(state.step - 1), Home: () => go(0), End: () => go(steps.length - 1),
  " ": play, f: fit, "+": () => zoom(1.25, 400, 300), "-": () => zoom(0.8, 400, 300), "[": () => foldAll(true),
  "]": () => foldAll(false), d: () => document.documentElement.classList.toggle("dark"), "/": () => $("search").focus(), q: quiz,
};
document.addEventListener("keydown", (event) => {
  if (event.target === $("search")) {
    if (event.key === "Escape") $("search").blur();
    if (event.key === "Enter") nextHit();
    return;
  }
  if (event.target === $("slider") && event.key.startsWith("Arrow")) return;
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
$("slider").max = steps.length - 1;
$("slider").addEventListener("input", (event) => go(Number(event.target.value)));
$("search").addEventListener("input", (event) => search(event.target.value));
for (const [id, action] of [["play", play], ["back", keys.ArrowLeft], ["on", keys.ArrowRight], ["fit", fit], ["fold", keys["["]], ["unfold", keys["]"]], ["theme", keys.d], ["quiz", quiz]])
  $(id).addEventListener("click", action);
const graph = $("graph");
let drag = null;
graph.addEventListener("pointerdown", (event) => { drag = [event.clientX, event.clientY]; });
window.addEventListener("pointermove", (event) => {
  if (!drag) return;
  graph.classList.add("dragging");
  state.view.x += event.clientX - drag[0]; state.view.y += event.clientY - drag[1];
  drag = [event.clientX, event.clientY];
  apply();
});
window.addEventListener("pointerup", () => { drag = null; graph.classList.remove("dragging"); });
graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = graph.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
const night = matchMedia("(prefers-color-scheme: dark)");
function follow() { document.documentElement.classList.toggle("dark", night.matches); }
follow();
night.addEventListener("change", follow);  // also where a browser tells a frame only after it has loaded
state.folded = new Set(repeated());
source();
draw();
state.step = Math.max(0, steps.length - 1);  // the whole graph with its gradients; Home or Play begins at the first step
function beginning() {
  fit();
  if (state.view.k < 0.7) begin();
  show();
  state.moved = false;
}
beginning();
// A frame in a notebook may get its size only later. Until somebody moves the graph, it follows.
new ResizeObserver(() => { if (!state.moved) beginning(); }).observe(graph);
document.documentElement.dataset.ready = "yes";
