// The text of a document: only the blocks near the view are in the page, so a text of 1 MB opens and scrolls at once.

const TARGET = 1200;
const OVERSCAN = 600;

// Borders of blocks: whole lines of about TARGET units; a longer line is cut, at a space if there is one.
export function blockBorders(text) {
  const borders = [0];
  let start = 0;
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  while (start < text.length) {
    let end = Math.min(text.length, start + TARGET);
    if (end < text.length) {
      const part = text.slice(start, end + TARGET / 2);
      const line = start + part.lastIndexOf("\n", end - start - 1) + 1;
      if (line > start) end = line;
      else {
        const next = part.indexOf("\n", end - start);
        const space = start + part.lastIndexOf(" ", end - start - 1) + 1;
        if (next >= 0) end = start + next + 1;
        else if (space > start + TARGET / 2) end = space;
        else {
          const from = end - 200;
          let last = end;
          for (const each of segmenter.segment(text.slice(from, end + 50))) if (from + each.index <= end && from + each.index > start) last = from + each.index;
          end = last > start ? last : end;
        }
      }
    }
    borders.push(end);
    start = end;
  }
  return borders;
}

function lastAtMost(values, wanted) {
  let low = 0, high = values.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (values[middle] <= wanted) low = middle; else high = middle - 1; }
  return low;
}

export class TextView {
  constructor(scroller, sizer, blocks, changed) {
    Object.assign(this, { scroller, sizer, window: blocks, changed, text: "", borders: [0], items: [], rendered: new Map(), selected: null });
    this.pressed = false;
    scroller.addEventListener("scroll", () => this.schedule(), { passive: true });
    scroller.addEventListener("pointerdown", () => { this.pressed = true; });
    addEventListener("pointerup", () => { this.pressed = false; });
    new ResizeObserver(() => { this.measureWidth(); this.schedule(); }).observe(scroller);
  }

  show(text) {
    this.text = text;
    this.borders = blockBorders(text);
    this.count = this.borders.length - 1;
    this.rendered.clear();
    this.window.replaceChildren();
    this.measureWidth();
    this.setItems([], null);
    this.scroller.scrollTop = 0;
    this.render();
  }

  measureWidth() {
    const width = this.scroller.clientWidth;
    if (!this.count || width === this.width) { this.width = width; if (this.heights?.length === this.count) return; }
    this.width = width;
    const perLine = Math.max(10, width / 8), height = 27.2;
    this.heights = new Float64Array(this.count);
    for (let at = 0; at < this.count; at++) {
      let lines = 0;
      const part = this.text.slice(this.borders[at], this.borders[at + 1]);
      for (const line of (part.endsWith("\n") ? part.slice(0, -1) : part).split("\n")) lines += Math.max(1, Math.ceil(line.length / perLine));
      this.heights[at] = lines * height;
    }
    this.sum();
  }

  sum() {
    this.tops = new Float64Array(this.count + 1);
    for (let at = 0; at < this.count; at++) this.tops[at + 1] = this.tops[at] + this.heights[at];
    this.sizer.style.height = `${this.tops[this.count]}px`;
  }

  // Items: {id, start, end, label, color, predicted}; a list in order of start, outer ones first.
  setItems(items, selected) {
    this.items = items;
    this.selected = selected;
    this.buckets = new Map();
    for (const item of items) {
      for (let at = lastAtMost(this.borders, item.start); at < this.count && this.borders[at] < item.end; at++) {
        if (!this.buckets.has(at)) this.buckets.set(at, []);
        this.buckets.get(at).push(item);
      }
    }
    for (const [at, element] of this.rendered) {
      const key = this.keyOf(at);
      if (element.itemKey !== key) this.fill(element, at, key);
    }
  }

  keyOf(at) {
    return (this.buckets.get(at) ?? []).map((item) => `${item.id}|${item.start}|${item.end}|${item.label}|${item.color}|${item.predicted}|${item.id === this.selected}`).join(" ");
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.render(); });
  }

  render() {
    if (!this.count) { this.sizer.style.height = "0px"; return; }
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight;
    let first = lastAtMost(this.tops, Math.max(0, top - OVERSCAN));
    let last = Math.min(this.count - 1, lastAtMost(this.tops, top + height + OVERSCAN));
    first = Math.min(first, this.count - 1);
    if (this.pressed && this.rendered.size) {
      // A selection that the mouse extends keeps its start in the page.
      const kept = [...this.rendered.keys()];
      if (last - Math.min(...kept) < 60) first = Math.min(first, ...kept);
      if (Math.max(...kept) - first < 60) last = Math.max(last, ...kept);
    }
    for (const [at, element] of this.rendered) if (at < first || at > last) { element.remove(); this.rendered.delete(at); }
    let before = null;
    for (let at = last; at >= first; at--) {
      let element = this.rendered.get(at);
      if (!element) {
        element = document.createElement("div");
        element.className = "block";
        element.dir = "auto";
        element.blockAt = at;
        this.fill(element, at, this.keyOf(at));
        this.rendered.set(at, element);
        this.window.insertBefore(element, before);
      }
      before = element;
    }
    this.window.style.top = `${this.tops[first]}px`;
    this.measure(first, last, top);
    this.changed();
  }

  measure(first, last, top) {
    let shift = 0, is_changed = false;
    const visible = lastAtMost(this.tops, top);
    for (let at = first; at <= last; at++) {
      const height = this.rendered.get(at).getBoundingClientRect().height;
      if (Math.abs(height - this.heights[at]) < 0.5) continue;
      if (at < visible) shift += height - this.heights[at];
      this.heights[at] = height;
      is_changed = true;
    }
    if (!is_changed) return;
    this.sum();
    this.window.style.top = `${this.tops[first]}px`;
    if (shift) this.scroller.scrollTop = top + shift;
    this.schedule();
  }

  fill(element, at, key) {
    const start = this.borders[at], end = this.borders[at + 1], items = this.buckets.get(at) ?? [];
    element.itemKey = key;
    const places = new Set([start, end]);
    for (const item of items) { places.add(Math.max(start, item.start)); places.add(Math.min(end, item.end)); }
    const ordered = [...places].sort((one, other) => one - other), parts = [];
    for (let part = 0; part < ordered.length - 1; part++) {
      const from = ordered[part], to = ordered[part + 1];
      const covering = items.filter((item) => item.start <= from && item.end >= to);
      if (!covering.length) { parts.push(document.createTextNode(this.text.slice(from, to))); continue; }
      const inner = covering.reduce((best, item) => (item.end - item.start <= best.end - best.start ? item : best));
      const mark = document.createElement("mark");
      mark.className = `c${inner.color}${inner.predicted ? " predicted" : ""}${covering.length > 1 ? " nested" : ""}`;
      if (covering.some((item) => item.id === this.selected)) mark.classList.add("selected");
      if (covering.some((item) => item.found)) mark.classList.add("found");
      mark.itemIds = covering.map((item) => item.id);
      const ending = covering.filter((item) => item.end === to).map((item) => item.label);
      if (ending.length) mark.dataset.chip = ending.join(" ");
      mark.textContent = this.text.slice(from, to);
      parts.push(mark);
    }
    element.replaceChildren(...parts);
  }

  blockOf(unit) { return Math.min(lastAtMost(this.borders, unit), this.count - 1); }

  // Put a unit in the view; the block is measured first, so that its place is exact.
  reveal(unit) {
    if (!this.count) return;
    const at = this.blockOf(unit);
    if (!this.rendered.has(at)) { this.scroller.scrollTop = Math.max(0, this.tops[at] - this.scroller.clientHeight / 3); this.render(); this.render(); }
    const [node, offset] = this.nodeAt(unit);
    if (!node) return;
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(node.length, offset + 1));
    const box = range.getBoundingClientRect(), view = this.scroller.getBoundingClientRect();
    if (box.top < view.top + 10 || box.bottom > view.bottom - 10) {
      this.scroller.scrollTop += box.top - view.top - this.scroller.clientHeight / 3;
      this.render();
    }
  }

  nodeAt(unit) {
    const element = this.rendered.get(this.blockOf(unit));
    if (!element) return [null, 0];
    let before = unit - this.borders[element.blockAt];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode(), previous = null;
    while (node && before > node.length) { before -= node.length; previous = node; node = walker.nextNode(); }
    return node ? [node, before] : [previous, previous?.length ?? 0];
  }

  // The unit of a place in the page, null outside of the text.
  unitOf(node, offset) {
    const element = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest?.(".block");
    if (!element) {
      if (node === this.window) { const child = this.window.children[offset]; return child ? this.borders[child.blockAt] : this.borders[(this.window.lastElementChild?.blockAt ?? -1) + 1]; }
      return null;
    }
    const range = document.createRange();
    range.setStart(element, 0);
    range.setEnd(node, offset);
    return this.borders[element.blockAt] + range.toString().length;
  }

  selection() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.scroller.contains(range.startContainer)) return null;
    const start = this.unitOf(range.startContainer, range.startOffset);
    const end = this.scroller.contains(range.endContainer) ? this.unitOf(range.endContainer, range.endOffset) : this.borders[(this.window.lastElementChild?.blockAt ?? -1) + 1];
    return start === null || end === null || start >= end ? null : [start, end];
  }

  select(anchor, focus) {
    this.reveal(focus);
    const [first, firstOffset] = this.nodeAt(anchor), [last, lastOffset] = this.nodeAt(focus);
    if (first && last) getSelection().setBaseAndExtent(first, firstOffset, last, lastOffset);
  }

  // The items of which a part is in the view now.
  itemsInView() {
    const view = this.scroller.getBoundingClientRect(), found = new Set();
    for (const element of this.rendered.values()) {
      const box = element.getBoundingClientRect();
      if (box.bottom < view.top || box.top > view.bottom) continue;
      for (const mark of element.querySelectorAll("mark.predicted")) {
        const place = mark.getBoundingClientRect();
        if (place.bottom > view.top && place.top < view.bottom) for (const id of mark.itemIds) found.add(id);
      }
    }
    return found;
  }
}
