import { createHmac, randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Change, Marks } from '../../config/changes.ts';
import { PUBLIC_KEY } from '../../config/keys.ts';
import { type Settings, settingValue } from '../../config/settings.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';
import { publishedFileOf } from './place.ts';

/** What a process publishes about the config that it runs, without showing any values (rule 10). */
export interface Published {
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** When the process read its config. */
  readonly loadedAt: number;
  readonly configFile: string;
  /** Whether the process has a socket. Without one, only its process ID shows whether it is running. */
  readonly hasSocket: boolean;
  /** The HMAC key of the marks, as hex. Each process creates its own. */
  readonly key: string;
  /** An HMAC-SHA256 of each value, by config key, so that values can be compared. */
  readonly marks: readonly PublishedMark[];
  /** The HMAC of the public key for v1 senders; null if there is none. */
  readonly publicKey: string | null;
}

interface PublishedMark {
  readonly path: readonly (string | number)[];
  /** null for a secret that was missing. */
  readonly mark: string | null;
}

/** A process that records, or recorded, into the ledger. */
export interface Entry {
  readonly id: string;
  readonly published: Published;
}

export const newKey = (): string => randomBytes(32).toString('hex');

/** The HMAC of each value with `key`. */
export const marksOf = (settings: Settings, key: string): Marks =>
  new Map(
    [...settings].map(([name, setting]) => {
      const text = settingValue(setting);
      return [name, { path: setting.path, mark: text === null ? null : markOf(key, name, text) }];
    }),
  );

/** A process reads its key pair only at start. Comparing the public key shows whether the pair was replaced since. */
export const publicKeyMark = async (keysFolder: string, key: string): Promise<string | null> =>
  readFile(path.join(keysFolder, PUBLIC_KEY), 'utf8').then(
    (text) => markOf(key, PUBLIC_KEY, text.trim()),
    () => null,
  );

/** The process still uses another pair than the one that `teller keys` shows. */
const KEY_PAIR_CHANGED: Change = { key: 'keys', path: ['keys'], kind: 'changed', needsRestart: true };

/** A change of `keys` if the pair in this folder is not the one that the process uses; otherwise nothing. */
export async function keyPairChange(
  keysFolder: string,
  { key, publicKey }: Pick<Published, 'key' | 'publicKey'>,
): Promise<readonly Change[]> {
  return (await publicKeyMark(keysFolder, key)) === publicKey ? [] : [KEY_PAIR_CHANGED];
}

const markOf = (key: string, name: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${name}\0${text}`).digest('hex');

/** Throws the Problem `data-unwritable`. */
export const publish = (folder: string, id: string, published: Published): Promise<void> =>
  writeWhole(publishedFileOf(folder, id), `${JSON.stringify(published)}\n`, OWNER_ONLY);

/** All entries in the folder. Leaves out unreadable files, which may be in the middle of being written. */
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

/** Removes the files of a process that has ended. */
export async function removeEntry(folder: string, id: string): Promise<void> {
  await rm(publishedFileOf(folder, id), { force: true });
  await rm(path.join(folder, `${id}.sock`), { force: true });
}
