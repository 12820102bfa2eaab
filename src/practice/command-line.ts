const OPENING = '[{(';
const CLOSING = ']})';

/** How much of the line vanilla shows before the place of the error. */
const CONTEXT_CHARACTERS = 10;

/** Reads one command from left to right, and writes vanilla's error messages. */
export class CommandLine {
  private at = 0;

  constructor(private readonly text: string) {}

  get atEnd(): boolean {
    return this.text.slice(this.at).trim() === '';
  }

  /** Up to the next space outside quotes and brackets; '' at the end. Quotes around the whole text are removed. */
  word(): string {
    this.skipSpaces();
    const start = this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string;
      if (depth <= 0 && character === ' ') break;
      if (character === '"' || character === "'") this.skipQuoted(character);
      else if (OPENING.includes(character)) depth++;
      else if (CLOSING.includes(character)) depth--;
    }
    return unquoted(this.text.slice(start, this.at));
  }

  /** The rest of the line. */
  rest(): string {
    this.skipSpaces();
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    return rest;
  }

  /** A whole number, `absent` at the end of the line, or vanilla's error message. */
  integer({ least, absent }: { least: number; absent?: number }): number | string {
    const word = this.word();
    if (word === '') return absent ?? this.incomplete();
    if (!/^-?\d{1,10}$/.test(word))
      return this.fault(/^-?[\d.]+$/.test(word) ? `Invalid integer '${word}'` : 'Expected integer');
    const value = Number(word);
    return value < least ? this.fault(`Integer must not be less than ${least}, found ${word}`) : value;
  }

  /** Vanilla's two messages, joined as over RCON: the sentence, and the line up to the error. */
  fault(sentence: string): string {
    const context = this.text.slice(Math.max(0, this.at - CONTEXT_CHARACTERS), this.at);
    return `${sentence}${this.at > CONTEXT_CHARACTERS ? '...' : ''}${context}<--[HERE]`;
  }

  incomplete(): string {
    return this.fault('Unknown or incomplete command, see below for error');
  }

  incorrect(): string {
    return this.fault('Incorrect argument for command');
  }

  private skipSpaces(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  /** Stops at the closing quote, or at the end if there is none. */
  private skipQuoted(quote: string): void {
    for (this.at++; this.at < this.text.length && this.text[this.at] !== quote; this.at++) {
      if (this.text[this.at] === '\\') this.at++;
    }
  }
}

function unquoted(word: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(word);
  return quoted === null ? word : (quoted[2] as string).replaceAll(/\\(.)/g, '$1');
}
