import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { restoreBackup } from '../../src/operator/backup/restore-backup.ts';
import { planRestore } from '../../src/operator/backup/restore-plan.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { acquireLock, lockFileOf } from '../../src/platform/sqlite/lock.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { openToOthersIn } from '../support/modes.ts';
import { startScript } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';
import { ask, BACKUP_AT, backupFixture, filesIn, problemOf, RESTORED_AT, TOKEN } from './fixture.ts';

describe('a restore into an empty folder', () => {
  test('writes every file under its old name, and the config loads', async () => {
    const { backUp, restore, folder: old, ledger } = await backupFixture();
    await record(ledger, [arrival()], rulesFor(THANKS));
    await backUp();
    const { folder, kept, restoredAt } = await restore();
    expect(filesIn(folder)).toEqual([
      'config.json',
      'config.schema.json',
      'data/keys/private.key',
      'data/keys/public.key',
      'data/secrets/default.token',
      'data/teller.db',
      'data/teller.db.lock',
    ]);
    expect([kept, new Date(restoredAt).toISOString()]).toEqual([[], RESTORED_AT]);
    const same = filesIn(folder).filter((file) => !file.startsWith('data/teller.db'));
    for (const file of same) {
      expect(readFileSync(path.join(folder, file))).toEqual(readFileSync(path.join(old, file)));
    }
    const config = await loadConfig(path.join(folder, 'config.json'));
    expect(config.sites.get('default')?.token?.reveal()).toBe(TOKEN);
    expect(await lookInto(config.ledger).votes({ limit: 9 })).toHaveLength(1);
  });

  test.skipIf(process.platform === 'win32')(
    'makes only the public key and the schema readable for everyone',
    async () => {
      const { backUp, restore, dir } = await backupFixture();
      await backUp();
      chmodSync(path.join(dir, 'files/data/teller.db'), 0o644);
      const { folder } = await restore();
      expect(existsSync(path.join(folder, 'data/teller.db.lock'))).toBe(true);
      expect(openToOthersIn(folder)).toEqual(['config.schema.json', 'data/keys/public.key']);
    },
  );

  test('gives the config the chosen name', async () => {
    const { backUp, restore } = await backupFixture();
    await backUp();
    const target = path.join(temporaryFolder(), 'other.json');
    const { folder } = await restore(target);
    expect(filesIn(folder).filter((file) => !file.startsWith('data/'))).toEqual([
      'config.schema.json',
      'other.json',
    ]);
    expect((await loadConfig(target)).ledger).toBe(path.join(folder, 'data/teller.db'));
  });

  test('stores in the ledger the time between backup and restore', async () => {
    const { backUp, restore } = await backupFixture();
    await backUp();
    const { folder } = await restore();
    const file = path.join(folder, 'data/teller.db');
    expect(ask(file, 'SELECT backup_at FROM restores')).toBe(Date.parse(BACKUP_AT));
    expect(ask(file, 'SELECT restored_at FROM restores')).toBe(Date.parse(RESTORED_AT));
  });
});

test('refuses to restore if the clock is behind the backup (restore-clock)', async () => {
  const { backUp, dir, clock } = await backupFixture();
  await backUp();
  clock.set('2026-06-01T11:59:59.999Z');
  const target = path.join(temporaryFolder(), 'config.json');
  expect(await problemOf(restoreBackup(await planRestore(dir, target), clock))).toBe('restore-clock');
  expect(filesIn(path.dirname(target))).toEqual([]);
});

describe('a restore over existing files', () => {
  test('moves different files aside, and leaves identical ones', async () => {
    const { backUp, restore, config, folder, ledger } = await backupFixture();
    await record(ledger, [arrival()], rulesFor(THANKS));
    await backUp();
    await record(ledger, [arrival({ player: 'Alex' })], rulesFor(THANKS));
    await ledger.close();
    writeFileSync(config, '{"log":{"level":"warn"}}');
    const { kept } = await restore(config);
    const mark = 'before-restore-2026-06-01T18-00-00-000Z';
    expect(kept.map((file) => path.relative(folder, file))).toEqual([
      `config.json.${mark}`,
      `data/teller.db.${mark}`,
    ]);
    expect(readFileSync(`${config}.${mark}`, 'utf8')).toBe('{"log":{"level":"warn"}}');
    expect(ask(path.join(folder, `data/teller.db.${mark}`), 'SELECT count(*) FROM votes')).toBe(2);
    expect(ask(path.join(folder, 'data/teller.db'), 'SELECT count(*) FROM votes')).toBe(1);
    expect(filesIn(folder).filter((file) => file.endsWith('.draft'))).toEqual([]);
  });

  test('ignores the mark of the old ledger', async () => {
    const { backUp, restore, config, ledger, folder, dir } = await backupFixture();
    const file = path.join(folder, 'data/teller.db');
    await record(ledger, [arrival(), arrival({ player: 'Alex' })], rulesFor(THANKS));
    await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: 0 });
    await backUp();
    await ledger.claim({ grantId: 2, position: 0, player: 'Alex', uuid: null, now: 0 });
    await ledger.close();
    copyFileSync(path.join(dir, 'files/data/teller.db'), file);
    await expect(openLedger(file, 'create', { clock: systemClock })).rejects.toThrow(
      expect.objectContaining({ code: 'ledger-behind' }),
    );
    const { doubts } = await restore(config);
    expect(doubts).toEqual({ held: 2, refused: 0, unknown: 1 });
    await (await openLedger(file, 'create', { clock: systemClock })).close();
  });

  test('moves a damaged ledger aside unchanged, with its -wal', async () => {
    const { backUp, restore, config, folder, ledger } = await backupFixture();
    await backUp();
    await ledger.close();
    writeFileSync(path.join(folder, 'data/teller.db'), 'damaged');
    writeFileSync(path.join(folder, 'data/teller.db-wal'), 'old log');
    const { kept } = await restore(config);
    const names = kept.map((file) => path.basename(file));
    expect(names[0]).toBe('teller.db.before-restore-2026-06-01T18-00-00-000Z');
    expect(readFileSync(kept[0] ?? '', 'utf8')).toBe('damaged');
    expect(existsSync(path.join(folder, 'data/teller.db-wal'))).toBe(false);
    expect(ask(path.join(folder, 'data/teller.db'), 'PRAGMA quick_check')).toBe('ok');
  });

  test('stops and changes nothing if the name for a moved file is in use', async () => {
    const { backUp, restore, config, folder, ledger } = await backupFixture();
    await backUp();
    await ledger.close();
    writeFileSync(config, '{}');
    const aside = path.join(folder, 'data/teller.db.before-restore-2026-06-01T18-00-00-000Z');
    writeFileSync(aside, 'mine');
    const before = filesIn(folder);
    expect(await problemOf(restore(config))).toBe('restore-in-the-way');
    expect(readFileSync(config, 'utf8')).toBe('{}');
    expect(readFileSync(aside, 'utf8')).toBe('mine');
    expect(filesIn(folder).filter((file) => !/-(wal|shm)$|\.lock$/.test(file))).toEqual(
      before.filter((file) => !/-(wal|shm)$|\.lock$/.test(file)),
    );
  });

  test('replaces the target of a symbolic link, not the link', async () => {
    const { backUp, restore } = await backupFixture();
    await backUp();
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder({ 'real.json': '{}' })];
    symlinkSync(path.join(elsewhere, 'real.json'), path.join(folder, 'config.json'));
    const { kept } = await restore(path.join(folder, 'config.json'));
    expect(kept).toEqual([path.join(elsewhere, 'real.json.before-restore-2026-06-01T18-00-00-000Z')]);
    expect((await loadConfig(path.join(folder, 'config.json'))).log.level).toBe('info');
  });
});

describe('a restore changes nothing (restore-running) while', () => {
  test('a Teller process delivers from the ledger', async () => {
    const { backUp, restore, config, folder, ledger } = await backupFixture();
    await backUp();
    await ledger.close();
    const lock = acquireLock(lockFileOf(path.join(folder, 'data/teller.db')));
    onTestFinished(() => lock?.release());
    const before = filesIn(folder);
    expect(await problemOf(restore(config))).toBe('restore-running');
    expect(filesIn(folder)).toEqual(before);
  });

  test('a Teller process only records votes in the ledger', async () => {
    const { backUp, restore, config, folder, ledger } = await backupFixture();
    await backUp();
    await record(ledger, [arrival()], rulesFor(THANKS));
    expect(await problemOf(restore(config))).toBe('restore-running');
    expect(await ledger.votes({ limit: 9 })).toHaveLength(1);
    expect(filesIn(folder).filter((file) => /draft|before/.test(file))).toEqual([]);
  });
});

test('a restore that is killed before it moves the ledger has changed nothing and can be repeated', async () => {
  const { backUp, restore, dir, config, folder, ledger } = await backupFixture();
  await backUp();
  await record(ledger, [arrival()], rulesFor(THANKS));
  await ledger.close();
  const script = path.join(import.meta.dirname, 'dying-restore.ts');
  const dying = await startScript(script, [dir, config], folder);
  await dying.ended();
  expect(dying.process.signalCode).toBe('SIGKILL');
  expect(readdirSync(path.join(folder, 'data')).filter((file) => file.endsWith('.draft'))).toHaveLength(1);
  expect(ask(path.join(folder, 'data/teller.db'), 'SELECT count(*) FROM votes')).toBe(1);
  await restore(config);
  expect(ask(path.join(folder, 'data/teller.db'), 'SELECT count(*) FROM votes')).toBe(0);
});

test('a file with an absolute path in the config is restored to that path', async () => {
  const outside = temporaryFolder();
  const { backUp, restore, ledger } = await backupFixture({ ledger: path.join(outside, 'teller.db') });
  await record(ledger, [arrival()], rulesFor(THANKS));
  await backUp();
  await ledger.close();
  const { kept } = await restore();
  expect(kept.map((file) => path.dirname(file))).toEqual([outside]);
  expect(ask(path.join(outside, 'teller.db'), 'SELECT count(*) FROM restores')).toBe(1);
});
