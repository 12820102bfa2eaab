import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { makeBackup } from '../../src/operator/backup/make-backup.ts';
import { planRestore } from '../../src/operator/backup/restore-plan.ts';
import { bytesIn } from '../support/bytes-in.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { makePipe } from '../support/make-pipe.ts';
import { startScript } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';
import { ask, BACKUP_AT, backupFixture, damage, filesIn, modeOf, problemOf } from './fixture.ts';

const vote = (n: number) => arrival({ player: `Player${n}`, service: 'List' });

describe('a backup', () => {
  test('contains the ledger, the keys, the config with its schema and secrets, and a manifest', async () => {
    const { backUp, dir, folder } = await backupFixture();
    const { files, leftOut } = await backUp();
    expect(filesIn(dir)).toEqual([
      'backup.json',
      'files/config.json',
      'files/config.schema.json',
      'files/data/keys/private.key',
      'files/data/keys/public.key',
      'files/data/secrets/default.token',
      'files/data/teller.db',
    ]);
    expect(files.map(({ original, configKeys }) => [original, ...configKeys])).toEqual([
      ['config.json'],
      ['config.schema.json'],
      ['data/teller.db', 'ledger'],
      ['data/keys/private.key', 'keys'],
      ['data/keys/public.key', 'keys'],
      ['data/secrets/default.token', 'sites.default.token'],
    ]);
    expect(leftOut).toEqual([]);
    const manifest = JSON.parse(readFileSync(path.join(dir, 'backup.json'), 'utf8'));
    expect(manifest).toEqual({ version: 1, backupAt: BACKUP_AT, files, leftOut: [] });
    for (const name of filesIn(dir).filter((file) => file.startsWith('files/') && !file.endsWith('.db'))) {
      expect(readFileSync(path.join(dir, name))).toEqual(
        readFileSync(path.join(folder, name.slice('files/'.length))),
      );
    }
  });

  test('is readable only by its owner', async () => {
    const { backUp, dir } = await backupFixture();
    await backUp();
    expect(filesIn(dir).map((file) => modeOf(path.join(dir, file)))).toEqual(Array(7).fill('600'));
    const folders = ['', 'files', 'files/data', 'files/data/keys', 'files/data/secrets'];
    expect(folders.map((folder) => modeOf(path.join(dir, folder)))).toEqual(Array(5).fill('700'));
  });

  test('contains ledger and keys from any folder, and lists secrets outside the folder or in the environment as left out', async () => {
    const outside = temporaryFolder({ 'keys/private.key': 'a', 'keys/public.key': 'b', token: 'c' });
    const { backUp } = await backupFixture({
      ledger: path.join(outside, 'teller.db'),
      keys: path.join(outside, 'keys'),
      sites: {
        default: { token: `file:${outside}/token` },
        'My-List.com': { token: 'env:TELLER_TEST_TOKEN' },
        b: { token: 'file:gone' },
      },
    });
    const { files, leftOut } = await backUp();
    expect(files.map(({ file }) => file)).toEqual([
      'files/config.json',
      'files/config.schema.json',
      'outside/ledger/teller.db',
      'outside/private-key/private.key',
      'outside/public-key/public.key',
    ]);
    expect(leftOut).toEqual([
      {
        what: `${outside}/token`,
        configKeys: ['sites.default.token'],
        why: expect.any(String),
      },
      { what: 'gone', configKeys: ['sites.b.token'], why: expect.any(String) },
      {
        what: 'env:TELLER_TEST_TOKEN',
        configKeys: ['sites["My-List.com"].token'],
        why: expect.any(String),
      },
    ]);
    expect(new Set(leftOut.map(({ why }) => why)).size).toBe(3);
  });

  test('has nothing that was removed from the ledger before', async () => {
    const { backUp, ledger, folder, dir } = await backupFixture();
    const wire = 'x'.repeat(300);
    await record(ledger, [arrival({ wire: `before-${wire}` })], rulesFor());
    const database = new Database(path.join(folder, 'data/teller.db'));
    // As in a ledger of a Teller that did not overwrite what it removed.
    database.exec("PRAGMA secure_delete = OFF; UPDATE votes SET wire = ''; PRAGMA wal_checkpoint");
    database.close();
    expect(bytesIn(path.join(folder, 'data'), /before-x/)).toContain('teller.db: before-x');
    await backUp();
    expect(bytesIn(dir, /before-x/)).toEqual([]);
  });

  test('can be made in an existing empty folder', async () => {
    const { backUp, dir } = await backupFixture();
    mkdirSync(dir, { recursive: true });
    await backUp();
    expect(modeOf(dir)).toBe('700');
    expect(existsSync(path.join(dir, 'backup.json'))).toBe(true);
  });
});

test('a backup made while 1,000 votes are being recorded is a consistent snapshot', async () => {
  const { backUp, ledger, dir } = await backupFixture();
  const decide = rulesFor(THANKS);
  for (let n = 0; n < 400; n++) await record(ledger, [vote(n)], decide);
  const during: Promise<unknown>[] = [];
  await backUp({
    pagesPerStep: 1,
    onProgress: () => {
      for (let n = 0; n < 20 && during.length < 1_000; n++) {
        during.push(record(ledger, [vote(400 + during.length)], decide));
      }
    },
  });
  expect(during).toHaveLength(1_000);
  await Promise.all(during);

  const copy = path.join(dir, 'files/data/teller.db');
  expect(ask(copy, 'SELECT count(*) FROM votes')).toBe(400);
  expect(ask(copy, 'SELECT max(id) FROM votes')).toBe(400);
  expect(ask(copy, 'SELECT count(*) FROM grants')).toBe(400);
  expect(ask(copy, 'SELECT count(*) FROM commands')).toBe(400);
  expect(ask(copy, 'PRAGMA quick_check')).toBe('ok');
  expect(ask(copy, 'PRAGMA journal_mode')).toBe('delete');
  expect(readdirSync(path.dirname(copy)).sort()).toEqual(['keys', 'secrets', 'teller.db']);
  expect(await ledger.votes({ limit: 2_000 })).toHaveLength(1_400);
});

describe('refuses to make a backup', () => {
  test('in a folder that is not empty (backup-exists)', async () => {
    const { backUp, dir } = await backupFixture();
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, 'mine.txt'), 'mine');
    expect(await problemOf(backUp())).toBe('backup-exists');
    expect(filesIn(path.dirname(dir))).toEqual(['monday/mine.txt']);
  });

  test('at a path where there is a file (backup-exists)', async () => {
    const { backUp, dir } = await backupFixture();
    mkdirSync(path.dirname(dir), { recursive: true });
    writeFileSync(dir, 'mine');
    expect(await problemOf(backUp())).toBe('backup-exists');
    expect(readFileSync(dir, 'utf8')).toBe('mine');
  });

  test('if the folder cannot be created (data-unwritable)', async () => {
    const { config, clock, folder } = await backupFixture();
    const dir = path.join(folder, 'm'.repeat(255));
    expect(await problemOf(makeBackup(config, dir, clock))).toBe('data-unwritable');
  });

  test('if there is no ledger (ledger-missing)', async () => {
    const { backUp, ledger, folder, dir } = await backupFixture();
    await ledger.close();
    for (const name of ['teller.db', 'teller.db-wal', 'teller.db-shm']) {
      rmSync(path.join(folder, 'data', name), { force: true });
    }
    expect(await problemOf(backUp())).toBe('ledger-missing');
    expect(existsSync(path.dirname(dir))).toBe(false);
  });

  test('of a damaged ledger (ledger-corrupt), and leaves nothing behind', async () => {
    const { backUp, ledger, folder, dir } = await backupFixture();
    const decide = rulesFor(THANKS);
    for (let n = 0; n < 300; n++) await record(ledger, [vote(n)], decide);
    await ledger.close();
    const file = path.join(folder, 'data/teller.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096 * 4, 4096 * 40);
    writeFileSync(file, bytes);
    expect(await problemOf(backUp())).toBe('ledger-corrupt');
    expect(readdirSync(path.dirname(dir))).toEqual([]);
  });

  test('if a secret cannot be read (backup-incomplete)', async () => {
    const { backUp, dir } = await backupFixture({ sites: { default: { token: 'file:data/keys' } } });
    expect(await problemOf(backUp())).toBe('backup-incomplete');
    expect(existsSync(path.dirname(dir))).toBe(false);
  });

  test('of a config that does not load (config-invalid)', async () => {
    const { backUp, config } = await backupFixture();
    writeFileSync(config, '{"listner":{}}');
    expect(await problemOf(backUp())).toBe('config-invalid');
  });
});

test('a backup that is killed does not leave a folder that looks like a complete backup', async () => {
  const { config, dir, ledger } = await backupFixture();
  await record(ledger, [vote(1)], rulesFor(THANKS));
  const script = path.join(import.meta.dirname, 'dying-backup.ts');
  const dying = await startScript(script, [config, dir], path.dirname(config));
  await dying.ended();
  expect(dying.process.signalCode).toBe('SIGKILL');
  const [left, ...others] = readdirSync(path.dirname(dir));
  expect([left, others]).toEqual([expect.stringMatching(/^monday\.\d+\.unfinished$/), []]);
  const draft = path.join(path.dirname(dir), left ?? '');
  expect(filesIn(draft)).not.toContain('backup.json');
  expect(modeOf(draft)).toBe('700');
  expect(await problemOf(planRestore(draft, config))).toBe('backup-damaged');
});

describe('refuses a backup if', () => {
  test('one of its files has changed', async () => {
    const { backUp, dir, restore } = await backupFixture();
    const { files } = await backUp();
    for (const { file } of files) {
      damage(path.join(dir, file));
      expect(await problemOf(restore())).toBe('backup-damaged');
      damage(path.join(dir, file));
    }
    expect((await restore()).kept).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('one of its files, or its manifest, is a pipe', async () => {
    for (const name of ['files/data/secrets/default.token', 'backup.json']) {
      const { backUp, dir, restore } = await backupFixture();
      await backUp();
      rmSync(path.join(dir, name));
      makePipe(path.join(dir, name));
      expect(await problemOf(restore())).toBe('backup-damaged');
    }
  });

  test('one of its files is missing', async () => {
    const { backUp, dir, restore } = await backupFixture();
    await backUp();
    rmSync(path.join(dir, 'files/data/keys/private.key'));
    expect(await problemOf(restore())).toBe('backup-damaged');
  });

  test.each<[string, (manifest: Record<string, unknown>) => unknown, string]>([
    ['is cut off', (manifest) => JSON.stringify(manifest).slice(0, -9), 'backup-damaged'],
    ['is not an object', () => 'null', 'backup-damaged'],
    ['has no version', ({ version: _, ...rest }) => JSON.stringify(rest), 'backup-damaged'],
    ['lists no ledger', (manifest) => JSON.stringify(without(manifest, 'ledger')), 'backup-damaged'],
    ['lists no config', (manifest) => JSON.stringify(without(manifest, 'config')), 'backup-damaged'],
    ['has an invalid time', (m) => JSON.stringify({ ...m, backupAt: 'today' }), 'backup-damaged'],
    [
      'has a path outside its folder',
      (m) => JSON.stringify(m).replace('files/data/keys', '../data/keys'),
      'backup-damaged',
    ],
    [
      'has an absolute path for a secret',
      (m) => JSON.stringify(m).replace('"data/secrets', '"/data/secrets'),
      'backup-damaged',
    ],
    [
      'has NUL in the path of a secret',
      (m) => JSON.stringify(m).replace('"data/secrets/default', '"data/secrets/\\u0000default'),
      'backup-damaged',
    ],
    [
      'has NUL in the path of a copy',
      (m) => JSON.stringify(m).replace('files/data/keys', 'files/data/\\u0000keys'),
      'backup-damaged',
    ],
    [
      'has a secret in the place of the ledger',
      (m) => JSON.stringify(m).replace('"data/secrets/default.token"', '"data/teller.db"'),
      'backup-damaged',
    ],
    ['is from a newer Teller', (manifest) => JSON.stringify({ ...manifest, version: 3 }), 'backup-newer'],
  ])('its manifest %s', async (_, change, code) => {
    const { backUp, dir, restore } = await backupFixture();
    await backUp();
    const file = path.join(dir, 'backup.json');
    writeFileSync(file, String(change(JSON.parse(readFileSync(file, 'utf8')))));
    expect(await problemOf(restore())).toBe(code);
  });
});

const without = (manifest: Record<string, unknown>, kind: string) => ({
  ...manifest,
  files: (manifest.files as { kind: string }[]).filter((file) => file.kind !== kind),
});
