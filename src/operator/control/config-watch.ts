import { stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../../core/clock.ts';

/** How often to check the files. */
export const WATCH_INTERVAL_MS = 2_000;

/** Notices changes of files by polling, because editors replace files instead of writing to them. */
export class FileWatch {
  private files: readonly string[] = [];
  private seen = '';
  private cancel: Cancel = () => {};
  private checking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onChanged: () => Promise<void>,
  ) {}

  /** Watches these files from now on. Their present state is not reported as a change. */
  async watch(files: readonly string[]): Promise<void> {
    this.files = files;
    this.seen = await stateOf(files);
    this.cancel();
    this.checkLater();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.checking;
  }

  private checkLater(): void {
    if (this.isClosed) return;
    this.cancel = this.clock.after(WATCH_INTERVAL_MS, () => {
      this.checking = this.check();
    });
  }

  private async check(): Promise<void> {
    const { files } = this;
    const now = await stateOf(files);
    if (files === this.files && now !== this.seen) {
      this.seen = now;
      await this.onChanged();
    }
    this.cancel();
    this.checkLater();
  }
}

const stateOf = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map(stateOfOne))).join('\n');

const stateOfOne = (file: string): Promise<string> =>
  stat(file).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    ({ code }: NodeJS.ErrnoException) => String(code),
  );
