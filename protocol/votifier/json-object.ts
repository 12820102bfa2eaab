const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Finds the end of a JSON object in bytes that may still be arriving. It only counts brackets outside strings; the
 * parser decides whether the text is JSON. Each byte is read once, in whatever pieces they arrive.
 */
export class JsonObjectScan {
  private at: number;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param start the offset of the opening brace. */
  constructor(start: number) {
    this.at = start;
  }

  /** @returns the offset just past the closing brace; null while the object is open. */
  read(bytes: Buffer): number | null {
    for (; this.at < bytes.length; this.at++) {
      const byte = bytes[this.at] as number;
      if (this.inString) this.insideString(byte);
      else if (byte === QUOTE) this.inString = true;
      else if (OPENERS.has(byte)) this.depth++;
      else if (CLOSERS.has(byte) && --this.depth === 0) return this.at + 1;
    }
    return null;
  }

  private insideString(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inString = false;
  }
}
