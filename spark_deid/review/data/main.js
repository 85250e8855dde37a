// The page: documents, spans and actions. All text is set as text, never as markup.

import { ActionQueue, linkOfAddress, newId, openLink, request } from "./api.js";
import { COMMANDS, KeyMap } from "./keys.js";
import { SpanList } from "./list.js";
import { nextGrapheme, nextWord, Positions, previousGrapheme, previousWord, trimmed, wholeGraphemes, wordAt } from "./positions.js";
import { TextView } from "./text.js";
import { showStatistics, showTraining } from "./figures.js";

const $ = (id) => document.getElementById(id);
const IDLE = 60_000;
const REASONS = {
  first: "first document of the input", chance: "next by chance", held: "held back: no predictions, used only to measure",
  uncertainty: "the model is least sure of it", disagreement: "two models disagree most", reopened: "reopened", last: "your last document",
};
const ERRORS = {
  offline: "the server does not answer. Your actions are kept here and sent again", token: "the session ended. Paste a new link",
  "not-saved": "the disk is full or the folder is read-only. Free some space: your actions are kept here and sent again",
  link: "this link was used or is older than ten minutes", host: "this address is not allowed. Start the server with --origin",
  origin: "this address is not allowed. Start the server with --origin", "nothing-to-undo": "there is no action of yours to undo",
  "no-span": "another window removed this span", frozen: "the input text changed. Realign or discard its annotations first",
  "text-changed": "the input text changed", "unknown-label": "the project does not have this label", "few-documents": "too few documents are done to train on", "training-runs": "a training runs already", "no-document": "the input no longer has this document",
};

const S = { doc: null, text: "", items: [], selected: null, version: 0, status: "open", label: null, labels: [], colors: new Map(), seen: new Set(),
  order: "chance", keys: new KeyMap(), active: 0, lastInput: 0, anchor: 0, caret: 0, isHeld: false, isPredicted: false, found: [] };
const view = new TextView($("text"), $("sizer"), $("blocks"), () => noteSeen());
const list = new SpanList($("list"), $("list-sizer"), (id) => select(id));
const queue = new ActionQueue(showSaved);

function announce(message) { $("announce").textContent = ""; setTimeout(() => { $("announce").textContent = message; }, 20); }

function complain(error) {
  const code = error?.code ?? "page";
  if (code === "page") console.error(error);
  $("message").textContent = `Problem: ${ERRORS[code] ?? code}.`;
  $("message").hidden = false;
  $("link-form").hidden = !["token", "link"].includes(code);
}

function calm() { $("message").hidden = true; $("link-form").hidden = true; }

function showSaved(state, detail) {
  const box = $("saved");
  box.classList.toggle("bad", state !== "saved");
  if (state === "saved") { box.textContent = `Saved ${new Date(detail.at * 1000).toLocaleTimeString()}`; calm(); if (S.isStale) { S.isStale = false; reload(); } }
  else if (state === "failed") { box.textContent = `NOT SAVED (${queue.size})`; complain({ code: detail }); }
  else if (state === "conflict") { announce("Another window changed this document."); S.isStale = true; }
  else if (state === "dropped") { complain({ code: detail.code }); reload(); if (!queue.size) box.textContent = "An action was refused"; }
  else box.textContent = `NOT SAVED (${queue.size})`;
}

// Active time: gaps without input count up to IDLE.
for (const kind of ["keydown", "pointerdown", "wheel"]) addEventListener(kind, () => {
  const now = performance.now();
  if (S.lastInput && now - S.lastInput < IDLE) S.active += now - S.lastInput;
  S.lastInput = now;
}, { passive: true, capture: true });

function takeActive() { const seconds = Math.round(S.active / 100) / 10; S.active = 0; return seconds; }

// Documents.

async function nextDocument() {
  const found = await request("next", { order: S.order });
  if (found.doc === null) return showEmpty();
  await openDocument(found.doc, found.reason);
}

async function openDocument(doc, reason, caret = 0) {
  const found = await request("document", { doc });
  Object.assign(S, { doc, text: found.text, positions: new Positions(found.text), digest: found.digest, isHeld: found.held, name: found.name,
    seen: new Set(), selected: null, anchor: caret, caret, found: [] });
  view.show(found.text);
  takeAnnotations(found);
  $("reason").textContent = `Why this one: ${REASONS[reason] ?? reason}`;
  showPlace();
  $("text").focus();
  const first = S.items.find((item) => item.predicted) ?? S.items[0];
  if (caret) view.reveal(caret); else if (first) select(first.id);
  announce(`Document ${found.name}, ${S.items.length} spans.`);
  keepPlace();
}

function takeAnnotations(found) {
  const unit = (point) => S.positions.toUnit(point);
  S.version = found.version; S.status = found.status; S.isFrozen = found.frozen; S.isPredicted = found.is_predicted;
  const spans = found.spans.map(([id, start, end, label, origin]) => ({ id, start: unit(start), end: unit(end), label, origin, predicted: false }));
  const predicted = found.predicted.map(([start, end, label, score, source]) => ({ id: `p:${start}-${end}-${label}`, start: unit(start), end: unit(end), label, score, source, predicted: true }));
  S.items = [...spans, ...predicted];
  draw();
  $("do-reopen").hidden = S.status === "open";
  if (S.isFrozen) askFrozen();
}

async function reload() {
  if (S.doc === null) return;
  try {
    takeAnnotations(await request("annotations", { doc: S.doc }));
    for (const action of queue.waiting) if (action.doc === S.doc) { applyChanges(action.changes); S.version += 1; }
    draw();
  } catch (error) { complain(error); }
}

function askFrozen() {
  ask("The text of this document changed", "Its annotations belong to an older text. Realign moves each span to the same passage of the new text. Cancel and reject the change of the file, or discard the annotations with the key X.", "Realign").then(async (yes) => {
    if (!yes) return;
    try {
      const found = await request("realign", { id: newId(), doc: S.doc });
      await reload();
      announce(`${found.removed} spans were not found and are removed.`);
    } catch (error) { complain(error); }
  });
}

function showEmpty() {
  S.doc = null; S.text = ""; S.items = []; view.show(""); draw();
  const status = S.project?.input ?? { documents: 0, rejects: {} };
  const rejects = Object.entries(status.rejects).map(([reason, count]) => `${count} ${reason}`).join(", ");
  let message = "All documents are done or skipped. Press L to reopen one, or add files to the input and start again.";
  if (status.error) message = `The input cannot be read: ${status.error}`;
  else if (!status.documents) message = `The input has no readable document${rejects ? ` (rejected: ${rejects})` : ""}. Check --input and --format, and create a new project.`;
  $("place").textContent = message;
  $("reason").textContent = "";
  announce(message);
}

function showPlace() {
  const input = S.project?.input, undecided = S.items.filter((item) => item.predicted).length;
  const state = { open: "", done: " · done", skip: " · skipped" }[S.status];
  const wait = !S.isHeld && !S.isPredicted && S.project?.layers.length ? " · predictions follow" : "";
  $("place").textContent = `${S.name}${state} · ${undecided} undecided of ${S.items.length} spans${wait}${input ? ` · ${input.documents}${input.is_whole ? "" : "+"} documents` : ""}`;
}

let placeTimer;
function keepPlace() {
  clearTimeout(placeTimer);
  placeTimer = setTimeout(() => request("place", { doc: S.doc, caret: S.caret, order: S.order, keys: S.keys.changed }).catch(() => {}), 800);
}

// Spans.

function colorOf(label) { if (!S.colors.has(label)) S.colors.set(label, S.colors.size % 8); return S.colors.get(label); }

function draw() {
  S.items.sort((one, other) => one.start - other.start || other.end - one.end || (one.label < other.label ? -1 : 1));
  for (const item of S.items) item.color = colorOf(item.label);
  if (S.selected !== null && !S.items.some((item) => item.id === S.selected)) S.selected = null;
  const extra = S.found.map(([start, end], at) => ({ id: `f:${at}`, start, end, label: "", color: 4, predicted: false, found: true }));
  view.setItems(extra.length ? [...S.items, ...extra].sort((one, other) => one.start - other.start) : S.items, S.selected);
  list.show(S.items, S.selected, (item) => S.text.slice(item.start, Math.min(item.end, item.start + 80)).replace(/\s+/g, " "));
  $("list-title").textContent = `Spans (${S.items.length})`;
  showCard();
  if (S.doc !== null) showPlace();
}

const itemOf = (id) => S.items.find((item) => item.id === id) ?? null;

function select(id, reveal = true) {
  S.selected = id;
  const item = itemOf(id);
  draw();
  if (!item) return;
  S.anchor = S.caret = item.start;
  if (reveal) view.reveal(item.start);
  announce(`${item.label}${item.predicted ? ", predicted" : ""}: ${S.text.slice(item.start, item.end)}`);
  keepPlace();
}

function step(direction, wanted = () => true) {
  const from = itemOf(S.selected), ordered = S.items;
  const at = from ? ordered.indexOf(from) : direction > 0 ? -1 : ordered.length;
  for (let next = at + direction; next >= 0 && next < ordered.length; next += direction) if (wanted(ordered[next])) return select(ordered[next].id);
  announce("No further span.");
}

// Undecided spans in order of doubt; the same key goes from the most to the least doubtful one.
function stepDoubt(direction) {
  const doubt = (item) => 1 - Math.abs(2 * (item.score ?? 0.5) - 1);
  const ordered = S.items.filter((item) => item.predicted).sort((one, other) => doubt(other) - doubt(one) || one.start - other.start);
  if (!ordered.length) return announce("No undecided span.");
  const at = ordered.findIndex((item) => item.id === S.selected);
  select(ordered[(at + direction + ordered.length) % ordered.length].id);
}

function showCard() {
  const item = itemOf(S.selected), card = $("card");
  const parts = [];
  const line = (text) => { const p = document.createElement("p"); p.textContent = text; parts.push(p); };
  if (item) {
    line(`${item.label}${item.predicted ? " (predicted)" : ""}: ${S.text.slice(item.start, Math.min(item.end, item.start + 200))}`);
    if (item.predicted) line(`Score ${item.score === null || item.score === undefined ? "unknown" : item.score.toFixed(2)} · ${item.source}`);
    else line(item.origin ? `Accepted from ${item.origin}` : "Added by a person");
    const row = document.createElement("p");
    for (const [name, text] of item.predicted ? [["accept", "Accept"], ["reject", "Reject"], ["all", "All occurrences"]] : [["reject", "Delete"], ["all", "All occurrences"]]) row.append(button(text, () => run(name)));
    parts.push(row);
  } else line("Select text and press a digit to add a span, or select a span.");
  card.replaceChildren(...parts);
}

function button(text, work) { const made = document.createElement("button"); made.type = "button"; made.textContent = text; made.addEventListener("click", work); return made; }

function noteSeen() {
  clearTimeout(noteSeen.timer);
  noteSeen.timer = setTimeout(() => { for (const id of view.itemsInView()) S.seen.add(id); }, 60);
}

// Actions: each is applied here, sent, and shown as saved only after the server has synced it.

function point(unit) { return S.positions.toPoint(unit); }

function act(kind, changes = [], extra = {}) {
  if (S.doc === null) return Promise.resolve();
  if (S.isFrozen && kind !== "discard") { complain({ code: "frozen" }); return Promise.resolve(); }
  const action = { id: newId(), doc: S.doc, digest: S.digest, version: S.version, kind, changes, active: takeActive(), ...extra };
  S.version += 1;
  if (["done", "skip", "reopen"].includes(kind)) S.status = kind === "reopen" ? "open" : kind;
  applyChanges(changes);
  draw();
  return queue.add(action);
}

function applyChanges(changes) {
  for (const change of changes) {
    const place = { start: S.positions.toUnit(change.start ?? 0), end: S.positions.toUnit(change.end ?? 0) };
    const predictedId = `p:${change.start}-${change.end}-${change.label}`;
    if (change.op === "accept" || change.op === "reject") S.items = S.items.filter((item) => item.id !== predictedId || !item.predicted);
    if (change.op === "add" || change.op === "accept") S.items.push({ id: change.span, ...place, label: change.label, origin: change.op === "accept" ? change.source ?? "" : "", predicted: false });
    const item = S.items.find((each) => each.id === change.span && !each.predicted);
    if (change.op === "relabel" && item) item.label = change.label;
    if (change.op === "resize" && item) Object.assign(item, place);
    if (change.op === "delete") S.items = S.items.filter((each) => each.id !== change.span || each.predicted);
  }
}

const placeOf = (item) => ({ start: point(item.start), end: point(item.end) });

function acceptance(item) { return { op: "accept", span: item.id, ...placeOf(item), label: item.label, score: item.score, source: item.source }; }

function accept() {
  const item = itemOf(S.selected);
  if (item?.predicted) { const id = item.id; act("accept", [acceptance(item)]); S.selected = id; }
  step(1, (each) => each.predicted);
}

function reject() {
  if (S.isFrozen) return discard();
  const item = itemOf(S.selected);
  if (!item) return;
  const after = S.items[S.items.indexOf(item) + 1];
  if (item.predicted) act("reject", [{ op: "reject", ...placeOf(item), label: item.label }]);
  else act("delete", [{ op: "delete", span: item.id }]);
  if (after) select(after.id); else draw();
}

async function discard() { if (await ask("Discard the annotations of this document?", "They belong to an older text.", "Discard")) { await act("discard"); await reload(); } }

function relabel(item, label) {
  if (item.label === label) return;
  if (item.predicted) act("relabel", [acceptance(item), { op: "relabel", span: item.id, label }]);
  else act("relabel", [{ op: "relabel", span: item.id, label }]);
  select(item.id, false);
}

function resize(edge, direction) {
  const item = itemOf(S.selected);
  if (!item) return;
  const move = direction > 0 ? nextGrapheme : previousGrapheme;
  const start = edge === "start" ? move(S.text, item.start) : item.start, end = edge === "end" ? move(S.text, item.end) : item.end;
  if (start >= end || start < 0 || end > S.text.length) return;
  const change = { op: "resize", span: item.id, start: point(start), end: point(end) };
  act("resize", item.predicted ? [acceptance(item), change] : [change]);
  select(item.id, false);
  announce(S.text.slice(start, end));
}

function selectedText() {
  const found = view.selection() ?? (S.anchor === S.caret ? null : [Math.min(S.anchor, S.caret), Math.max(S.anchor, S.caret)]);
  if (!found) return null;
  const [start, end] = wholeGraphemes(S.text, ...trimmed(S.text, ...found));
  return start < end ? [start, end] : null;
}

function addSelection(label) {
  const found = selectedText();
  if (!found || !label) return false;
  const [start, end] = found, same = S.items.find((item) => item.start === start && item.end === end && item.label === label);
  getSelection().removeAllRanges();
  S.anchor = S.caret = start;
  if (same?.predicted) { act("accept", [acceptance(same)]); select(same.id, false); return true; }
  if (same) { select(same.id, false); return true; }
  const id = newId();
  act("add", [{ op: "add", span: id, start: point(start), end: point(end), label }]);
  select(id, false);
  return true;
}

function useLabel(number) {
  const label = S.labels[number];
  if (label === undefined) return;
  S.label = label;
  drawPalette();
  if (addSelection(label)) return;
  const item = itemOf(S.selected);
  if (item) relabel(item, label);
}

async function labelAll() {
  const item = itemOf(S.selected), found = selectedText() ?? (item && [item.start, item.end]);
  if (!found) return announce("Select a span or text first.");
  const label = item?.label ?? S.label, [start, end] = found;
  try {
    const { places } = await request("occurrences", { doc: S.doc, start: point(start), end: point(end) });
    const units = places.map(([from, to]) => [S.positions.toUnit(from), S.positions.toUnit(to)]);
    const fresh = units.filter(([from, to]) => !S.items.some((each) => !each.predicted && each.start === from && each.end === to && each.label === label));
    const lines = fresh.slice(0, 200).map(([from, to]) => [S.text.slice(Math.max(0, from - 40), from), S.text.slice(from, to), S.text.slice(to, to + 40)]);
    if (!fresh.length) return announce("All occurrences have this label.");
    const yes = await ask(`Label ${fresh.length} occurrences as ${label}`, lines, `Add ${fresh.length}`);
    if (!yes) return;
    const changes = fresh.map(([from, to]) => {
      const same = S.items.find((each) => each.predicted && each.start === from && each.end === to && each.label === label);
      return same ? acceptance(same) : { op: "add", span: newId(), start: point(from), end: point(to), label };
    });
    getSelection().removeAllRanges();
    act("add", changes);
    announce(`${fresh.length} spans added.`);
  } catch (error) { complain(error); }
}

async function finish(kind) {
  if (S.doc === null) return;
  if (kind === "done") {
    const undecided = S.items.filter((item) => item.predicted);
    for (const id of view.itemsInView()) S.seen.add(id);
    const unseen = undecided.find((item) => !S.seen.has(item.id));
    if (unseen) { select(unseen.id); return announce("A predicted span was not on the screen yet. Press D again after you have seen all of them."); }
    act("done", undecided.map(acceptance));
  } else act("skip");
  try { await queue.flush(); if (!queue.size) await nextDocument(); } catch (error) { complain(error); }
}

async function undo() {
  try {
    await queue.flush();
    if (queue.size) return;
    const found = await request("undo", { id: newId() });
    if (found.doc && found.doc !== S.doc) await openDocument(found.doc, "reopened");
    else if (found.doc) await reload();
    await refreshProject();
    announce("Undone.");
    $("saved").textContent = `Saved ${new Date().toLocaleTimeString()}`;
  } catch (error) { complain(error); }
}

async function writeNote() {
  const text = await ask("Note on this document", null, "Save");
  if (typeof text === "string" && text) act(S.status === "open" ? "reopen" : S.status, [], { note: text });
}

async function listDocuments() {
  try {
    const [done, skipped] = await Promise.all(["done", "skip"].map((status) => request("documents", { status })));
    const all = [...done.documents.map((each) => ({ ...each, status: "done" })), ...skipped.documents.map((each) => ({ ...each, status: "skipped" }))];
    const shown = all.slice(-500).reverse();
    const nodes = shown.map((each) => { const p = document.createElement("p"); p.append(button(`${each.name} (${each.status})`, () => { $("dialog").close("no"); openDocument(each.doc, "reopened").catch(complain); })); return p; });
    if (!nodes.length) { const p = document.createElement("p"); p.textContent = "No document is done or skipped."; nodes.push(p); }
    ask(`Documents that are done or skipped (${all.length})`, nodes, "Close");
  } catch (error) { complain(error); }
}

// The dialog: a question, passages of a preview, nodes, or a field for a note.
function ask(title, body, yes) {
  const dialog = $("dialog"), box = $("dialog-body");
  $("dialog-title").textContent = title;
  $("dialog-yes").textContent = yes;
  let field = null;
  if (body === null) { field = document.createElement("textarea"); field.rows = 4; field.spellcheck = false; field.setAttribute("aria-label", title); box.replaceChildren(field); }
  else if (typeof body === "string") box.textContent = body;
  else if (body[0] instanceof Node) box.replaceChildren(...body);
  else box.replaceChildren(...body.map(([before, inner, after]) => { const p = document.createElement("p"), mark = document.createElement("mark"); mark.textContent = inner; p.append(`… ${before}`, mark, `${after} …`); return p; }));
  dialog.showModal();
  (field ?? $("dialog-yes")).focus();
  return new Promise((resolve) => {
    dialog.onclose = () => { resolve(dialog.returnValue === "yes" ? (field ? field.value : true) : false); box.replaceChildren(); $("text").focus(); };
    $("dialog-yes").onclick = () => dialog.close("yes");
    $("dialog-no").onclick = () => dialog.close("no");
    dialog.oncancel = () => { dialog.returnValue = "no"; };
  });
}

// Search in the document; the server is not asked.
function search(again) {
  $("search-form").hidden = false;
  const wanted = $("search").value.toLocaleLowerCase();
  if (!again) { $("search").focus(); $("search").select(); return; }
  S.found = [];
  if (wanted) {
    const text = S.text.toLocaleLowerCase().length === S.text.length ? S.text.toLocaleLowerCase() : S.text;
    for (let at = text.indexOf(wanted); at >= 0 && S.found.length < 10_000; at = text.indexOf(wanted, at + wanted.length)) S.found.push([at, at + wanted.length]);
  }
  $("search-count").textContent = `${S.found.length} found`;
  const next = S.found.find(([start]) => start > S.caret) ?? S.found[0];
  draw();
  if (next) { S.anchor = next[0]; S.caret = next[1]; view.reveal(next[0]); view.select(...next); }
}

// Keys.

const RUN = {
  "next-span": () => step(1), "previous-span": () => step(-1), "next-undecided": () => stepDoubt(1), "previous-undecided": () => stepDoubt(-1),
  accept, reject, add: () => addSelection(S.label), "end-shorter": () => resize("end", -1), "end-longer": () => resize("end", 1),
  "start-longer": () => resize("start", -1), "start-shorter": () => resize("start", 1), all: labelAll, undo, note: writeNote,
  done: () => finish("done"), skip: () => finish("skip"), reopen: () => act("reopen").then(reload), list: listDocuments, find: () => search(false),
  panes: () => (document.activeElement === $("text") ? $("list") : $("text")).focus(), help: () => openTab("keys"),
};

function run(name) { Promise.resolve(RUN[name]()).catch(complain); }

addEventListener("keydown", (event) => {
  if (capture) return captureKey(event);
  const target = event.target;
  if ($("dialog").open || target.closest?.("input, textarea, select") || event.isComposing) return;
  if (target.closest?.("button, a") && ["Enter", " "].includes(event.key)) return;
  if (!$("annotate").hidden && document.activeElement === $("text") && moveCaret(event)) return event.preventDefault();
  if (!$("annotate").hidden && document.activeElement === $("list") && ["ArrowDown", "ArrowUp"].includes(event.key)) { step(event.key === "ArrowDown" ? 1 : -1); return event.preventDefault(); }
  if (/^[1-9]$/.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey && !$("annotate").hidden) { useLabel(Number(event.key) - 1); return event.preventDefault(); }
  const name = S.keys.command(event);
  if (!name || ($("annotate").hidden && !["help", "panes"].includes(name))) return;
  event.preventDefault();
  run(name);
});

// Arrows move by word, with Alt or Ctrl by character; Shift extends the selection.
function moveCaret(event) {
  const by = event.altKey || event.ctrlKey, key = event.key;
  let to;
  if (key === "ArrowRight") to = (by ? nextGrapheme : nextWord)(S.text, S.caret);
  else if (key === "ArrowLeft") to = (by ? previousGrapheme : previousWord)(S.text, S.caret);
  else if (key === "ArrowDown" && event.shiftKey) { const line = S.text.indexOf("\n", S.caret); to = line < 0 ? S.text.length : line + 1; }
  else if (key === "ArrowUp" && event.shiftKey) to = Math.max(0, S.text.lastIndexOf("\n", S.caret - 2) + 1);
  else return false;
  S.caret = to;
  if (event.shiftKey) {
    // A selection by words begins and ends with whole words, in either direction.
    const isWord = !by && key.endsWith("t"), isBefore = to < S.anchor;
    view.select(isWord && isBefore ? wordAt(S.text, S.anchor)[1] : S.anchor, isWord && !isBefore ? wordAt(S.text, to)[1] : to);
  } else {
    const [start, end] = by ? [to, nextGrapheme(S.text, to)] : wordAt(S.text, to);
    S.anchor = S.caret = start;
    view.select(start, end);
    announce(S.text.slice(start, end));
  }
  keepPlace();
  return true;
}

$("text").addEventListener("click", (event) => {
  if (view.selection()) { [S.anchor, S.caret] = view.selection(); return; }
  const ids = event.target.closest?.("mark")?.itemIds;
  if (ids) { const at = ids.indexOf(S.selected); select(ids[(at + ids.length) % ids.length === ids.length - 1 && at >= 0 ? 0 : at < 0 ? ids.length - 1 : at + 1], false); }
  const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const unit = place && $("text").contains(place.offsetNode) ? view.unitOf(place.offsetNode, place.offset) : null;
  if (unit !== null && !ids) S.anchor = S.caret = unit;
});

// Tabs, labels and keys.

function openTab(name) {
  for (const each of ["annotate", "train", "statistics", "labels", "keys"]) {
    $(each).hidden = each !== name;
    $(`tab-${each}`).setAttribute("aria-pressed", String(each === name));
  }
  if (name === "statistics") request("statistics").then((found) => showStatistics($("statistics"), found)).catch(complain);
  if (name === "train") showTraining($("train"), request, complain, button);
  if (name === "labels") drawLabels();
  if (name === "keys") drawKeys();
  if (name === "annotate") $("text").focus();
}

function drawPalette() {
  $("palette").replaceChildren(...S.labels.map((label, at) => {
    const made = button(at < 9 ? `${at + 1} ${label}` : label, () => useLabel(at));
    made.classList.add(`c${colorOf(label)}`);
    made.setAttribute("aria-current", String(label === S.label));
    return made;
  }));
}

function field(name) { const made = document.createElement("input"); made.setAttribute("aria-label", name); made.autocomplete = "off"; made.spellcheck = false; return made; }

function drawLabels() {
  const box = $("labels"), title = document.createElement("h2"), fresh = field("New label"), parts = [title];
  title.textContent = "Labels";
  for (const label of S.labels) {
    const row = document.createElement("p"), name = field(`New name of ${label}`);
    name.value = label;
    row.append(`${label} → `, name, " ", button("Rename or merge", async () => {
      const into = name.value.trim();
      try {
        const found = await request("preview-label", { label, into });
        const what = found.is_merge ? `Merge ${label} into ${into}` : `Rename ${label} to ${into}`;
        if (!(await ask(what, `${found.spans} spans in ${found.documents} documents change. You can undo this.`, what))) return;
        await request("merge-label", { id: newId(), label, into });
        await refreshProject(); drawLabels(); if (S.doc) await reload();
      } catch (error) { complain(error); }
    }));
    parts.push(row);
  }
  const row = document.createElement("p");
  row.append(fresh, " ", button("Add a label", async () => {
    try { await request("add-label", { id: newId(), label: fresh.value.trim() }); await refreshProject(); drawLabels(); } catch (error) { complain(error); }
  }));
  box.replaceChildren(...parts, row);
}

let capture = null;
function captureKey(event) {
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault();
  S.keys.set(capture, event.key === "Escape" ? "" : event.key.length === 1 ? event.key.toUpperCase() : event.key);
  capture = null;
  drawKeys();
  keepPlace();
}

function drawKeys() {
  const table = document.createElement("table"), head = document.createElement("tr"), note = document.createElement("p"), title = document.createElement("h2");
  title.textContent = "Keys";
  note.textContent = "1 to 9 use a label. Arrows select words, with Shift several, with Alt characters. Choose Change, then press a key; Escape turns the key off.";
  for (const name of ["Key", "Command", ""]) { const cell = document.createElement(name ? "th" : "td"); cell.textContent = name; head.append(cell); }
  table.append(head);
  for (const [name, , text] of COMMANDS) {
    const row = document.createElement("tr"), cells = [S.keys.keyOf(name) || "off", text].map((value) => { const cell = document.createElement("td"); cell.textContent = value; return cell; });
    const last = document.createElement("td"), change = button("Change", () => { capture = name; change.textContent = "Press a key"; });
    change.setAttribute("aria-label", `Change the key of: ${text}`);
    last.append(change);
    row.append(...cells, last);
    table.append(row);
  }
  $("keys").replaceChildren(title, note, table);
}

// Start.

async function refreshProject() {
  S.project = await request("project");
  const isNew = S.labels.join() !== S.project.labels.join();
  S.labels = S.project.labels;
  S.label = S.labels.includes(S.label) ? S.label : S.labels[0];
  if (isNew) drawPalette();
  const orders = S.project.orders;
  if ($("order").childElementCount !== orders.length) $("order").replaceChildren(...orders.map((each) => new Option(each, each, false, each === S.order)));
  if (S.doc !== null) showPlace();
  for (const [name, error] of Object.entries(S.project.errors)) { $("message").hidden = false; $("message").textContent = `Problem: ${name}: ${error}.`; }
}

async function poll() {
  try {
    await refreshProject();
    if (S.doc !== null && !S.isPredicted && !S.isHeld && !queue.size && S.project.layers.length) await reload();
  } catch (error) { if (error.code !== "offline") complain(error); }
  const isBusy = !S.project?.input.is_whole || S.project.layers.some((layer) => layer.is_running);
  setTimeout(poll, isBusy ? 2000 : 15_000);
}

async function start() {
  const secret = linkOfAddress();
  try {
    if (secret) await openLink(secret);
    calm();
    await refreshProject();
    const place = S.project.place;
    S.order = S.project.orders.includes(place.order) ? place.order : "chance";
    $("order").value = S.order;
    S.keys = new KeyMap(place.keys ?? {});
    await queue.flush();
    let isOpen = false;
    if (place.doc) try { await openDocument(place.doc, "last", place.caret); isOpen = true; } catch { /* the input no longer has it */ }
    if (!isOpen || S.status !== "open") await nextDocument();
    document.documentElement.dataset.ready = "yes";
    if (!start.isPolling) { start.isPolling = true; setTimeout(poll, 1500); }
  } catch (error) { complain(error); }
}

for (const name of ["annotate", "train", "statistics", "labels", "keys"]) $(`tab-${name}`).addEventListener("click", () => openTab(name));
for (const name of ["done", "skip", "undo", "reopen", "list"]) $(`do-${name}`).addEventListener("click", () => run(name));
$("skip-link").addEventListener("click", (event) => { event.preventDefault(); $("text").focus(); });
$("order").addEventListener("change", () => { S.order = $("order").value; keepPlace(); nextDocument().catch(complain); });
$("search-form").addEventListener("submit", (event) => { event.preventDefault(); search(true); });
$("search").addEventListener("keydown", (event) => { if (event.key === "Escape") { S.found = []; $("search-form").hidden = true; draw(); $("text").focus(); } });
$("link-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try { await openLink($("link").value.trim().split("#").at(-1)); $("link").value = ""; calm(); await queue.flush(); if (S.doc === null) await start(); } catch (error) { complain(error); }
});
addEventListener("hashchange", () => { const secret = linkOfAddress(); if (secret) openLink(secret).then(() => { calm(); return queue.flush(); }).catch(complain); });

start();
