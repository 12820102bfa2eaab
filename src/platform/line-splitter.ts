import { StringDecoder } from 'node:string_decoder';

export interface LineWatcher {
  readonly onLine: (line: string) => void;
  /** A line is longer than allowed. Nothing of it is kept. */
  readonly onTooLong: () => void;
}

/** Makes lines out of UTF-8 that arrives in pieces, which may end inside a line or a character. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private line = '';
  private isTooLong = false;

  /** @param max how long a line may be, in UTF-16 units */
  constructor(
    private readonly max: number,
    private readonly watcher: LineWatcher,
  ) {}

  push(piece: Buffer): void {
    this.add(this.decoder.write(piece));
  }

  /** The last line may have no line break. */
  end(): void {
    this.add(this.decoder.end());
    if (this.line !== '') this.endLine();
  }

  private add(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.append(first);
    for (const other of others) {
      this.endLine();
      this.append(other);
    }
  }

  private append(part: string): void {
    if (this.isTooLong) return;
    this.line += part;
    if (this.line.length <= this.max) return;
    this.isTooLong = true;
    this.line = '';
    this.watcher.onTooLong();
  }

  private endLine(): void {
    const { line, isTooLong } = this;
    this.line = '';
    this.isTooLong = false;
    if (!isTooLong) this.watcher.onLine(line.replace(/\r$/, ''));
  }
}
