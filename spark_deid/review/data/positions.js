// Positions: the server counts code points, the page UTF-16 units. Both directions are exact.

export class Positions {
  constructor(text) {
    const pairs = [];
    for (let unit = 0; unit < text.length - 1; unit++) {
      const first = text.charCodeAt(unit);
      if (first >= 0xd800 && first < 0xdc00) {
        const second = text.charCodeAt(unit + 1);
        if (second >= 0xdc00 && second < 0xe000) { pairs.push(unit); unit++; }
      }
    }
    this.pairs = Uint32Array.from(pairs);
    this.length = text.length - pairs.length;
  }

  // The code point of a unit; a unit inside a pair has that of the pair.
  toPoint(unit) {
    let low = 0, high = this.pairs.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.pairs[middle] < unit) low = middle + 1; else high = middle; }
    return unit - low;
  }

  toUnit(point) {
    let low = 0, high = this.pairs.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.pairs[middle] - middle < point) low = middle + 1; else high = middle; }
    return point + low;
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });
const REACH = 300;

// A place from which segments are safe to count: the start of a line, or REACH units before.
function safeStart(text, unit) {
  const from = Math.max(0, unit - REACH);
  let start = from + text.slice(from, unit).lastIndexOf("\n") + 1;
  const code = text.charCodeAt(start);
  if (code >= 0xdc00 && code < 0xe000) start--;
  return Math.max(0, start);
}

function borders(text, unit, segmenter) {
  const start = safeStart(text, unit), found = [];
  const part = text.slice(start, Math.min(text.length, unit + REACH));
  for (const each of segmenter.segment(part)) found.push(start + each.index);
  found.push(start + part.length);
  return found;
}

export function nextGrapheme(text, unit) {
  return borders(text, unit, graphemes).find((each) => each > unit) ?? text.length;
}

export function previousGrapheme(text, unit) {
  return borders(text, Math.max(0, unit - 1), graphemes).findLast((each) => each < unit) ?? Math.max(0, unit - 1);
}

export function isGraphemeBorder(text, unit) {
  return unit <= 0 || unit >= text.length || borders(text, unit, graphemes).includes(unit);
}

// The nearest borders of graphemes around a range, so that no selection cuts a character that readers see.
export function wholeGraphemes(text, start, end) {
  return [isGraphemeBorder(text, start) ? start : previousGrapheme(text, start), isGraphemeBorder(text, end) ? end : nextGrapheme(text, end)];
}

function isWord(text, start, end) { return /[\p{L}\p{N}]/u.test(text.slice(start, end)); }

export function nextWord(text, unit) {
  const found = borders(text, unit, words);
  for (let at = 0; at < found.length - 1; at++) if (found[at] > unit && isWord(text, found[at], found[at + 1])) return found[at];
  return Math.min(text.length, Math.max(unit + 1, found.at(-1)));
}

export function previousWord(text, unit) {
  if (unit <= 0) return 0;
  const found = borders(text, Math.max(0, unit - 1), words);
  for (let at = found.length - 2; at >= 0; at--) if (found[at] < unit && isWord(text, found[at], found[at + 1])) return found[at];
  return Math.max(0, safeStart(text, unit) - 1);
}

export function wordAt(text, unit) {
  const found = borders(text, unit, words);
  for (let at = 0; at < found.length - 1; at++) if (found[at] <= unit && unit < found[at + 1]) return [found[at], found[at + 1]];
  return [unit, unit];
}

export function trimmed(text, start, end) {
  while (start < end && /\s/u.test(text[start])) start++;
  while (end > start && /\s/u.test(text[end - 1])) end--;
  return [start, end];
}
