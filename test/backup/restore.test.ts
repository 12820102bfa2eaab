import { chmodSync, copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { typing } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openToOthersIn, temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { ask, BACKUP_AT, backups, filesIn, RESTORED_AT, votersIn } from './place.ts';

const LEDGER = 'data/teller.db';
const MARK = 'before-restore-2026-06-01T18-00-00-000Z';

test('a restore into an empty folder writes every file under its old name, and the config loads', async () => {
  const one = backups();
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
  await one.backUp();
  const { folder, json } = await one.restore(undefined, ['--json']);
  const times = { backupAt: BACKUP_AT, restoredAt: RESTORED_AT };
  const counts = { held: 1, refused: 0, unknown: 0 };
  expect(json).toEqual([{ ...times, files: expect.any(Array), kept: [], leftOut: [], ...counts }]);
  const config = path.join(folder, 'config.json');
  expect(json[0].files[0]).toMatchObject({ file: config, written: true });
  const copies = [
    ...['config.json', 'config.schema.json'],
    ...['data/keys/private.key', 'data/keys/public.key', 'data/secrets/default.token'],
  ];
  expect(filesIn(folder)).toEqual([...copies, LEDGER, `${LEDGER}.lock`]);
  for (const file of copies)
    expect(readFileSync(path.join(folder, file))).toEqual(readFileSync(path.join(one.folder, file)));
  expect((await loadConfig(config)).sites.get('default')?.token?.reveal()).toBe(TOKEN);
  expect(await votersIn(config, one)).toEqual(['Steve']);
});

test('a restore into an empty folder gives the config the chosen name, and makes only the public key and the schema readable for everyone', async () => {
  const { backUp, restore, dir } = backups();
  await backUp();
  chmodSync(path.join(dir, `files/${LEDGER}`), 0o644);
  const target = path.join(temporaryFolder(), 'other.json');
  const { folder } = await restore(target);
  const besideData = filesIn(folder).filter((file) => !file.startsWith('data/'));
  expect(besideData).toEqual(['config.schema.json', 'other.json']);
  expect((await loadConfig(target)).ledger).toBe(path.join(folder, LEDGER));
  if (process.platform !== 'win32')
    expect(openToOthersIn(folder)).toEqual(['config.schema.json', 'data/keys/public.key']);
});

test('a restore into an empty folder puts a file with an absolute path in the config at that path', async () => {
  const outside = temporaryFolder();
  const one = backups({ ledger: path.join(outside, 'teller.db') });
  copyFileSync(path.join(one.folder, LEDGER), path.join(outside, 'teller.db'));
  await one.backUp();
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
  const { json } = await one.restore(undefined, ['--yes', '--json']);
  expect(json[0].kept.map((file: string) => path.dirname(file))).toEqual([outside]);
  expect(await votersIn(one.config, one)).toEqual([]);
});

test('a restore into an empty folder says what was restored, what is held, how to pay it, and what to do next', async () => {
  const one = backups();
  for (const player of ['Steve', 'Alex']) await one.run('votes', 'add', '--player', player, '--site', 'List');
  await one.backUp();
  const { out, err, folder } = await one.restore(undefined, []);
  const target = path.join(folder, 'config.json');
  expect(out.split('\n')[0]).toEqual(naming(BACKUP_AT));
  expect(out).toContain(target);
  expect(err.split('\n')).toContainEqual(naming('2 grants', 'held'));
  expect(err.split('\n')).toContainEqual(naming(BACKUP_AT, RESTORED_AT));
  const commands = ['`teller grants pay`', '`teller grants mark-paid`'];
  expect(err).toEqual(naming('90 d', ...commands, 'another machine'));
  expect(err).toContain(`\`teller run --config ${target}\``);
  const inPlace = await one.restore(target, ['--yes']);
  expect(inPlace.err).not.toContain('another machine');
  const [, words = ''] = /`teller grants (pay --state held [^`]+)`/.exec(inPlace.err) ?? [];
  const { run } = typing({ folder, config: target }, one.clock);
  const { json } = await run('grants', ...words.split(' '), '--yes', '--json');
  expect(json).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
});

test('a restore is refused if the clock is behind the backup (restore-clock)', async () => {
  const one = backups();
  one.clock.set('2026-06-01T18:00:00.001Z');
  await one.backUp();
  const { err, folder } = await one.restore();
  expect([err, filesIn(folder)]).toEqual([naming(/\[restore-clock\]$/), []]);
});

test('a restore over existing files moves different files aside, and leaves identical ones', async () => {
  const one = backups();
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
  await one.backUp();
  await one.run('votes', 'add', '--player', 'Alex', '--site', 'List');
  writeFileSync(one.config, '{"log":{"level":"warn"}}');
  const { json } = await one.restore(one.config, ['--yes', '--json']);
  const kept = json[0].kept.map((file: string) => path.relative(one.folder, file));
  expect(kept).toEqual([`config.json.${MARK}`, `${LEDGER}.${MARK}`]);
  expect(readFileSync(`${one.config}.${MARK}`, 'utf8')).toBe('{"log":{"level":"warn"}}');
  expect(ask(path.join(one.folder, `${LEDGER}.${MARK}`), 'SELECT count(*) FROM votes')).toBe(2);
  expect(await votersIn(one.config, one)).toEqual(['Steve']);
  expect(filesIn(one.folder).filter((file) => file.endsWith('.draft'))).toEqual([]);
});

test('a restore over existing files moves a damaged ledger aside unchanged, with its -wal', async () => {
  const one = backups();
  await one.backUp();
  const ledger = path.join(one.folder, LEDGER);
  writeFileSync(ledger, 'damaged');
  writeFileSync(`${ledger}-wal`, 'old log');
  const { exit } = await one.restore(one.config);
  expect([exit, readFileSync(`${ledger}.${MARK}`, 'utf8'), existsSync(`${ledger}-wal`)]).toEqual([
    ...[0, 'damaged', false],
  ]);
  expect(ask(ledger, 'PRAGMA quick_check')).toBe('ok');
});

test('a restore over existing files stops and changes nothing if the name for a moved file is in use', async () => {
  const one = backups();
  await one.backUp();
  writeFileSync(one.config, '{}');
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
  const aside = path.join(one.folder, `${LEDGER}.${MARK}`);
  writeFileSync(aside, 'mine');
  expect((await one.restore(one.config)).err).toMatch(/\[restore-in-the-way\]$/);
  expect([readFileSync(one.config, 'utf8'), readFileSync(aside, 'utf8')]).toEqual(['{}', 'mine']);
  expect(filesIn(one.folder).filter((file) => /draft/.test(file))).toEqual([]);
});

test('a restore over existing files replaces the target of a symbolic link, not the link', async () => {
  const { backUp, restore } = backups();
  await backUp();
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder({ 'real.json': '{}' })];
  symlinkSync(path.join(elsewhere, 'real.json'), path.join(folder, 'config.json'));
  const { json } = await restore(path.join(folder, 'config.json'), ['--yes', '--json']);
  expect(json[0].kept).toEqual([path.join(elsewhere, `real.json.${MARK}`)]);
  expect((await loadConfig(path.join(folder, 'config.json'))).log.level).toBe('info');
});

test('a restore over existing files asks at a terminal, keeps the files after a yes, and changes nothing without one', async () => {
  const { backUp, restore } = backups();
  await backUp();
  const target = path.join(temporaryFolder({ 'config.json': '{}' }), 'config.json');
  const script = await restore(target, []);
  expect([script.exit, script.err]).toEqual([1, naming(target, /\[restore-in-the-way\]$/)]);
  const no = await restore(target, [], { answers: [false] });
  expect(no).toMatchObject({ exit: 1, err: naming(/\[not-confirmed\]$/) });
  expect(no.asked).toEqual([naming(target, BACKUP_AT)]);
  expect([readFileSync(target, 'utf8'), filesIn(path.dirname(target))]).toEqual(['{}', ['config.json']]);
  const yes = await restore(target, [], { answers: [true] });
  expect([yes.exit, yes.err]).toEqual([0, expect.stringContaining(`${target}.${MARK}`)]);
  expect(readFileSync(`${target}.${MARK}`, 'utf8')).toBe('{}');
  expect((await restore(undefined, [], {})).asked).toEqual([]);
});

test('a restore prints what a terminal would obey in a manifest as text, and neither command a secret', async () => {
  const token = { 'My-List.com': { token: 'in-the-config' } };
  const { backUp, restore, dir, folder } = backups({
    sites: { default: { token: 'file:data/secrets/default.token' }, ...token },
  });
  const backup = await backUp();
  const file = path.join(dir, 'backup.json');
  const leftOut = [{ what: '\u001b[2J\u202e', configKeys: [], why: '\u009b31m' }];
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), leftOut }));
  const { exit, out, err } = await restore();
  expect([exit, (out + err).match(/[^\P{C}\n]/u)]).toEqual([0, null]);
  expect(err).toContain('\\u001b[2J\\u202e');
  const key = readFileSync(path.join(folder, 'data/keys/private.key'), 'utf8').slice(100, 140);
  const printed = backup.out + backup.err + out + err;
  for (const secret of [TOKEN, 'in-the-config', key]) expect(printed).not.toContain(secret);
});

describe('around a Teller', () => {
  const GIFT = { name: 'gift', commands: ['give {player} cake 1'] };
  const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

  /** A Teller that was backed up at noon with what was paid, waits, was refused, cancelled, or is being sent. */
  async function backedUp() {
    const game = await rconGame({ commandTimeout: '30s' });
    const config = { gameServers: { main: game.entry }, rewards: [GIFT, THANKS] };
    const teller = await here(config, new FakeClock('2026-06-01T11:59:00Z'));
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('waiting', 'delivered');
    game.fault('refuse');
    await teller.vote({ player: 'Alex' });
    await teller.untilGrants('waiting', 'delivered', 'waiting', 'refused');
    await teller.run('grants', 'cancel', '3');
    game.fault('silent');
    await teller.vote({ player: 'Zoe' });
    await teller.until(async () => /being sent/.test((await teller.run('explain', 'Zoe')).out));
    const dir = path.join(temporaryFolder(), 'backup');
    await teller.run('backup', dir);
    return { game, teller, dir };
  }

  /** Stops it, restores the backup five minutes later in its place, and starts it again. */
  async function restored({ teller, dir }: { teller: Here; dir: string }) {
    const at = teller.clock.now();
    teller.clock.advance(30_000);
    await teller.restart(async () => {
      teller.clock.jump(at + 300_000 - teller.clock.now());
      const { exit, err } = await teller.run('restore', dir, '--yes');
      expect([exit, err]).toEqual([0, expect.any(String)]);
    });
    return { backupAt: at, restoredAt: at + 300_000 };
  }

  test('a restore is refused while it runs, and changes nothing (restore-running)', async () => {
    const teller = await here();
    const dir = path.join(temporaryFolder(), 'backup');
    await teller.run('backup', dir);
    const before = filesIn(teller.folder);
    expect((await teller.run('restore', dir, '--yes')).err).toMatch(/\[restore-running\]$/);
    expect(filesIn(teller.folder)).toEqual(before);
  });

  test('what was open in the backup is held, and a command that was being sent is unknown', async () => {
    const { game, teller, dir } = await backedUp();
    await restored({ teller, dir });
    const doubted = ({ state, reason }: { state: string; reason: string | null }) => `${state} ${reason}`;
    expect((await teller.run('grants', '--json')).json.toReversed().map(doubted)).toEqual([
      'held restore-doubt',
      'delivered null',
      'cancelled cancelled-by-operator',
      'refused restore-doubt',
      'held restore-doubt',
      'held restore-doubt',
    ]);
    expect((await teller.grants()).at(-1)?.commands).toMatchObject([{ outcome: 'unknown' }]);
    const commands = ['`teller grants mark-paid 1`', '`teller grants pay 1`'];
    expect((await teller.run('explain', 'Steve')).out).toEqual(
      naming('gift', 'main', 'Steve', 'held', /restore/, ...commands),
    );
    game.show('Steve');
    await teller.pass(2_000);
    expect(game.ran).toEqual(['say Steve voted']);
    await teller.run('grants', 'pay', '1');
    await teller.run('grants', 'mark-paid', '5');
    await teller.untilGrants('delivered', 'delivered', 'cancelled', 'refused', 'delivered', 'held');
  });

  test('a vote that was cast before the restore is held, unless the backup has it; a later one is paid', async () => {
    const game = await rconGame();
    const config = { gameServers: { main: game.entry }, rewards: [THANKS] };
    const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
    const cast = teller.clock.now();
    await teller.vote({ player: 'Steve', at: cast });
    await teller.untilGrants('delivered');
    const dir = path.join(temporaryFolder(), 'backup');
    await teller.run('backup', dir);
    const { backupAt, restoredAt } = await restored({ teller, dir });
    const times = {
      ...{ Steve: cast, Before: backupAt - 60_000, Between: backupAt + 60_000 },
      ...{ Just: restoredAt - 1, Then: restoredAt, After: restoredAt + 1 },
    };
    for (const [player, at] of Object.entries(times)) await teller.vote({ player, at });
    await teller.untilGrants('delivered', 'held', 'held', 'held', 'delivered', 'delivered');
    expect(game.ran).toEqual(['say Steve voted', 'say Then voted', 'say After voted']);
  });
});
