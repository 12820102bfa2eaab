/** The value of a JSON text; undefined, which JSON cannot express, if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same for bytes. Bytes that are not UTF-8 are refused: replacement characters could make two names equal. */
export function readJsonBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** On one line, with spaces. Strings have no raw line breaks, so every one of them is from the formatting. */
export const oneLineJson = (value: unknown): string =>
  JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
