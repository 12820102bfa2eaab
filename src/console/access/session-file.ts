import { readFile } from 'node:fs/promises';
import { readJson } from '../../core/json.ts';
import { OWNER_ONLY, writeWhole } from '../../runtime/write-file.ts';
import type { Session } from '../../web/auth/session.ts';
import {
  type NewSession,
  SESSION_SECONDS,
  type SessionChanges,
  type SessionStore,
} from '../../web/auth/stored-sessions.ts';
import type { Operator } from './operator.ts';

/** A session as it is written: without the secret of its cookie. */
type Kept = Omit<NewSession, 'hash'> & { readonly hash: string };

/** The least recently opened sessions beyond this number end. */
const SESSIONS_MAX = 50;

/** The sessions of the console, in a file that only its owner can read, so that they survive a restart. */
export class SessionFile implements SessionStore<Operator>, SessionChanges {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly kept: Map<string, Kept>,
  ) {}

  /** A file that cannot be read holds no sessions. */
  static async open(file: string): Promise<SessionFile> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = readJson(text);
    const list = Array.isArray(found) ? found.filter(isKept) : [];
    return new SessionFile(file, new Map(list.map((one) => [one.hash, one])));
  }

  session(hash: Uint8Array, now: number): Session<Operator> | null {
    const found = this.kept.get(textOf(hash));
    if (found === undefined || found.expiresAt <= now) return null;
    const { personId, csrf, expiresAt } = found;
    return { person: { id: personId, since: expiresAt - SESSION_SECONDS * 1000 }, csrf };
  }

  async openSession({ hash, ...rest }: NewSession, now: number): Promise<void> {
    for (const [key, { expiresAt }] of [...this.kept]) if (expiresAt <= now) this.kept.delete(key);
    for (const key of [...this.kept.keys()].slice(0, Math.max(0, this.kept.size + 1 - SESSIONS_MAX)))
      this.kept.delete(key);
    this.kept.set(textOf(hash), { ...rest, hash: textOf(hash) });
    await this.write();
  }

  async endSession(hash: Uint8Array): Promise<void> {
    if (this.kept.delete(textOf(hash))) await this.write();
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
  const { hash, personId, csrf, expiresAt } = (value ?? {}) as Partial<Record<keyof Kept, unknown>>;
  return [hash, personId, csrf].every((each) => typeof each === 'string') && typeof expiresAt === 'number';
}
