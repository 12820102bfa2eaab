const SHOWN_CHARACTERS = 200;

/**
 * What strangers and game servers wrote, on one line, without Minecraft's colour codes and without anything that
 * could move a cursor, turn the writing direction or hide: for terminals and tables.
 */
export function printable(text: string, most = SHOWN_CHARACTERS): string {
  const line = text
    .replaceAll(/§./gu, '')
    .replaceAll(/\s*[\r\n]+\s*/g, ' / ')
    .replaceAll(/[\p{C}\u2028\u2029]/gu, '?');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
