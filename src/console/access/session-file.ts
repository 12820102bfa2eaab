import { readFile } from 'node:fs/promises';
import { readJson } from '../../core/json.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';
import type { Session } from '../../web/auth/session.ts';
import {
  type NewSession,
  SESSION_SECONDS,
  type SessionChanges,
  type SessionStore,
} from '../../web/auth/stored-sessions.ts';
import type { Operator } from './operator.ts';

/** A session as it is written: without the secret of its cookie. */
type Kept = Omit<NewSession, 'hash'> & {
  readonly hash: string;
  /** The mark of the password that was in effect when it began. */
  readonly password: string;
};

/** The least recently opened sessions beyond this number end. */
const SESSIONS_MAX = 50;

/**
 * The sessions of the console, in a file that only its owner can read, so that they survive a restart. A new password ends
 * them: the hash of the password is changed in files, also while Teller does not run, so each session carries a mark of it.
 */
export class SessionFile implements SessionStore<Operator>, SessionChanges {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly kept: Map<string, Kept>,
    private readonly passwordMark: () => string,
  ) {}

  /**
   * A file that cannot be read holds no sessions.
   *
   * @param passwordMark differs if the password is not the same, and does not help to guess it
   */
  static async open(file: string, passwordMark: () => string): Promise<SessionFile> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = readJson(text);
    const list = Array.isArray(found) ? found.filter(isKept) : [];
    return new SessionFile(file, new Map(list.map((one) => [one.hash, one])), passwordMark);
  }

  session(hash: Uint8Array, now: number): Session<Operator> | null {
    this.forgetEnded(now);
    const found = this.kept.get(textOf(hash));
    if (found === undefined) return null;
    const { personId, csrf, expiresAt } = found;
    return { person: { id: personId, since: expiresAt - SESSION_SECONDS * 1000 }, csrf };
  }

  async openSession({ hash, ...rest }: NewSession, now: number): Promise<void> {
    this.forgetEnded(now);
    for (const key of [...this.kept.keys()].slice(0, Math.max(0, this.kept.size + 1 - SESSIONS_MAX)))
      this.kept.delete(key);
    this.kept.set(textOf(hash), { ...rest, hash: textOf(hash), password: this.passwordMark() });
    await this.write();
  }

  async endSession(hash: Uint8Array): Promise<void> {
    if (this.kept.delete(textOf(hash))) await this.write();
  }

  /** There is one account, so all. */
  async endSessionsOf(): Promise<void> {
    this.kept.clear();
    await this.write();
  }

  /** Expired, or begun with another password. Those stay ended if that password comes back. */
  private forgetEnded(now: number): void {
    const mark = this.passwordMark();
    for (const [key, { expiresAt, password }] of [...this.kept])
      if (expiresAt <= now || password !== mark) this.kept.delete(key);
  }

  /** One write at a time, each with the sessions of that moment. */
  private write(): Promise<void> {
    this.writing = this.writing
      .catch(() => undefined)
      .then(() => writeWhole(this.file, `${JSON.stringify([...this.kept.values()])}\n`, OWNER_ONLY));
    return this.writing;
  }
}

const textOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

function isKept(value: unknown): value is Kept {
  const { hash, personId, csrf, expiresAt, password } = (value ?? {}) as Partial<Record<keyof Kept, unknown>>;
  return (
    [hash, personId, csrf, password].every((each) => typeof each === 'string') &&
    typeof expiresAt === 'number'
  );
}
