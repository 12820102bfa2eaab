import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { ledgerFileOf, lockLedger } from '../kit/ledger-file.ts';
import { type Desk, desk } from '../kit/place.ts';
import { service } from '../kit/service.ts';

const ADD = ['votes', 'add', '--player', 'Steve', '--site', 'List'];

/** Three ways to open a ledger: a start, which may create it, a command that writes, and one that reads. */
const WAYS: Readonly<Record<string, (one: Desk) => Promise<string>>> = {
  run: async ({ config }) => {
    const { ready, err, stop } = await service(['run', '--config', config]);
    await stop();
    return ready === null ? err.join('\n') : 'opened';
  },
  'votes add': async ({ run }) => {
    const { exit, err } = await run(...ADD);
    return exit === 0 ? 'opened' : err;
  },
  votes: async ({ run }) => {
    const { exit, err } = await run('votes');
    return exit === 0 ? 'opened' : err;
  },
};
const WRITING = { run: WAYS.run, 'votes add': WAYS['votes add'] };

/** A place without a ledger, if its file is not made by this. */
function placeOf(make: (file: string) => void = () => {}): { one: Desk; file: string } {
  const one = desk({ rewards: [] });
  const file = ledgerFileOf(one);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  make(file);
  return { one, file };
}

/** Changes a ledger by another program. */
function changed(file: string, sql: string): void {
  const other = new Sqlite(file);
  other.exec(sql);
  other.close();
}

test('a ledger that does not exist is created by a start alone, with WAL; other commands say ledger-missing', async () => {
  const { one, file } = placeOf();
  for (const way of ['votes add', 'votes']) expect(await WAYS[way]?.(one)).toContain('[ledger-missing]');
  expect(existsSync(file)).toBe(false);
  expect(await WAYS.run?.(one)).toBe('opened');
  expect(new Sqlite(file, { readonly: true }).pragma('journal_mode', { simple: true })).toBe('wal');
  for (const way of ['votes add', 'votes']) expect(await WAYS[way]?.(one)).toBe('opened');
});

test('a ledger that does not exist may be an existing empty file', async () => {
  const { one } = placeOf((file) => writeFileSync(file, ''));
  expect(await WAYS.run?.(one)).toBe('opened');
  expect(await WAYS['votes add']?.(one)).toBe('opened');
});

test('a ledger that does not exist cannot be created where a folder is', async () => {
  const { one } = placeOf((file) => mkdirSync(file));
  expect(await WAYS.run?.(one)).toContain('data-unwritable');
});

test('each commit is synced to the disk, and foreign keys are checked', async () => {
  const found: { synchronous: unknown; foreignKeys: unknown }[] = [];
  const { close } = Sqlite.prototype;
  Reflect.set(Sqlite.prototype, 'close', function (this: Sqlite.Database) {
    const pragma = (name: string): unknown => this.pragma(name, { simple: true });
    if (this.open && !this.readonly)
      found.push({ synchronous: pragma('synchronous'), foreignKeys: pragma('foreign_keys') });
    return close.call(this);
  });
  onTestFinished(() => void Reflect.set(Sqlite.prototype, 'close', close));
  await desk().run(...ADD);
  // FULL
  expect(found).toContainEqual({ synchronous: 2, foreignKeys: 1 });
  expect(found.filter(({ synchronous }) => synchronous !== 2)).toEqual([]);
});

const GARBAGE = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 0x5a)]);
const TEXT = Buffer.from('This is not a database, and it is longer than a header. '.repeat(20));
function replacedByTheirs(file: string): void {
  rmSync(file);
  changed(file, 'CREATE TABLE theirs (x); PRAGMA user_version = 1');
}

describe.each(Object.keys(WAYS))('%s', (way) => {
  test.each<readonly [string, string, (file: string) => void]>([
    ['of a newer version', 'ledger-newer', (file) => changed(file, 'PRAGMA user_version = 9999')],
    ['of an older version', 'ledger-older', (file) => changed(file, 'PRAGMA user_version = 1')],
    ['of another program', 'ledger-foreign', replacedByTheirs],
    ['that is a text', 'ledger-corrupt', (file) => writeFileSync(file, TEXT)],
    ['of random bytes with the right first line', 'ledger-corrupt', (file) => writeFileSync(file, GARBAGE)],
    ['that was cut short', 'ledger-corrupt', (file) => truncateSync(file, 4_096)],
  ])('refuses a ledger %s, as %s, and leaves it as it was', async (_, code, spoil) => {
    const one = desk({ rewards: [] });
    const file = ledgerFileOf(one);
    spoil(file);
    const before = readFileSync(file);
    expect(await WAYS[way]?.(one)).toContain(code);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test.each([
  ['votes', true],
  ['votes add', false],
])('%s says data-unwritable if the files beside the ledger cannot be made', async (way, namesThem) => {
  const one = desk({ rewards: [] });
  symlinkSync('nowhere', `${ledgerFileOf(one)}-shm`);
  const said = await WAYS[way]?.(one);
  expect(said).toContain('[data-unwritable]');
  expect(/-wal.*-shm/.test(said ?? '')).toBe(namesThem);
});

test.each(Object.entries(WRITING))(
  '%s says ledger-locked while another program has the file',
  async (_, way) => {
    const one = desk({ rewards: [] });
    const holder = new Sqlite(ledgerFileOf(one));
    onTestFinished(() => void holder.close());
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN EXCLUSIVE');
    expect(await way?.(one)).toContain('ledger-locked');
  },
);

/** What the ledger of a running Teller does with a vote of Bob: with ABORT its statement fails, with ROLLBACK its transaction. */
const losing = (file: string, how: 'ABORT' | 'ROLLBACK'): void =>
  changed(
    file,
    `CREATE TRIGGER losing BEFORE INSERT ON votes WHEN NEW.wire LIKE '%Bob%' BEGIN SELECT RAISE(${how}, 'full'); END`,
  );

/** Ada, Bob and Cyd vote while the ledger is locked; the command for Eve ends meanwhile. @returns the answers. */
async function together(how: 'ABORT' | 'ROLLBACK') {
  const finish: (() => void)[] = [];
  const game = await rconGame({}, (command) =>
    command.startsWith('say Eve') ? new Promise((resolve) => finish.push(() => resolve('said'))) : undefined,
  );
  const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
  const teller = await here({ gameServers: { main: game.entry }, rewards });
  expect(await teller.vote({ player: 'Eve' })).toBe('ok');
  await teller.until(() => finish.length === 1);
  losing(ledgerFileOf(teller), how);
  const unlock = lockLedger(teller);
  const voted = ['Ada', 'Bob', 'Cyd'].map((player) => teller.vote({ player }));
  finish[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  unlock();
  return { teller, game, answers: await Promise.all(voted) };
}

test('votes and the outcome of a command, which are stored together are kept if one vote cannot be stored', async () => {
  const { teller, game, answers } = await together('ABORT');
  expect(answers).toEqual(['ok', 'StorageUnavailable', 'ok']);
  await teller.untilGrants('delivered', 'delivered', 'delivered');
  expect(game.ran.toSorted()).toEqual(['say Ada', 'say Cyd', 'say Eve']);
});

test('votes and the outcome of a command, which are stored together lose the votes with their transaction, not the outcome: no command runs twice, and the next votes count', async () => {
  const { teller, game, answers } = await together('ROLLBACK');
  expect(answers[1]).toBe('StorageUnavailable');
  const stored = answers.filter((answer) => answer === 'ok').length;
  expect(await teller.vote({ player: 'Dan' })).toBe('ok');
  await teller.untilGrants(...Array(stored + 2).fill('delivered'));
  expect(game.ran.filter((command) => command === 'say Eve')).toHaveLength(1);
  expect((await teller.run('votes', '--json')).json).toHaveLength(stored + 2);
});
