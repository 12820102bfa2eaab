import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { typing } from '../kit/place.ts';
import { witness } from '../kit/witness.ts';
import { bytesIn, makePipe, temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { ask, BACKUP_AT, backups, damage, filesIn, modeOf } from './place.ts';

const LEDGER = 'data/teller.db';

test('a backup contains the ledger, the keys, the config with its schema and secrets, and a manifest', async () => {
  const { backUp, dir, folder } = backups();
  const { json, exit, err } = await backUp('--json');
  expect([exit, err]).toEqual([0, '']);
  const [{ files }] = json;
  const facts = { backupAt: BACKUP_AT, files, leftOut: [] };
  expect(json).toEqual([{ folder: dir, ...facts }]);
  expect(JSON.parse(readFileSync(path.join(dir, 'backup.json'), 'utf8'))).toEqual({ version: 1, ...facts });
  type Entry = { original: string; configKeys: string[] };
  expect(files.map(({ original, configKeys }: Entry) => [original, ...configKeys].join(' '))).toEqual([
    'config.json',
    'config.schema.json',
    `${LEDGER} ledger`,
    'data/keys/private.key keys',
    'data/keys/public.key keys',
    'data/secrets/default.token sites.default.token',
  ]);
  const originals: string[] = files.map(({ original }: Entry) => original);
  expect(filesIn(dir)).toEqual(['backup.json', ...originals.map((name) => `files/${name}`).toSorted()]);
  for (const name of originals.filter((file) => file !== LEDGER))
    expect(readFileSync(path.join(dir, 'files', name))).toEqual(readFileSync(path.join(folder, name)));
});

test('a backup prints each copied file, its size and its config key, and is readable only by its owner, also in an empty folder that existed', async () => {
  const { backUp, dir, config } = backups();
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const { out, err } = await backUp();
  expect(out.split('\n')[0]).toEqual(naming(BACKUP_AT, dir));
  const bytes = readFileSync(config).length.toLocaleString('en');
  expect(out).toMatch(new RegExp(`^config\\.json +${bytes}$`, 'm'));
  expect(out).toMatch(/^data\/teller\.db +[\d,]+ +ledger$/m);
  expect(out).toMatch(/^data\/secrets\/default\.token +36 +sites\.default\.token$/m);
  expect(err).toEqual(naming(/ledger/i));
  expect(filesIn(dir).map((file) => modeOf(path.join(dir, file)))).toEqual(Array(7).fill('600'));
  const folders = ['', 'files', 'files/data', 'files/data/keys', 'files/data/secrets'];
  expect(folders.map((folder) => modeOf(path.join(dir, folder)))).toEqual(Array(5).fill('700'));
});

test('a backup contains ledger and keys from any folder, and says which secrets it leaves out and why', async () => {
  const outside = temporaryFolder({ 'keys/private.key': 'a', 'keys/public.key': 'b', token: 'c' });
  const { backUp, folder } = backups({
    ledger: path.join(outside, 'teller.db'),
    keys: path.join(outside, 'keys'),
    sites: {
      default: { token: `file:${outside}/token` },
      'My-List.com': { token: 'env:TELLER_TEST_TOKEN' },
      b: { token: 'file:gone' },
    },
  });
  writeFileSync(path.join(outside, 'teller.db'), readFileSync(path.join(folder, LEDGER)));
  const { json, err } = await backUp('--json');
  const [{ files, leftOut }] = json;
  expect(files.map(({ file }: { file: string }) => file)).toEqual([
    'files/config.json',
    'files/config.schema.json',
    'outside/ledger/teller.db',
    'outside/private-key/private.key',
    'outside/public-key/public.key',
  ]);
  expect(err).toBe('');
  const why = expect.any(String);
  expect(leftOut).toEqual([
    { what: `${outside}/token`, configKeys: ['sites.default.token'], why },
    { what: 'gone', configKeys: ['sites.b.token'], why },
    { what: 'env:TELLER_TEST_TOKEN', configKeys: ['sites["My-List.com"].token'], why },
  ]);
  expect(new Set(leftOut.map((each: { why: string }) => each.why)).size).toBe(3);
});

test('a backup has nothing that was removed from the ledger before', async () => {
  const { run, backUp, folder, dir } = backups();
  await run('votes', 'add', '--player', 'Steve', '--site', 'List');
  const database = new Database(path.join(folder, LEDGER));
  // As in a ledger of a Teller that did not overwrite what it removed.
  for (const wire of [`before-${'x'.repeat(300)}`, ''])
    database.exec(`PRAGMA secure_delete = OFF; UPDATE votes SET wire = '${wire}'; PRAGMA wal_checkpoint`);
  database.close();
  expect(bytesIn(path.join(folder, 'data'), /before-x/)).toContain('teller.db: before-x');
  await backUp();
  expect(bytesIn(dir, /before-x/)).toEqual([]);
});

test('a backup shows its progress to a person but not to a script', async () => {
  const one = backups();
  const lines = Array.from({ length: 3_000 }, (_, n) => `P${n},List,2026-05-30T12:00:00Z`);
  const file = path.join(one.folder, 'votes.csv');
  writeFileSync(file, ['player,service,time', ...lines].join('\n'));
  await one.run('import', 'votes', file);
  const elsewhere = path.join(temporaryFolder(), 'tuesday');
  expect((await one.runBy({}, 'backup', one.dir)).err).toMatch(/^.*\b\d0 ?%.*ledger.*$/m);
  expect((await one.run('backup', elsewhere)).err).not.toContain('%');
});

test('a backup that is made while votes arrive is whole, and has every vote that was answered before', async () => {
  const teller = await here();
  const dir = path.join(temporaryFolder(), 'backup');
  const votes = (from: number) =>
    Array.from({ length: 20 }, (_, n) => teller.vote({ player: `Player${from + n}` }));
  await Promise.all(votes(0));
  const during = votes(20);
  expect((await teller.run('backup', dir)).exit).toBe(0);
  await Promise.all(during);
  const copy = path.join(dir, `files/${LEDGER}`);
  expect([ask(copy, 'PRAGMA quick_check'), ask(copy, 'PRAGMA journal_mode')]).toEqual(['ok', 'delete']);
  expect(readdirSync(path.dirname(copy)).sort()).toEqual(['keys', 'teller.db']);
  const config = path.join(temporaryFolder(), 'config.json');
  const restored = { folder: path.dirname(config), config };
  expect((await typing(restored, teller.clock).run('restore', dir)).exit).toBe(0);
  const { votes: kept, grants, faults } = await witness(restored);
  const before = Array.from({ length: 20 }, (_, n) => `Player${n} on List: rewarded`);
  expect([faults, kept]).toEqual([[], expect.arrayContaining(before)]);
  expect(grants).toHaveLength(kept.length);
});

test('refuses to make a backup in a folder that is not empty, and where there is a file (backup-exists)', async () => {
  const { backUp, dir, run } = backups();
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'mine.txt'), 'mine');
  expect(await backUp()).toMatchObject({ exit: 1, err: naming(/\[backup-exists\]$/) });
  expect((await run('backup', path.join(dir, 'mine.txt'))).err).toMatch(/\[backup-exists\]$/);
  expect(filesIn(path.dirname(dir))).toEqual(['monday/mine.txt']);
  expect(readFileSync(path.join(dir, 'mine.txt'), 'utf8')).toBe('mine');
});

test('refuses to make a backup if the folder cannot be created (data-unwritable)', async () => {
  const { run, folder } = backups();
  expect((await run('backup', path.join(folder, 'm'.repeat(255)))).err).toMatch(/\[data-unwritable\]$/);
});

const UNREADABLE = { sites: { default: { token: 'file:data/keys' } } };
const breakConfig = (folder: string) => writeFileSync(path.join(folder, 'config.json'), '{"listner":{}}');
test.each<[string, string, (folder: string) => void, object?]>([
  ['there is no ledger', 'ledger-missing', (folder) => rmSync(path.join(folder, LEDGER))],
  ['the ledger is damaged', 'ledger-corrupt', (folder) => spoil(path.join(folder, LEDGER))],
  ['a secret cannot be read', 'backup-incomplete', () => {}, UNREADABLE],
  ['the config does not load', 'config-invalid', breakConfig],
])('refuses to make a backup if %s (%s), and leaves nothing behind', async (_, code, change, more) => {
  const { backUp, folder, dir } = backups(more);
  change(folder);
  expect((await backUp()).err).toContain(`[${code}]`);
  expect(existsSync(dir)).toBe(false);
  expect(existsSync(path.dirname(dir)) ? readdirSync(path.dirname(dir)) : []).toEqual([]);
});

/** Overwrites pages in the middle of a ledger. */
function spoil(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096 * 4, 4096 * 40);
  writeFileSync(file, bytes);
}

interface Manifest {
  readonly files: readonly { readonly kind: string }[];
}

const without = (manifest: Manifest, kind: string) =>
  JSON.stringify({ ...manifest, files: manifest.files.filter((file) => file.kind !== kind) });

const replaced = (text: string, by: string) => (manifest: Manifest) =>
  JSON.stringify(manifest).replace(text, by);

describe('a backup is refused', () => {
  test('if one of its files has changed, or is missing (backup-damaged), and nothing is restored', async () => {
    const { backUp, dir, restore } = backups();
    const [{ files }] = (await backUp('--json')).json;
    for (const { file } of files) {
      damage(path.join(dir, file));
      const { exit, err, folder } = await restore();
      expect([exit, err, filesIn(folder)]).toEqual([1, naming(file, /\[backup-damaged\]$/), []]);
      damage(path.join(dir, file));
    }
    rmSync(path.join(dir, 'files/data/keys/private.key'));
    expect((await restore()).err).toMatch(/\[backup-damaged\]$/);
    rmSync(path.join(dir, 'backup.json'));
    expect((await restore()).err).toMatch(/\[backup-damaged\]$/);
  });

  test.skipIf(process.platform === 'win32')('if one of its files, or its manifest, is a pipe', async () => {
    for (const name of ['files/data/secrets/default.token', 'backup.json']) {
      const { backUp, dir, restore } = backups();
      await backUp();
      rmSync(path.join(dir, name));
      makePipe(path.join(dir, name));
      expect((await restore()).err).toMatch(/\[backup-damaged\]$/);
    }
  });

  const DAMAGED = 'backup-damaged';
  const CHANGES: readonly (readonly [string, string, (manifest: Manifest) => string])[] = [
    ['is cut off', DAMAGED, (manifest) => JSON.stringify(manifest).slice(0, -9)],
    ['is not an object', DAMAGED, () => 'null'],
    ['has no version', DAMAGED, (manifest) => JSON.stringify({ ...manifest, version: undefined })],
    ['lists no ledger', DAMAGED, (manifest) => without(manifest, 'ledger')],
    ['lists no config', DAMAGED, (manifest) => without(manifest, 'config')],
    ['has an invalid time', DAMAGED, (manifest) => JSON.stringify({ ...manifest, backupAt: 'today' })],
    ['has a path outside its folder', DAMAGED, replaced('files/data/keys', '../data/keys')],
    ['has an absolute path for a secret', DAMAGED, replaced('"data/secrets', '"/data/secrets')],
    ['has NUL in the path of a secret', DAMAGED, replaced('"data/secrets/d', '"data/secrets/\\u0000d')],
    ['has NUL in the path of a copy', DAMAGED, replaced('files/data/keys', 'files/data/\\u0000keys')],
    ['has a secret in place of the ledger', DAMAGED, replaced('"data/secrets/default.token"', `"${LEDGER}"`)],
    ['is from a newer Teller', 'backup-newer', (manifest) => JSON.stringify({ ...manifest, version: 3 })],
  ];

  test('if its manifest cannot be trusted (backup-damaged), or is from a newer Teller (backup-newer)', async () => {
    const { backUp, dir, restore } = backups();
    await backUp();
    const file = path.join(dir, 'backup.json');
    const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
    for (const [what, code, change] of CHANGES) {
      writeFileSync(file, change(manifest));
      const { err, folder } = await restore();
      expect([err, filesIn(folder)], what).toEqual([expect.stringMatching(`\\[${code}\\]$`), []]);
    }
  });
});
