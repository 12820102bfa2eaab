/** The text of a file; null if it has another encoding. A byte order mark stays. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export const NOT_UTF8 = 'is not UTF-8; save the file with that encoding';
