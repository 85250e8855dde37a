// Keys and their commands. A person can change each key or turn it off; the server keeps the choice.

export const COMMANDS = [
  ["next-span", "J", "Next span"],
  ["previous-span", "K", "Previous span"],
  ["next-undecided", "N", "Next undecided span, by uncertainty of the model"],
  ["previous-undecided", "P", "Previous undecided span"],
  ["accept", "Enter", "Accept the span and go to the next one"],
  ["reject", "X", "Reject the prediction, or delete your span"],
  ["add", "A", "Add the selected text with the current label"],
  ["end-shorter", "[", "Move the end one character left"],
  ["end-longer", "]", "Move the end one character right"],
  ["start-longer", "{", "Move the start one character left"],
  ["start-shorter", "}", "Move the start one character right"],
  ["all", "G", "Label all occurrences of the span or selection"],
  ["undo", "U", "Undo your last action"],
  ["note", "C", "Write a note on the document"],
  ["done", "D", "Done: accept the undecided spans that you saw"],
  ["skip", "S", "Skip the document"],
  ["reopen", "O", "Reopen a document that is done or skipped"],
  ["list", "L", "List the documents that are done or skipped"],
  ["find", "F", "Find text in the document"],
  ["panes", "F6", "Go to the other part of the page"],
  ["help", "?", "Show the keys"],
];

export class KeyMap {
  constructor(changed = {}) { this.changed = changed; this.build(); }

  build() {
    this.byKey = new Map();
    for (const [name, key] of COMMANDS) {
      const used = this.changed[name] ?? key;
      if (used) this.byKey.set(used.toLowerCase(), name);
    }
  }

  keyOf(name) { return this.changed[name] ?? COMMANDS.find(([each]) => each === name)[1]; }

  set(name, key) { this.changed[name] = key; this.build(); }

  // The command of a key that was pressed; keys with Ctrl, Alt or Meta belong to the browser, except Ctrl+F.
  command(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") return "find";
    if (event.ctrlKey || event.altKey || event.metaKey) return null;
    return this.byKey.get(event.key.toLowerCase()) ?? null;
  }
}
