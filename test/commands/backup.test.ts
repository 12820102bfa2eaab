import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { backupCommand } from '../../src/commands/backup.ts';
import { grantsCommand } from '../../src/commands/grants.ts';
import { restoreCommand } from '../../src/commands/restore.ts';
import { BACKUP_AT, backupFixture, damage, RESTORED_AT, TOKEN } from '../backup/fixture.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { DAILY, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { naming } from '../support/naming.ts';
import { arrival } from '../support/votes.ts';
import { runCommand } from './run-command.ts';

interface Person {
  readonly answer?: boolean;
  readonly interactive?: boolean;
}

async function operator(overrides: object = {}) {
  const scene = await backupFixture(overrides);
  const asked: string[] = [];
  const target = path.join(temporaryFolder(), 'config.json');
  const backup = (flags: readonly string[] = [], interactive = false) => {
    const terminal = fakeTerminal(interactive);
    const words = [scene.dir, '--config', scene.config, ...flags];
    return runCommand(backupCommand(terminal, scene.clock), terminal, words);
  };
  const restore = (flags: readonly string[] = [], { answer = false, interactive = false }: Person = {}) => {
    scene.clock.set(RESTORED_AT);
    const terminal = fakeTerminal(interactive);
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const words = [scene.dir, '--config', target, ...flags];
    return runCommand(restoreCommand(terminal, scene.clock, ask), terminal, words);
  };
  return { ...scene, target, asked, backup, restore };
}

describe('backup', () => {
  test('prints each copied file, its size and the config key that names it', async () => {
    const { backup, dir, config } = await operator();
    const { out, err, exit } = await backup();
    expect(exit).toBe(0);
    expect(out.split('\n')[0]).toEqual(naming(BACKUP_AT, dir));
    const bytes = readFileSync(config).length.toLocaleString('en');
    expect(out).toMatch(new RegExp(`^config\\.json +${bytes}$`, 'm'));
    expect(out).toMatch(/^data\/teller\.db +[\d,]+ +ledger$/m);
    expect(out).toMatch(/^data\/secrets\/default\.token +33 +sites\.default\.token$/m);
    expect(err).toEqual(naming(/ledger/i));
  });

  test('lists what the backup does not contain', async () => {
    const { backup } = await operator({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
    const { err } = await backup();
    expect(err.split('\n')).toContainEqual(naming('env:TELLER_TEST_TOKEN', 'sites.default.token'));
  });

  test('prints an array for scripts', async () => {
    const { backup, dir } = await operator();
    const { out } = await backup(['--json']);
    const [row] = JSON.parse(out);
    expect(Object.keys(row)).toEqual(['folder', 'backupAt', 'files', 'leftOut']);
    expect(row).toMatchObject({ folder: dir, backupAt: BACKUP_AT, leftOut: [] });
    expect(row.files[2]).toMatchObject({
      kind: 'ledger',
      original: 'data/teller.db',
      configKeys: ['ledger'],
    });
  });

  test('shows progress to a person but not to a script', async () => {
    const many = async () => {
      const scene = await operator();
      const players = Array.from({ length: 3_000 }, (_, n) => arrival({ player: `Player${n}` }));
      await record(scene.ledger, players, rulesFor(THANKS, DAILY));
      return scene;
    };
    expect((await (await many()).backup([], true)).err).toMatch(/^.*\b\d0 ?%.*ledger.*$/m);
    expect((await (await many()).backup()).err).not.toContain('%');
  });

  test('refuses a folder that is not empty: backup-exists', async () => {
    const { backup, dir, clock } = await operator();
    await backup();
    clock.set(RESTORED_AT);
    const { err, exit } = await backup();
    expect(exit).toBe(1);
    expect(err).toMatch(/\[backup-exists\]$/);
    expect(readFileSync(path.join(dir, 'backup.json'), 'utf8')).toContain(BACKUP_AT);
  });
});

describe('restore', () => {
  test('prints what was restored, what is held and what to do next', async () => {
    const { backup, restore, ledger, target } = await operator();
    await record(ledger, [arrival()], rulesFor(THANKS, DAILY));
    await backup();
    const { out, err, exit } = await restore();
    expect(exit).toBe(0);
    expect(out.split('\n')[0]).toEqual(naming(BACKUP_AT));
    expect(out).toContain(target);
    const lines = err.split('\n');
    expect(lines).toContainEqual(naming('2 grants', 'held'));
    expect(lines).toContainEqual(naming(BACKUP_AT, RESTORED_AT));
    expect(err).toEqual(naming('90 d', '`teller grants pay`', '`teller grants mark-paid`'));
    expect(err).toContain(`\`teller run --config ${target}\``);
  });

  test('names the command that pays all that it holds, and warns of another Teller only where it found no ledger', async () => {
    const { backup, restore, ledger, clock } = await operator();
    await record(ledger, [arrival()], rulesFor(THANKS, DAILY));
    await backup();
    const [elsewhere, inPlace] = [await restore(), await restore(['--yes'])];
    expect([elsewhere, inPlace].map(({ err }) => err.includes('another machine'))).toEqual([true, false]);
    const [, words = ''] = /`teller grants (pay --state held [^`]+)`/.exec(inPlace.err) ?? [];
    const terminal = fakeTerminal();
    const asked = [...words.split(' '), '--yes', '--json'];
    const paid = await runCommand(grantsCommand(terminal, clock), terminal, asked);
    expect(JSON.parse(paid.out)).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
  });

  test('prints an array for scripts', async () => {
    const { backup, restore, ledger, target } = await operator();
    await record(ledger, [arrival()], rulesFor(THANKS));
    await backup();
    const [row] = JSON.parse((await restore(['--json'])).out);
    expect(row).toMatchObject({
      backupAt: BACKUP_AT,
      restoredAt: RESTORED_AT,
      kept: [],
      leftOut: [],
      held: 1,
      refused: 0,
      unknown: 0,
    });
    expect(row.files[0]).toMatchObject({ file: target, written: true });
  });

  test('exits 1 without a terminal if files are in the way: restore-in-the-way', async () => {
    const { backup, restore, target } = await operator();
    await backup();
    writeFileSync(target, '{}');
    const { err, exit } = await restore();
    expect(exit).toBe(1);
    expect(err).toMatch(/\[restore-in-the-way\]$/);
    expect(err).toContain(target);
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(existsSync(path.join(path.dirname(target), 'data'))).toBe(false);
  });

  test('asks at a terminal, and changes nothing if the answer is no: not-confirmed', async () => {
    const { backup, restore, target, asked } = await operator();
    await backup();
    writeFileSync(target, '{}');
    const { err, exit } = await restore([], { interactive: true });
    expect([exit, asked]).toEqual([1, [naming(target, BACKUP_AT)]]);
    expect(err).toMatch(/\[not-confirmed\]$/);
    expect(readFileSync(target, 'utf8')).toBe('{}');
  });

  test.each<[string, readonly string[], Person]>([
    ['a yes', [], { interactive: true, answer: true }],
    ['--yes', ['--yes'], {}],
  ])('keeps the files that were in the way after %s', async (_, flags, person) => {
    const { backup, restore, target } = await operator();
    await backup();
    writeFileSync(target, '{}');
    const { err, exit } = await restore(flags, person);
    const kept = `${target}.before-restore-2026-06-01T18-00-00-000Z`;
    expect(exit).toBe(0);
    expect(err).toContain(kept);
    expect(readFileSync(kept, 'utf8')).toBe('{}');
  });

  test('does not ask if nothing is in the way', async () => {
    const { backup, restore, asked } = await operator();
    await backup();
    expect((await restore([], { interactive: true })).exit).toBe(0);
    expect(asked).toEqual([]);
  });

  test('prints what a terminal would obey in a manifest as text', async () => {
    const { backup, restore, dir } = await operator();
    await backup();
    const file = path.join(dir, 'backup.json');
    const leftOut = [{ what: '\u001b[2J\u202e', configKeys: [], why: '\u009b31m' }];
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), leftOut }));
    const { exit, out, err } = await restore();
    expect([exit, (out + err).match(/[^\P{C}\n]/u)]).toEqual([0, null]);
    expect(err).toContain('\\u001b[2J\\u202e');
  });

  test('exits 1 for a damaged backup and names the file: backup-damaged', async () => {
    const { backup, restore, dir, target } = await operator();
    await backup();
    damage(path.join(dir, 'files/data/keys/private.key'));
    const { err, exit } = await restore(['--yes']);
    expect(exit).toBe(1);
    expect(err).toContain('files/data/keys/private.key');
    expect(err).toMatch(/\[backup-damaged\]$/);
    expect(existsSync(target)).toBe(false);
  });
});

test('neither command prints a secret', async () => {
  const { backup, restore, folder } = await operator({
    sites: {
      default: { token: 'file:data/secrets/default.token' },
      'My-List.com': { token: 'in-the-config' },
    },
  });
  const privateKey = readFileSync(path.join(folder, 'data/keys/private.key'), 'utf8');
  const printed = [await backup(), await restore(['--json'])].map(({ out, err }) => out + err).join('\n');
  for (const secret of [TOKEN, 'in-the-config', privateKey.slice(100, 140)]) {
    expect(printed).not.toContain(secret);
  }
});

test('a backup of a YAML config is restored only into a YAML file, whose name the message says', async () => {
  const { config, backup, restore, target } = await operator();
  const yaml = path.join(path.dirname(config), 'teller.yml');
  writeFileSync(yaml, `# mine\n${readFileSync(config, 'utf8')}`);
  expect((await backup(['--config', yaml])).exit).toBe(0);
  const refused = await restore();
  expect([refused.exit, existsSync(target)]).toEqual([2, false]);
  expect(refused.err).toEqual(naming('--config teller.yml', '[usage]'));
  const restored = path.join(path.dirname(target), 'teller.yml');
  expect((await restore(['--config', restored])).exit).toBe(0);
  expect(readFileSync(restored, 'utf8')).toMatch(/^# mine\n/);
});
