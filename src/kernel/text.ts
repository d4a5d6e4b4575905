/** Questions about text that are asked in UTF-8 and answered without encoding it. Text is well-formed UTF-16. */

/** The most bytes of foreign text that a message may carry (D29). */
const CLIP_BYTES_MAX = 64;

/** How many bytes `text` takes in UTF-8. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Two bytes up to U+07FF, three beyond; a surrogate pair is two units that make four bytes together.
    length += unit < 0x800 || isSurrogate(unit) ? 1 : 2;
  }
  return length;
}

/**
 * Negative, zero or positive as the UTF-8 bytes of `a` sort before, with or after those of `b` (G7). The operator
 * `<` compares UTF-16 units and puts astral characters before U+E000 to U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return byteOrder(left) - byteOrder(right);
  }
  return a.length - b.length;
}

/** Whether `text` contains a character of Unicode category Cc (D25). */
export function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (isControl(text.charCodeAt(at))) return true;
  }
  return false;
}

/** U+0000 to U+001F and U+007F to U+009F (D25). */
export function isControl(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit < 0xa0);
}

/**
 * Foreign text made fit for a message of one line (D29): at most 64 UTF-8 bytes, or fewer where a message names
 * several things, cut at a character boundary, each control character and line separator shown as `?`.
 */
export function clip(text: string, bytesMax = CLIP_BYTES_MAX): string {
  let clipped = "";
  let length = 0;
  for (const character of text) {
    length += utf8Length(character);
    if (length > bytesMax) break;
    clipped += breaksLine(character.charCodeAt(0)) ? "?" : character;
  }
  return clipped;
}

function breaksLine(unit: number): boolean {
  return isControl(unit) || unit === 0x2028 || unit === 0x2029;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Moves the surrogates behind U+E000 to U+FFFF, which is where the characters that they stand for belong. */
function byteOrder(unit: number): number {
  return isSurrogate(unit) ? unit + 0x10000 : unit;
}
