// The list of spans: only the rows near the view are in the page, each with its place for screen readers.

const ROW = 28;

export class SpanList {
  constructor(box, sizer, pick) {
    Object.assign(this, { box, sizer, pick, items: [], selected: null, describe: () => "" });
    box.addEventListener("scroll", () => this.render(), { passive: true });
    new ResizeObserver(() => this.render()).observe(box);
    sizer.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) pick(row.itemId);
    });
  }

  show(items, selected, describe) {
    Object.assign(this, { items, selected, describe });
    this.sizer.style.height = `${items.length * ROW}px`;
    const at = items.findIndex((item) => item.id === selected);
    if (at >= 0) {
      const top = at * ROW, view = this.box.clientHeight;
      if (top < this.box.scrollTop || top + ROW > this.box.scrollTop + view) this.box.scrollTop = Math.max(0, top - view / 2);
    }
    this.render();
  }

  render() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 5);
    const last = Math.min(this.items.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + 5);
    const rows = [];
    let active = "";
    for (let at = first; at < last; at++) {
      const item = this.items[at], row = document.createElement("div"), label = document.createElement("b");
      row.className = "row";
      row.id = `row-${at}`;
      row.itemId = item.id;
      row.role = "option";
      row.ariaSelected = String(item.id === this.selected);
      row.ariaSetSize = String(this.items.length);
      row.ariaPosInSet = String(at + 1);
      row.style.top = `${at * ROW}px`;
      label.textContent = item.label + (item.predicted ? " ?" : "");
      row.append(label, this.describe(item));
      if (item.id === this.selected) active = row.id;
      rows.push(row);
    }
    this.sizer.replaceChildren(...rows);
    if (active) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
  }
}
