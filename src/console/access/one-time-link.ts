import { readFile, rm } from 'node:fs/promises';
import type { Random } from '../../core/random.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';
import { newSecret } from '../../web/auth/secrets.ts';
import { isSameText } from '../../web/same-text.ts';
import { paths } from '../paths.ts';

/**
 * The link that opens the console once, without a password. It is in a file that only the user who runs Teller can read;
 * `teller console open` prints it from there. Once used, another takes its place.
 */
export class OneTimeLink {
  private code: string;

  /** @param origin of the console, such as `http://127.0.0.1:8193` */
  constructor(
    private readonly file: string,
    private readonly origin: string,
    private readonly random: Random,
  ) {
    this.code = newSecret(random);
  }

  get url(): string {
    return this.origin + paths.open(this.code);
  }

  /** Throws the Problem `data-unwritable`. */
  publish(): Promise<void> {
    return writeWhole(this.file, `${this.url}\n`, OWNER_ONLY);
  }

  /** Whether this is the code of the present link. Uses nothing up: browsers and chats look at a link before a person does. */
  isPresent(code: string): boolean {
    return isSameText(code, this.code);
  }

  /** @returns whether this is the code of the present link, which is then used up. */
  async take(code: string): Promise<boolean> {
    if (!this.isPresent(code)) return false;
    this.code = newSecret(this.random);
    await this.publish();
    return true;
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
  }
}

/** The present link of a running Teller; null if there is none. */
export const readLink = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  );
