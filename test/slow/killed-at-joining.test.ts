import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compiled, runDying } from '../support/processes.ts';

const JOINER = join(import.meta.dirname, '../support/dying-joiner.ts');

type When = 'while' | 'after' | 'never';

interface Told {
  readonly returned: readonly unknown[];
  readonly writes: number;
}

/** @returns what the process printed; null if it was killed. */
function tell(folder: string, calls: string, when: When = 'never', at = 0): Told | null {
  const printed = runDying(JOINER, [folder, calls, when, at]);
  return printed === null ? null : JSON.parse(printed);
}

const countsOf = (all: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(all)].toSorted().map((one) => [one, all.filter((each) => each === one).length]),
  );

/** Who has which votes and grants, and what the game server received, by the name that it was paid to. */
async function resultIn(folder: string) {
  const ledger = lookInto(join(folder, 'teller.db'));
  const players = new Map(
    [...(await ledger.players('Alex')), ...(await ledger.players('Sasha'))].map((player) => [
      JSON.stringify(player),
      player,
    ]),
  );
  const grants = await ledger.grants({ limit: 99 });
  const file = join(folder, 'received');
  const received = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return {
    players: [...players.values()].map(({ names, paidAs, votes, passed, changes }) => ({
      names: names.map(({ name, givenUpAt }) => (givenUpAt === null ? name : `${name}, given up`)),
      ...{ paidAs, votes },
      passed: passed.map(({ reward, occasion }) => `${reward} ${occasion}`),
      changes: changes.map(({ kind, name, by }) => `${kind} ${name} ${by}`),
    })),
    votes: countsOf(
      (await ledger.votes({ limit: 99 })).map(({ player, recipient }) => `${player} of ${recipient}`),
    ),
    grants: countsOf(grants.map(({ recipient, reward, state }) => `${reward} of ${recipient} ${state}`)),
    received: countsOf(received.map((line) => line.split(' ')[1] ?? '')),
    twice: received.length - new Set(received.map((line) => line.split(' ')[0])).size,
    wrong: await wrongCountsOf(ledger),
  };
}

const WHOLE = { twice: 0, wrong: { recipients: [], network: false, parties: [] } };

/** Alex has 20 votes, five of them paid; Sasha has 8, or a name that never voted. */
const STORIES = [
  {
    name: 'a sighting that joins Sasha to Alex',
    ...{ begin: 'both', before: [], calls: 'joined', commits: 2, writes: 34 },
    result: {
      players: [
        {
          ...{ names: ['alex', 'sasha'], paidAs: 'Sasha', votes: 28 },
          ...{ passed: ['milestone total 25'], changes: ['joined sasha main'] },
        },
      ],
      votes: { 'Alex of alex': 20, 'Sasha of alex': 8 },
      grants: { 'thanks of alex delivered': 28 },
      // What waited is paid under the name that it waited for, which is theirs still.
      received: { Alex: 6, Sasha: 22 },
    },
  },
  {
    name: 'a stranger who is seen as Alex and votes',
    ...{ begin: 'alone', before: ['seen'], calls: 'taken', commits: 2, writes: 33 },
    result: {
      players: [
        { names: ['alex'], paidAs: 'alex', votes: 1, passed: [], changes: [] },
        {
          ...{ names: ['alex, given up'], paidAs: null, votes: 20 },
          ...{ passed: [], changes: ['name-taken alex main'] },
        },
      ],
      votes: { 'Alex of alex': 21 },
      grants: { 'thanks of alex delivered': 6, 'thanks of alex held': 15 },
      received: { Alex: 6 },
    },
  },
  {
    name: 'Alex, seen as Sasha after a stranger has taken the name',
    ...{ begin: 'alone', before: ['seen,taken,paid'], calls: 'renamed', commits: 1, writes: 19 },
    result: {
      players: [
        { names: ['alex'], paidAs: 'alex', votes: 1, passed: [], changes: [] },
        {
          ...{ names: ['alex, given up', 'sasha'], paidAs: 'Sasha', votes: 20 },
          ...{ passed: [], changes: ['name-taken alex main', 'joined sasha main'] },
        },
      ],
      votes: { 'Alex of alex': 21 },
      grants: { 'thanks of alex delivered': 21 },
      received: { Alex: 6, Sasha: 15 },
    },
  },
  {
    name: 'an operator who merges Sasha into Alex',
    ...{ begin: 'both', before: [], calls: 'merged', commits: 2, writes: 32 },
    result: {
      players: [
        {
          ...{ names: ['alex', 'sasha'], paidAs: 'alex', votes: 28 },
          ...{ passed: ['milestone total 25'], changes: ['merged sasha ann'] },
        },
      ],
      votes: { 'Alex of alex': 20, 'Sasha of alex': 8 },
      grants: { 'thanks of alex delivered': 28 },
      received: { Alex: 28 },
    },
  },
  {
    name: 'an operator who splits them again',
    ...{ begin: 'both', before: ['merged'], calls: 'split', commits: 1, writes: 32 },
    result: {
      players: [
        {
          ...{ names: ['alex'], paidAs: 'alex', votes: 20 },
          ...{ passed: [], changes: ['merged sasha ann', 'split sasha ann'] },
        },
        {
          ...{ names: ['sasha'], paidAs: 'sasha', votes: 8 },
          ...{ passed: [], changes: ['merged sasha ann', 'split sasha ann'] },
        },
      ],
      votes: { 'Alex of alex': 20, 'Sasha of sasha': 8 },
      grants: { 'thanks of alex delivered': 20, 'thanks of sasha delivered': 8 },
      received: { Alex: 20, Sasha: 8 },
    },
  },
];

/** Each takes a second, and what is written between two commits is stored or lost as a whole. */
const EVERY = 4;

describe.each(STORIES)('$name, with kill -9', ({ begin, before, calls, commits, writes, result }) => {
  const ended = { ...result, ...WHOLE };
  const begun = mkdtempSync(join(tmpdir(), 'teller-joining-'));
  afterAll(() => rmSync(begun, { recursive: true }));
  beforeAll(() => {
    for (const earlier of [begin, ...before]) tell(begun, earlier);
  });
  /** The ledger as it was before the calls. */
  const copy = (): string => {
    const folder = temporaryFolder();
    cpSync(begun, folder, { recursive: true });
    return folder;
  };

  test('ends so if nothing is killed, and making the calls again changes nothing', async () => {
    const folder = copy();
    expect(tell(folder, calls)).toMatchObject({ writes });
    expect(tell(folder, calls)?.returned).toHaveLength(commits);
    tell(folder, 'paid');
    expect(await resultIn(folder)).toEqual(ended);
    tell(folder, `${calls},paid`);
    expect(await resultIn(folder)).toEqual(ended);
  });

  const cases = [
    ...Array.from(
      { length: Math.ceil(writes / EVERY) },
      (_, index) => ['while', 'write', 1 + index * EVERY] as const,
    ),
    ...Array.from({ length: commits }, (_, index) => ['after', 'commit', index + 1] as const),
  ];

  test.each(cases)('ends so if it came %s %s %i, and the calls are made again', async (when, _, at) => {
    const folder = copy();
    expect(tell(folder, calls, when, at)).toBeNull();
    tell(folder, `${calls},paid`);
    expect(await resultIn(folder)).toEqual(ended);
  });
});

/** Starts a process that makes the calls. It says when it is about to make the first one, and then what they returned. */
function startTelling(folder: string, calls: string) {
  const child = spawn(process.execPath, [compiled(JOINER), folder, calls, 'told'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => JSON.parse((await lines.next()).value ?? '{"msg":"ended"}');
}

test('two processes that store the same sighting at the same time join the names once', async () => {
  const folder = temporaryFolder();
  tell(folder, 'seen');
  const database = new Sqlite(join(folder, 'teller.db'));
  onTestFinished(() => void database.close());
  database.exec('BEGIN IMMEDIATE');
  const processes = [startTelling(folder, 'renamed'), startTelling(folder, 'renamed')];
  const heard = () => Promise.all(processes.map((next) => next()));
  expect(await heard()).toEqual([{ msg: 'ready' }, { msg: 'ready' }]);
  database.exec('COMMIT');
  const told = (await heard()) as Told[];
  expect(told.map(({ returned }) => returned).toSorted()).toEqual([[false], [true]]);
  tell(folder, 'paid');
  expect(await resultIn(folder)).toEqual({ ...STORIES[0]?.result, ...WHOLE });
});
