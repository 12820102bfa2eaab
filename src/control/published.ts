import { createHmac, randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Change, Marks } from '../config/changes.ts';
import { PUBLIC_KEY } from '../config/keys.ts';
import { type Settings, settingValue } from '../config/settings.ts';
import { OWNER_ONLY, writeWhole } from '../runtime/write-file.ts';
import { publishedFileOf } from './place.ts';

/** What a process says of itself: which config it runs, value by value, without showing any of them (rule 10). */
export interface Published {
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** When it read the config that it runs. */
  readonly loadedAt: number;
  readonly configFile: string;
  /** Whether it can be asked through a socket. Where it cannot, its ID alone tells whether it lives. */
  readonly hasSocket: boolean;
  /** Of the marks, as hex: made anew by each process. */
  readonly key: string;
  /** By config key, as in `rewards.daily.commands`: an HMAC-SHA256 of the value, so that equal values can be told. */
  readonly marks: readonly PublishedMark[];
  /** The same of the public key that v1 senders need; null where there is none. */
  readonly publicKey: string | null;
}

interface PublishedMark {
  readonly path: readonly (string | number)[];
  /** null for a secret that was not there. */
  readonly mark: string | null;
}

/** A process that is, or was, recording into the ledger. */
export interface Entry {
  readonly id: string;
  readonly published: Published;
}

export const newKey = (): string => randomBytes(32).toString('hex');

/** Each value as an HMAC under `key`. */
export const marksOf = (settings: Settings, key: string): Marks =>
  new Map(
    [...settings].map(([name, setting]) => {
      const text = settingValue(setting);
      return [name, { path: setting.path, mark: text === null ? null : markOf(key, name, text) }];
    }),
  );

/** The pair is read once, at the start, so a pair that was replaced since shows by its public key. */
export const publicKeyMark = async (keysFolder: string, key: string): Promise<string | null> =>
  readFile(path.join(keysFolder, PUBLIC_KEY), 'utf8').then(
    (text) => markOf(key, PUBLIC_KEY, text.trim()),
    () => null,
  );

/** `teller keys` shows a pair that the process does not have yet. */
const NEW_PAIR: Change = { key: 'keys', path: ['keys'], kind: 'changed', needsRestart: true };

/** The change to the pair in this folder, where it is another one than the process has; otherwise none. */
export async function newPair(
  keysFolder: string,
  { key, publicKey }: Pick<Published, 'key' | 'publicKey'>,
): Promise<readonly Change[]> {
  return (await publicKeyMark(keysFolder, key)) === publicKey ? [] : [NEW_PAIR];
}

const markOf = (key: string, name: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${name}\0${text}`).digest('hex');

/** Throws the Problem `data-unwritable`. */
export const publish = (folder: string, id: string, published: Published): Promise<void> =>
  writeWhole(publishedFileOf(folder, id), `${JSON.stringify(published)}\n`, OWNER_ONLY);

/** Everything that was published there. A file that cannot be read is left out: it may be written at this moment. */
export async function readEntries(folder: string): Promise<readonly Entry[]> {
  const names = await readdir(folder).catch(() => []);
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => path.basename(name, '.json'));
  const entries = await Promise.all(ids.map((id) => readEntry(folder, id)));
  return entries.filter((entry) => entry !== null);
}

async function readEntry(folder: string, id: string): Promise<Entry | null> {
  try {
    return { id, published: JSON.parse(await readFile(publishedFileOf(folder, id), 'utf8')) as Published };
  } catch {
    return null;
  }
}

/** What a process left behind that is gone. */
export async function removeEntry(folder: string, id: string): Promise<void> {
  await rm(publishedFileOf(folder, id), { force: true });
  await rm(path.join(folder, `${id}.sock`), { force: true });
}
