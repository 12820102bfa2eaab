import { expect, test } from 'vitest';
import { sharedFiles } from '../../src/config/cross-check.ts';
import { absolutePaths } from '../../src/config/resolve.ts';

const pathsOf = (faults: readonly { path: readonly (string | number)[] }[]) =>
  faults.map(({ path }) => path.join('.'));

test('a database cannot share its file with another database or with a game server', () => {
  const gameServers = {
    lobby: { kind: 'file', path: './data/teller.db' },
    sky: { kind: 'file', path: 'data/listing.db' },
    wal: { kind: 'file', path: 'data/teller.db-wal' },
    main: { kind: 'file', path: 'commands.txt' },
    old: { kind: 'rcon', path: 'data/teller.db' },
  };
  const pathKeysOf = (kind: string | undefined) => (kind === 'file' ? ['path'] : []);
  const files = { ledger: 'data/teller.db', listing: { database: 'data/listing.db' }, gameServers };
  expect(pathsOf(sharedFiles(files, pathKeysOf))).toEqual([
    'gameServers.lobby.path',
    'gameServers.wal.path',
    'gameServers.sky.path',
  ]);
  const one = { ...files, listing: { database: 'data/../data/teller.db' }, gameServers: {} };
  expect(pathsOf(sharedFiles(one, pathKeysOf))).toEqual(['listing.database']);
});

test('the paths of a game server are relative to the folder of the config', () => {
  const entry = { kind: 'file', path: 'commands.txt', host: 'localhost' };
  expect(absolutePaths({ pathKeys: ['path'] }, entry, (path) => `/srv/${path}`)).toEqual({
    path: '/srv/commands.txt',
  });
});
