/** The file of a ledger: the mark that notices what is missing, the lock of the process that delivers, and damage. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { apart } from '../kit/apart.ts';
import { check } from '../kit/check.ts';
import {
  acquireLock,
  isLockHeld,
  ledgerFileOf,
  lockFileOf,
  markOf,
  opened,
  setMark,
} from '../kit/ledger-file.ts';
import { ledgers, NOON, reward } from '../kit/ledgers.ts';
import { desk, furnish } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startScript } from '../support/processes.ts';

const THANKS = { rewards: [reward('thanks')] };
const newFile = (): string => join(temporaryFolder(), 'teller.db');
const claimOf = (grantId: number) => ({ grantId, position: 0, player: null, uuid: null, now: 0 });
/** `opened`, or the code of why not. */
const opening = (file: string, mode?: 'create' | 'write' | 'read'): Promise<string> =>
  opened(file, mode).then(
    () => 'opened',
    ({ code }) => code,
  );

/** A closed ledger with a grant for each of so many players, of which some commands were claimed. */
async function closedAfter(claims: number, grants = claims, file = newFile()): Promise<string> {
  const ledger = await ledgers(THANKS, file);
  await ledger.vote(...Array.from({ length: grants }, (_, n) => ({ player: `P${n}` })));
  await ledger.close();
  const delivering = await opened(file);
  for (let id = 1; id <= claims; id++) await delivering.claim(claimOf(id));
  await delivering.close();
  return file;
}

/** A ledger in which a deliverer claimed five commands before it was killed. */
async function killedAfterFive(times: 'once' | 'twice'): Promise<string> {
  const file = newFile();
  const claimer = join(import.meta.dirname, '../support/claim-commands.ts');
  await (await startScript(claimer, [file, '5', times], temporaryFolder())).kill();
  return file;
}

test.each(['once', 'twice'] as const)(
  'a ledger whose delivering process was killed is refused if its -wal was deleted (%s opened)',
  async (times) => {
    const file = await killedAfterFive(times);
    rmSync(`${file}-wal`);
    expect([await opening(file), await opening(file)]).toEqual(['ledger-behind', 'ledger-behind']);
  },
);

test('a ledger whose delivering process was killed opens with all of its files, even if it was refused in between', async () => {
  const file = await killedAfterFive('twice');
  copyFileSync(`${file}-wal`, `${file}-wal.kept`);
  expect(markOf(file)).toBe(5);
  rmSync(`${file}-wal`);
  rmSync(`${file}-shm`, { force: true });
  expect([await opening(file), await opening(file, 'write')]).toEqual(['ledger-behind', 'ledger-behind']);
  copyFileSync(`${file}-wal.kept`, `${file}-wal`);
  expect(await (await opened(file)).settleInterrupted(0)).toBe(5);
});

test('an old copy in place of the ledger is refused for writing, which names the file to put back, and can be read', async () => {
  const file = await closedAfter(2);
  setMark(file, 3);
  expect([await opening(file), await opening(file, 'write')]).toEqual(['ledger-behind', 'ledger-behind']);
  await expect(opened(file)).rejects.toThrow(`${file}-wal`);
  const ledger = await opened(file, 'read');
  expect(await ledger.missing()).toEqual({ claims: 2, marked: 3 });
  expect(await ledger.grantStates()).toEqual({ pending: 2 });
});

test('the mark counts each command that is claimed, also with the outcome of another, and nothing else', async () => {
  const file = await closedAfter(0, 3);
  const ledger = await opened(file);
  expect(existsSync(`${file}.mark`)).toBe(false);
  expect([await ledger.claim(claimOf(1)), markOf(file)]).toEqual([1, 1]);
  expect([await ledger.claim(claimOf(1)), markOf(file)]).toEqual([null, 1]);
  const outcome = { kind: 'delivered', reply: '' } as const;
  const ended = { state: 'delivered', reason: null, dueAt: 0, endedAt: 0 } as const;
  const settled = { grantId: 1, claim: 1, outcome, ...ended };
  expect([await ledger.settle(settled, claimOf(2)), markOf(file)]).toEqual([2, 2]);
  await ledger.claim(claimOf(3));
  expect(markOf(file)).toBe(3);
});

test('the mark never counts more claims than were committed, and at most one fewer, wherever a write of it was torn', async () => {
  const file = await closedAfter(7);
  const whole = readFileSync(`${file}.mark`);
  for (let bytes = 0; bytes <= whole.length; bytes++) {
    writeFileSync(`${file}.mark`, whole);
    truncateSync(`${file}.mark`, bytes);
    expect(markOf(file) ?? 0).toBeLessThanOrEqual(7);
    const half = Buffer.from(whole);
    half.fill('9', whole.length / 2, bytes > whole.length / 2 ? bytes : whole.length / 2);
    writeFileSync(`${file}.mark`, half);
    expect([6, 7]).toContain(markOf(file));
  }
});

test('the mark does not prevent a start or a claim if it cannot be read', async () => {
  const file = await closedAfter(2, 3);
  writeFileSync(`${file}.mark`, 'no mark');
  const ledger = await opened(file);
  expect([await ledger.claim(claimOf(3)), markOf(file)]).toEqual([3, 3]);
});

test('the mark does not prevent a new ledger after the old one was removed on purpose', async () => {
  const file = await closedAfter(5);
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  await closedAfter(1, 1, file);
  expect([await opening(file), markOf(file)]).toEqual(['opened', 1]);
});

const newLock = (): string => `${newFile()}.lock`;
const HOLDER = join(import.meta.dirname, '../support/lock-holder.ts');
const holderOf = (file: string) => startScript<{ taken: boolean }>(HOLDER, [file], temporaryFolder());

test('the lock of the process that delivers is held once until it is released, by two ledgers of one folder each, and asking for it does not acquire it', () => {
  const [file, other] = [newLock(), newLock()];
  expect([isLockHeld(file), existsSync(file)]).toEqual([false, false]);
  const first = acquireLock(file);
  expect([acquireLock(file), isLockHeld(file), acquireLock(other) === null]).toEqual([null, true, false]);
  first?.release();
  expect(isLockHeld(file)).toBe(false);
  const second = acquireLock(file);
  expect(second).not.toBeNull();
  second?.release();
});

test('the lock of the process that delivers is held across processes, and the kernel frees it if its holder is killed', async () => {
  const file = newLock();
  const holder = await holderOf(file);
  expect([holder.ready.taken, acquireLock(file)]).toEqual([true, null]);
  expect((await holderOf(file)).ready.taken).toBe(false);
  await holder.kill();
  const lock = acquireLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test('the lock of the process that delivers is held although nothing refers to it any more', () => {
  const file = newLock();
  expect(acquireLock(file)).not.toBeNull();
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(isLockHeld(file)).toBe(true);
});

test('the lock of the process that delivers is one under all names of a ledger, beside it, also before it exists', () => {
  const folder = temporaryFolder({ 'real/teller.db': '' });
  symlinkSync(join(folder, 'real/teller.db'), join(folder, 'linked.db'));
  symlinkSync(join(folder, 'real'), join(folder, 'linked-folder'));
  for (const name of ['real/teller.db', 'linked.db', 'linked-folder/teller.db'])
    expect(lockFileOf(join(folder, name))).toBe(join(folder, 'real/teller.db.lock'));
  expect(lockFileOf(join(folder, 'new.db'))).toBe(join(folder, 'new.db.lock'));
});

test('the lock of the process that delivers is data-unwritable with a folder or a text in its place', () => {
  const [folder, text] = [newLock(), newLock()];
  mkdirSync(folder);
  writeFileSync(text, 'the process id is 4711, or so it was once\n'.repeat(30));
  const unwritable = expect.objectContaining({ code: 'data-unwritable' });
  for (const file of [folder, text]) {
    expect(() => acquireLock(file)).toThrow(unwritable);
    expect(() => isLockHeld(file)).toThrow(unwritable);
  }
});

/** Overwrites the root page of a table or index, as a failing disk would. */
function damage(file: string, name: string): void {
  const database = new Sqlite(file);
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name);
  if (page === undefined) throw new Error(`the ledger has no ${name}`);
  const size = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (Number(page) - 1) * size);
  closeSync(descriptor);
}

/** Changes the list of tables and indexes of a closed ledger. */
function changeSchema<Result>(file: string, change: (database: Sqlite.Database) => Result): Result {
  const database = new Sqlite(file);
  database.unsafeMode();
  database.pragma('writable_schema = ON');
  try {
    return change(database);
  } finally {
    database.close();
  }
}

test('a damaged ledger fails each read of delivery with ledger-corrupt', async () => {
  const file = await closedAfter(0, 2);
  for (const name of ['grants', 'grants_pending', 'grants_waiting', 'names']) damage(file, name);
  const [ledger, main] = [await opened(file, 'read'), { server: 'main', practice: false }];
  for (const read of [
    () => ledger.pending(main, NOON, 10),
    () => ledger.waiting(main, ['p1'], NOON, 10),
    () => ledger.waitingFor(main, 10, 0),
    () => ledger.nextDueAt(main, NOON),
  ])
    await expect(read(), String(read)).rejects.toMatchObject({ code: 'ledger-corrupt' });
});

test('a damaged ledger is logged by `run` with its code and without a stack trace, and `run` continues', async () => {
  const main = { kind: 'rcon', host: '127.0.0.1', port: 1, password: 'abcdefgh-secret-1' };
  const place = furnish(temporaryFolder(), { gameServers: { main } });
  mkdirSync(join(place.folder, 'data'), { recursive: true });
  damage(await closedAfter(0, 1, ledgerFileOf(place)), 'grants_pending');
  const running = await apart(place);
  await expect.poll(() => running.log()).toContain('"code":"ledger-corrupt"');
  expect(running.log()).not.toMatch(/\n\s+at /);
  expect(await running.stop()).toBe(0);
});

test('a damaged ledger fails to open with ledger-failed if its tables do not match its header', async () => {
  const ledger = await ledgers();
  ledger.sql('DROP TABLE tops');
  await expect(opened(ledger.file, 'read')).rejects.toThrow(
    expect.objectContaining({ code: 'ledger-failed', message: expect.stringContaining('tops') }),
  );
});

test('a damaged ledger is found by a deep check if an index lacks a vote, as after a lost write', async () => {
  const one = desk();
  const file = ledgerFileOf(one);
  const row = changeSchema(file, (database) =>
    database.prepare("DELETE FROM sqlite_schema WHERE name = 'votes_by_player' RETURNING *").get(),
  );
  await closedAfter(0, 1, file);
  const insert = 'INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)';
  changeSchema(file, (database) => database.prepare(insert).run(row));
  const { of } = await check(one, '--deep', '--offline');
  expect(of('ledger-corrupt')).toMatchObject([{ sentence: expect.stringContaining('votes_by_player') }]);
});

test('a start with the same config writes nothing, so it works on a full disk; another config is written', async () => {
  const ledger = await ledgers();
  const toldOf = (...kinds: readonly ('vote.rewarded' | 'vote.cooldown' | 'grant.held')[]) =>
    ledger.useConfig({ today: 0, told: { receivers: [{ receiver: 'chat', kinds }], at: NOON } });
  const written = (): number => statSync(`${ledger.file}-wal`).size;
  await toldOf('vote.rewarded', 'grant.held');
  const before = written();
  await toldOf('vote.rewarded', 'grant.held');
  expect(written()).toBe(before);
  await toldOf('vote.rewarded', 'vote.cooldown');
  expect(written()).toBeGreaterThan(before);
  const wanted = ['vote.rewarded', 'vote.cooldown', 'grant.held'] as const;
  expect(await Promise.all(wanted.map((kind) => ledger.isEventWanted(kind)))).toEqual([true, true, false]);
});
