import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { desk, typing } from '../kit/place.ts';
import type { Person } from '../kit/typed.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';

export const BACKUP_AT = '2026-06-01T12:00:00.000Z';
/** Six hours later. */
export const RESTORED_AT = '2026-06-01T18:00:00.000Z';

const SECRETS = { 'data/secrets/default.token': `${TOKEN}\n`, 'config.schema.json': '{}' };

type Backups = ReturnType<typeof backups>;

/** A folder with an empty ledger, a key pair, and a token in a file. */
export function backups(more: object = {}) {
  const sites = { default: { token: 'file:data/secrets/default.token' } };
  const one = desk({ sites, ...more }, SECRETS);
  const dir = path.join(temporaryFolder(), 'backups', 'monday');
  return {
    ...one,
    /** The folder of the backup. */
    dir,
    backUp: (...flags: readonly string[]) => one.run('backup', dir, ...flags),
    /** Restores it six hours later to a config in a new folder, or to this one. */
    restore: async (
      target = path.join(temporaryFolder(), 'config.json'),
      flags: readonly string[] = ['--yes'],
      person?: Person,
    ) => {
      one.clock.set(RESTORED_AT);
      const folder = path.dirname(target);
      const { run, runBy } = typing({ folder, config: target }, one.clock);
      const words = ['restore', dir, ...flags];
      return { ...(await (person === undefined ? run(...words) : runBy(person, ...words))), folder };
    },
  };
}

/** The players whose votes a ledger has, oldest first. */
export async function votersIn(config: string, { clock }: Backups): Promise<readonly string[]> {
  const { json } = await typing({ folder: path.dirname(config), config }, clock).run('votes', '--json');
  return json.map(({ player }: { player: string }) => player).toReversed();
}

/** All files below a folder, with slashes, sorted. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();

export const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** Asks a database file, without creating files next to it. */
export function ask(file: string, sql: string): unknown {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

/** Changes one byte in the middle. */
export function damage(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  chmodSync(file, 0o600);
  writeFileSync(file, bytes);
}
