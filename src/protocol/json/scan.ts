/** What must be known of a text before a JSON parser may see it (R8, R9). */

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** `[`, and `{` with the bit 0x20 taken away. */
const OPEN = 0x5b;
/** `]`, and `}` with the bit 0x20 taken away. */
const CLOSE = 0x5d;

/**
 * Counts the colons outside strings, or returns -1 where brackets nest deeper than `depthMax`. Each member of an
 * object has exactly one such colon, so a parsed value with fewer keys had one of them twice (R9).
 *
 * One pass without recursion. It knows only strings and brackets; what is no JSON is the parser's business.
 */
export function countColons(text: string, depthMax: number): number {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COLON) colons++;
    else if ((unit & ~0x20) === OPEN && ++depth > depthMax) return -1;
    else if ((unit & ~0x20) === CLOSE) depth--;
  }
  return colons;
}

/** Where the string that begins at `start` has its closing quote; the end of the text if it has none. */
function endOfString(text: string, start: number): number {
  let from = start + 1;
  while (true) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let before = quote;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
    from = quote + 1;
  }
}
