// Tables of the tabs: statistics, and figures of models.

function table(head, rows) {
  const made = document.createElement("table"), first = document.createElement("tr");
  for (const text of head) { const cell = document.createElement("th"); cell.scope = "col"; cell.textContent = text; first.append(cell); }
  made.append(first);
  for (const row of rows) {
    const line = document.createElement("tr");
    for (const text of row) { const cell = document.createElement("td"); cell.textContent = String(text); line.append(cell); }
    made.append(line);
  }
  return made;
}

function paragraph(text) { const made = document.createElement("p"); made.textContent = text; return made; }

function title(text) { const made = document.createElement("h2"); made.textContent = text; return made; }

export function showStatistics(box, found) {
  const minutes = found.minutes === null ? "unknown" : found.minutes.toFixed(1);
  box.replaceChildren(
    title("Statistics"),
    paragraph(`${found.done} of ${found.documents} documents are done, ${found.skipped} skipped. Active minutes per document: ${minutes}.`),
    paragraph(`Held back to measure: ${found.held_done} of ${found.held} are done.`),
    table(["Label", "Accepted one by one", "Accepted by Done", "Rejected", "Added"],
      Object.entries(found.labels).map(([label, each]) => [label, each.accepted, each.accepted_by_done, each.rejected, each.added])),
  );
}

export function showTraining(box) { box.replaceChildren(title("Train and figures"), paragraph("Figures follow after held-back documents are done.")); }
