import { normalize } from 'node:path';
import { kindNamed } from '../delivery/kinds.ts';
import type { FaultAtPath } from './fault.ts';
import type { Outline } from './outline.ts';

/** Each of these, after a database's name, is a file that belongs to the database. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '.lock', '.mark', '.alarms'];

/** No game server of a kind that writes a file, and not the other database, may use the file of a database. */
export function sharedFiles(
  { ledger, listing: { database }, gameServers }: Pick<Outline, 'ledger' | 'listing' | 'gameServers'>,
  pathKeysOf = (kind: string | undefined) => kindNamed(kind)?.pathKeys ?? [],
): FaultAtPath[] {
  const written = Object.entries(gameServers).flatMap(([name, server]) =>
    pathKeysOf(server?.kind).map((key) => ({
      path: ['gameServers', name, key],
      file: String(server?.[key] ?? ''),
    })),
  );
  const databases = [
    { key: 'ledger', file: ledger, users: [{ path: ['listing', 'database'], file: database }, ...written] },
    { key: 'listing.database', file: database, users: written },
  ];
  return databases.flatMap(({ key, file, users }) =>
    users
      .filter(
        (user) =>
          file !== '' &&
          DATABASE_SUFFIXES.some((suffix) => normalize(user.file) === normalize(file) + suffix),
      )
      .map(({ path }) => ({
        code: 'config-value' as const,
        path,
        sentence: `must not be the file of \`${key}\``,
      })),
  );
}
