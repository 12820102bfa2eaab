/** What several processes do to one ledger at the same time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, ledgers, NOON, reward } from '../kit/ledgers.ts';
import { openToOthersIn, temporaryFolder } from '../support/folder.ts';
import { compiled, startScript } from '../support/processes.ts';

const OPENER = join(import.meta.dirname, '../support/open-ledgers.ts');
const RECORDER = join(import.meta.dirname, '../support/recorder.ts');

test('if several processes start at once without a ledger, one creates it and all open it', async () => {
  const files = Array.from({ length: 5 }, () => join(temporaryFolder(), 'teller.db'));
  /** When the first is opened: all processes have started by then. */
  const at = String(Date.now() + 1_000);
  const open = () => startScript<{ outcomes: string[] }>(OPENER, [...files, at], temporaryFolder());
  const all = await Promise.all(Array.from({ length: 5 }, open));
  for (const { ready } of all) expect(ready.outcomes).toEqual(files.map(() => 'opened'));
  if (process.platform !== 'win32')
    for (const file of files) expect(openToOthersIn(join(file, '..'))).toEqual([]);
});

test('a vote that is not recorded is judged by one state of the ledger, although another process writes meanwhile', async () => {
  const fifth = reward('fifth', { if: { votes: { at: [5], of: 'network' } } });
  const ledger = await ledgers({ rewards: [fifth] });
  await ledger.vote({});
  const other = await ledger.another();
  const next = ledger.arrival({ at: NOON + 2 * DAY });
  let asked = 0;
  const written = {
    ...next,
    /** The windows are read between the first and the second look at the rules, and the counts after it. */
    get rules() {
      asked += 1;
      if (asked === 2) other.sql("UPDATE service_days SET counted = 4 WHERE service = ''");
      return next.rules;
    },
  };
  expect([await ledger.foreseen(written), asked > 1]).toEqual([[], true]);
  expect(await ledger.foreseen(next)).toEqual(['fifth']);
});

interface Recorder {
  readonly child: ChildProcess;
  readonly nextLine: () => Promise<Record<string, unknown>>;
}

function startRecorder(file: string, self: number, batch: number, players: 'one' | 'many'): Recorder {
  const args = [compiled(RECORDER), ...[file, self, batch, players].map(String)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => JSON.parse((await lines.next()).value ?? '{"ended":true}') };
}

/** How many times both processes start together; each records votes in every round. */
const ROUNDS = 20;

/** The outcomes of votes that two processes record at the same time. */
async function recordTogether(file: string, votes: number, batch: number, players: 'one' | 'many') {
  const recorders = [0, 1].map((self) => startRecorder(file, self, batch, players));
  const heard = (): Promise<Record<string, unknown>[]> =>
    Promise.all(recorders.map(({ nextLine }) => nextLine()));
  expect(await heard()).toEqual([{ msg: 'ready' }, { msg: 'ready' }]);
  let sums: Record<string, unknown>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { child } of recorders) child.stdin?.write(`${votes / 2 / ROUNDS}\n`);
    sums = await heard();
  }
  for (const { child } of recorders) child.stdin?.end();
  await Promise.all(recorders.map(({ child }) => child.exitCode ?? once(child, 'exit')));
  return (outcome: string) => sums.reduce((total, one) => total + Number(one[outcome]), 0);
}

// Each transaction is an fsync, so there are fewer votes with one vote per transaction.
test.each([
  [1, 1_000],
  [50, 10_000],
])(
  'two processes, %i vote(s) a transaction, record %i of one player and pay once',
  async (batch, votes) => {
    const ledger = await ledgers();
    const sum = await recordTogether(ledger.file, votes, batch, 'one');
    expect([sum('rewarded'), sum('unlisted'), sum('same')]).toEqual([1, votes - 1, 0]);
    expect(await ledger.grantStates()).toEqual({ pending: 1 });
    const counted = (await ledger.tallies(0)).flatMap(({ decisions }) => Object.values(decisions));
    expect(counted.reduce((total, one) => total + one, 0)).toBe(votes);
    expect(await ledger.votes({ decision: 'rewarded' })).toHaveLength(1);
    const order = (await ledger.votes()).map(({ service }) => service.split('-')[0]);
    expect(
      order.filter((service, index) => index > 0 && service !== order[index - 1]).length,
    ).toBeGreaterThan(ROUNDS / 2);
  },
  60_000,
);

test('two processes that record votes of many players fill a limit of all players once, and pay each total of all once', async () => {
  const ledger = await ledgers();
  const sum = await recordTogether(ledger.file, 800, 5, 'many');
  expect(sum('rewarded')).toBe(800);
  expect(await ledger.grants({ reward: 'three' })).toHaveLength(3);
  const totals = (await ledger.grants({ reward: 'tenths' })).map(({ occasion }) => occasion);
  expect(totals).toEqual(Array.from({ length: 80 }, (_, at) => `network ${10 * (at + 1)}`));
}, 60_000);
