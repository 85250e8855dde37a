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

const percent = (value) => `${(100 * value).toFixed(1)}%`;

function scoreRow(each) {
  if (!each.documents) return [each.name, 0, "", "", "", ""];
  const missed = each.interval ? `${each.missed} of ${each.name_words} (${percent(each.interval[0])} to ${percent(each.interval[1])})` : "no names";
  return [each.name, each.documents, percent(each.precision), percent(each.recall), percent(each.f1), missed];
}

export async function showTraining(box, request, complain, button) {
  clearTimeout(showTraining.timer);
  try {
    const [found, project] = [await request("figures"), await request("project")];
    const layers = project.layers.map((layer) => `${layer.name}: ${layer.done} of ${project.input.documents} documents read${layer.is_running ? ", running" : ""}`);
    const again = () => showTraining(box, request, complain, button);
    const then = (name) => async () => { try { await request(name); await again(); } catch (error) { complain(error); } };
    const isBusy = project.layers.some((layer) => layer.is_running), controls = document.createElement("p");
    if (project.training.is_running) controls.append(button("Cancel the training", then("stop-training")));
    else controls.append(button("Train a model", then("train")));
    controls.append(" ", isBusy ? button("Stop predictions", then("stop-predictions")) : button("Start predictions", then("start-predictions")));
    const parts = [
      title("Train"), paragraph(`${found.training} documents to train on are done; ${found.least} are needed. The model uses the probabilities of the shipped English model, and its words are hashed with a new private key.`),
      controls, paragraph(project.training.message), ...layers.map(paragraph), title("Figures from held-back documents"),
    ];
    if (!found.held) parts.push(paragraph("No held-back document is done yet. They come in the order by chance, without predictions."));
    else {
      parts.push(table(["Model", "Documents", "Precision", "Recall", "F1", "Words of names missed (95% interval)"], found.layers.map(scoreRow)));
      const names = Object.keys(found.layers[0]?.by_document ?? {});
      if (found.layers.length > 1) parts.push(title("Words of names missed, by document"), table(["Document", ...found.layers.map((each) => each.name)], names.map((name) => [name, ...found.layers.map((each) => each.by_document?.[name] ?? "")])));
    }
    box.replaceChildren(...parts);
    if (!box.hidden && (isBusy || project.training.is_running)) showTraining.timer = setTimeout(again, 2000);
  } catch (error) { complain(error); }
}
