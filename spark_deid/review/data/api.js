// Requests to the server: relative addresses only, and a token in a header. The token is in the storage of this tab;
// no text is. Actions wait in a queue until the server has synced them.

const TOKEN = "review-token", PENDING = "review-pending";

export class RequestError extends Error {
  constructor(code, status) { super(code); this.code = code; this.status = status; }
}

export async function request(name, content = {}) {
  let answer;
  try {
    answer = await fetch(`api/${name}`, {
      method: "POST", cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
      headers: { "content-type": "application/json", authorization: `Bearer ${sessionStorage.getItem(TOKEN) ?? ""}` },
      body: JSON.stringify(content),
    });
  } catch { throw new RequestError("offline", 0); }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new RequestError(found.error ?? "server", answer.status);
  return found;
}

// Exchange the secret of a link for a token, and remove it from the address at once.
export async function openLink(secret) {
  const found = await request("session", { link: secret });
  sessionStorage.setItem(TOKEN, found.token);
}

export function linkOfAddress() {
  const secret = location.hash.slice(1);
  if (!secret) return "";
  history.replaceState(null, "", location.pathname + location.search);
  return secret;
}

export function newId() { return crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint32Array(4))].map((each) => each.toString(16)).join("-"); }

export class ActionQueue {
  constructor(show) {
    this.show = show;
    this.waiting = [];
    this.isBusy = false;
    try { this.waiting = JSON.parse(sessionStorage.getItem(PENDING) ?? "[]"); } catch { this.waiting = []; }
    addEventListener("beforeunload", (event) => { if (this.waiting.length) event.preventDefault(); });
    addEventListener("online", () => this.flush());
  }

  get size() { return this.waiting.length; }

  add(action) {
    this.waiting.push(action);
    this.keep();
    this.show("waiting");
    return this.flush();
  }

  // Notes may quote a document, so they are only in memory.
  keep() { try { sessionStorage.setItem(PENDING, JSON.stringify(this.waiting.map(({ note, ...rest }) => rest))); } catch { /* full storage: the actions remain in memory */ } }

  async flush() {
    if (this.isBusy) return this.busy;
    this.isBusy = true;
    this.busy = this.sendAll();
    await this.busy;
  }

  async sendAll() {
    clearTimeout(this.timer);
    try {
      while (this.waiting.length) {
        const action = this.waiting[0];
        try {
          const saved = await request("act", action);
          this.finish(action, saved);
        } catch (error) {
          if (error.code === "stale") { await this.rebase(action); continue; }
          if (error.status === 422 || error.status === 409) { this.drop(action, error.code); continue; }
          this.show("failed", error.code);
          this.timer = setTimeout(() => this.flush(), 2000);
          return;
        }
      }
    } finally { this.isBusy = false; }
  }

  finish(action, saved) {
    this.waiting.shift();
    for (const each of this.waiting) if (each.doc === action.doc) each.version = Math.max(each.version, saved.version);
    this.keep();
    this.show(this.waiting.length ? "waiting" : "saved", saved);
  }

  // Another window changed the document: send the action again for the state of now, and let the page read it.
  async rebase(action) {
    const state = await request("annotations", { doc: action.doc });
    let version = state.version;
    for (const each of this.waiting) if (each.doc === action.doc) each.version = version++;
    this.keep();
    this.show("conflict", action);
  }

  drop(action, code) {
    this.waiting.shift();
    this.keep();
    this.show("dropped", { code, action });
  }
}
