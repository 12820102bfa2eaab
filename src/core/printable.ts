const SHOWN_CHARACTERS = 200;

/** Characters that could move a cursor, change the writing direction, break the line or hide text. */
export const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;

/**
 * Makes text from senders and game servers safe for terminals and tables: one line, without Minecraft's colour codes
 * and without unprintable characters.
 */
export function printable(text: string, max = SHOWN_CHARACTERS): string {
  // Splits and trims, because one pattern for a line break and the blanks around it takes 4 s for 64,000 blanks.
  const line = text
    .replaceAll(/§./gu, '')
    .split(/[\r\n]+/)
    .map((part, index, { length }) => trimmed(part, index > 0, index < length - 1))
    .join(' / ')
    .replaceAll(UNPRINTABLE, '?');
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

function trimmed(part: string, isAfterBreak: boolean, isBeforeBreak: boolean): string {
  const start = isAfterBreak ? part.trimStart() : part;
  return isBeforeBreak ? start.trimEnd() : start;
}

/** JSON without unprintable characters, which parses to the same text. */
export const printableJson = (text: string): string => JSON.stringify(text).replaceAll(UNPRINTABLE, escaped);

/**
 * Text of which nothing is left out, made safe for terminals: what is unprintable is shown as JSON escapes it, so that JSON stays
 * what it is.
 */
export const printableWhole = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => (character === '\t' ? character : escaped(character)));

/** JSON in ASCII, so that line breaks, control characters and look-alikes are visible. It parses to the same text. */
export const asciiJson = (text: string): string => JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, escaped);

/** One word of a command that is to be typed. A shell interprets blanks, quotes and a prefix such as `*`. */
export const shellWord = (text: string): string =>
  /^[\w.][\w.-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** One character as JSON escapes it: `\u200d`. */
export const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
