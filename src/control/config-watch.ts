import { stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../core/clock.ts';

/** How often the files are looked at. */
export const WATCH_INTERVAL_MS = 2_000;

/** Notices that one of the files changed, whoever wrote it and however. Polls, because editors replace files. */
export class FileWatch {
  private files: readonly string[] = [];
  private seen = '';
  private cancel: Cancel = () => {};
  private looking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onChanged: () => Promise<void>,
  ) {}

  /** Watches these files from now on; what they are at this moment is not a change. */
  async watch(files: readonly string[]): Promise<void> {
    this.files = files;
    this.seen = await stateOf(files);
    this.cancel();
    this.lookLater();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.looking;
  }

  private lookLater(): void {
    if (this.isClosed) return;
    this.cancel = this.clock.after(WATCH_INTERVAL_MS, () => {
      this.looking = this.look();
    });
  }

  private async look(): Promise<void> {
    const { files } = this;
    const now = await stateOf(files);
    if (files === this.files && now !== this.seen) {
      this.seen = now;
      await this.onChanged();
    }
    this.cancel();
    this.lookLater();
  }
}

const stateOf = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map(stateOfOne))).join('\n');

const stateOfOne = (file: string): Promise<string> =>
  stat(file).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    ({ code }: NodeJS.ErrnoException) => String(code),
  );
