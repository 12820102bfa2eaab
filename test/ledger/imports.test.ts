import { describe, expect, test } from 'vitest';
import { type Cast, dayOf, june, type LedgerOfTest, ledgers, RIGHT, reward } from '../kit/ledgers.ts';

/** When imports are run: noon on 20 June 2026, a Saturday. */
const NOW = june(20);
const DAILY = reward('daily');

const on = (date: number, more: Partial<Cast> & { readonly hour?: number } = {}): Cast => {
  const { hour = 12, ...rest } = more;
  return { at: june(date, hour), ...rest };
};
const started = (...rewards: readonly object[]) => ledgers({ rewards });
const votesOf = async (ledger: LedgerOfTest, name = 'steve') => (await ledger.player(name))?.votes;
const passedOf = async (ledger: LedgerOfTest, name = 'steve') =>
  (await ledger.player(name))?.passed.map(({ reward: of, occasion }) => `${of} ${occasion}`);

describe('an imported vote', () => {
  /** Votes of the time before Teller. @returns what became of them, without what is 0. */
  async function imported(ledger: LedgerOfTest, casts: readonly Cast[], now = NOW) {
    const result = await ledger.bring(casts, now);
    return Object.fromEntries(Object.entries(result).filter(([, count]) => count > 0));
  }

  test('takes its window, is in totals, and is neither paid nor forwarded; another one in it only marks its day', async () => {
    const old = { kind: 'votifier', port: 8_194, token: 'the-token-of-the-old-listener' };
    const ledger = await ledgers({ rewards: [DAILY], gameServers: { main: { kind: 'practice' }, old } });
    expect(await imported(ledger, [on(10), on(10, { hour: 13 })])).toEqual({ counted: 1, uncounted: 1 });
    const [vote] = await ledger.votes();
    expect(vote).toMatchObject({ decision: 'rewarded', channel: 'import', isPaidElsewhere: true });
    expect(vote).toMatchObject({ player: 'Steve', castAt: june(10), receivedAt: NOW });
    expect([await ledger.grantStates(), await votesOf(ledger)]).toEqual([{}, 1]);
  });

  test('is the vote that the listing’s API has with the same time', async () => {
    const ledger = await started(DAILY);
    await imported(ledger, [on(10)]);
    const found = { via: 'api', event: 'e1', claim: june(10), received: NOW } as const;
    expect(await ledger.vote(found)).toEqual(['same 1']);
  });

  test('that was cast after the first vote received here for its service is left out', async () => {
    const ledger = await started();
    await ledger.vote(on(12));
    const votes = [on(11), on(12, { hour: 14, player: 'Alex' }), on(13, { on: 'Other' })];
    expect(await imported(ledger, votes)).toEqual({ counted: 2, receivedHere: 1 });
    expect(await ledger.players('alex')).toEqual([]);
  });

  test('goes before votes that the operator added, which say nothing about what was received', async () => {
    const ledger = await started();
    await ledger.vote(on(5, { via: 'operator' }));
    expect(await imported(ledger, [on(11)])).toEqual({ counted: 1 });
  });

  test('of a service without an entry is not paid when the service gets one', async () => {
    const ledger = await started(DAILY);
    await imported(ledger, [on(19, { on: 'First' }), on(19, { on: 'Second', hour: 13 })]);
    expect((await ledger.votes())[1]).toMatchObject({ decision: 'unlisted' });
    expect(await ledger.keepListed(['Second'], NOW)).toBe(false);
    expect(await ledger.waitingVotes(0)).toEqual(new Map());
  });

  test('passes what it reaches, which the operator can give and later votes count on', async () => {
    const ledger = await started(reward('pair', { if: { votes: { every: 2 } } }));
    expect(await imported(ledger, [on(1), on(2), on(3), on(4)])).toEqual({ counted: 4, passed: 2 });
    expect(await passedOf(ledger)).toEqual(['pair total 2', 'pair total 4']);
    const changes = [{ kind: 'imported', name: 'steve', at: NOW, by: 'votes by ann' }];
    expect(await ledger.player('steve')).toMatchObject({ changes });
    await ledger.vote(on(21), on(22));
    expect((await ledger.judged('pair')).slice(-2)).toEqual(['votes', ['total 6']]);
  });

  test('of days in a row is paid from the next length on', async () => {
    const ledger = await started(reward('streak', { if: { streak: { length: 2, repeat: true } } }));
    expect(await imported(ledger, [on(17), on(18), on(19)])).toEqual({ counted: 3, passed: 1 });
    await ledger.vote(on(20));
    expect((await ledger.judged('streak')).at(-1)).toEqual(['streak 4 reached 2026-06-20']);
  });

  test('of the whole network passes for no player', async () => {
    const ledger = await started(reward('all', { if: { votes: { every: 2, of: 'network' } } }));
    expect(await imported(ledger, [on(1), on(2)])).toEqual({ counted: 2, passed: 1 });
    expect(await ledger.player('steve')).toMatchObject({ passed: [], changes: [] });
    await ledger.vote(on(21), on(22));
    expect((await ledger.judged('all')).slice(-2)).toEqual(['votes', ['network 4']]);
  });
});

type BalanceEntry = Parameters<LedgerOfTest['importBalances']>[0][number];
type BalanceOrder = Parameters<LedgerOfTest['importBalances']>[1];
const balance = (facts: Partial<Omit<BalanceEntry, 'player'>> & { readonly player?: string }) => {
  const { player = 'Steve', ...figures } = facts;
  const unknown = { uuid: null, total: null, month: null, run: null, best: null };
  return { player: player as BalanceEntry['player'], ...unknown, ...figures };
};
const all = (total: number, more: Parameters<typeof balance>[0] = {}) => balance({ total, ...more });
const dates = (from: number, to: number) => ({ from: dayOf(from), to: dayOf(to) });

/** @returns what became of them, without what is 0. */
async function balanced(ledger: LedgerOfTest, entries: BalanceEntry[], more: Partial<BalanceOrder> = {}) {
  const start = { source: 'votingplugin', asOf: NOW, by: 'votingplugin by ann', now: NOW, ...more };
  const order = { rules: ledger.rules(), ...start };
  const { differences, ...counts } = await ledger.importBalances(entries, order);
  const found = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return differences.length === 0 ? found : { ...found, differences };
}

test('an imported total is in the total of its player, and in no count of one site or of the network; the next votes count on', async () => {
  const at = (number: number, of: string) => reward(of, { if: { votes: { at: [number], of } } });
  const ledger = await started(at(102, 'total'), at(1, 'site'), at(1, 'network'));
  expect(await balanced(ledger, [all(100)])).toEqual({ stored: 1 });
  await ledger.vote(on(20), on(21));
  expect([await votesOf(ledger), await ledger.judged('total')]).toEqual([102, ['votes', ['total 102']]]);
  expect(await ledger.judged('site')).toEqual([['site List total 1'], 'votes']);
  expect(await ledger.judged('network')).toEqual([['network 1'], 'votes']);
  expect((await ledger.player('steve'))?.balances).toMatchObject([
    { name: 'steve', source: 'votingplugin', asOf: NOW, what: 'total', stated: 100, counted: 100 },
  ]);
});

test('an imported total leaves out the votes that the ledger has counted by then, and not those since', async () => {
  const ledger = await started();
  await ledger.vote(on(18), on(19), on(20, { hour: 13 }));
  await balanced(ledger, [all(100)]);
  expect(await votesOf(ledger)).toBe(101);
  await ledger.vote(on(18, { player: 'Ben' }), on(19, { player: 'Ben' }));
  await balanced(ledger, [all(1, { player: 'Ben' })]);
  expect(await votesOf(ledger, 'ben')).toBe(2);
});

test('an imported total contains the votes that an import brings later', async () => {
  const ledger = await started(reward('101', { if: { votes: { at: [101] } } }));
  await balanced(ledger, [all(100)]);
  expect(await ledger.bring([on(10)], NOW)).toMatchObject({ counted: 1, passed: 0 });
  expect(await votesOf(ledger)).toBe(100);
  await ledger.vote(on(20));
  expect((await ledger.judged('101')).at(-1)).toEqual(['total 101']);
  expect(await ledger.wrong()).toEqual(RIGHT);
});

test('an imported total that is imported again adds nothing, and shows what differs', async () => {
  const ledger = await started();
  const again = (total: number) => balanced(ledger, [all(total, { best: 9 })]);
  const first = await balanced(ledger, [all(100, { best: 9 }), all(7)]);
  expect(first).toMatchObject({ stored: 1, differences: [{ was: 100, is: 7 }] });
  expect(await again(100)).toEqual({ same: 1 });
  const differences = [{ player: 'Steve', what: 'total', was: 100, is: 120 }];
  expect(await again(120)).toMatchObject({ differences });
  expect(await votesOf(ledger)).toBe(100);
  await balanced(ledger, [all(10)], { source: 'table' });
  expect(await votesOf(ledger)).toBe(110);
});

test('an imported total is found by a recount, and moves with a name that is joined, split or forgotten', async () => {
  const ledger = await started();
  await balanced(ledger, [all(100, { run: dates(1, 9) }), all(10, { player: 'Alex', run: dates(1, 3) })]);
  await ledger.vote(on(20));
  await ledger.recount({ recipients: [1], network: true, parties: [] });
  expect([await votesOf(ledger), await ledger.wrong()]).toEqual([101, RIGHT]);
  await ledger.merge('Alex', 'Steve');
  const steves = [{ name: 'steve' }, { name: 'steve', what: 'run' }];
  const alexs = [{ name: 'alex', stated: 10 }, { what: 'run' }];
  expect(await ledger.player('steve')).toMatchObject({ votes: 111, balances: [...steves, ...alexs] });
  await ledger.split('Alex');
  expect([await votesOf(ledger), await votesOf(ledger, 'alex')]).toEqual([101, 10]);
  expect(await ledger.wrong()).toEqual(RIGHT);
  const name = await ledger.forget('Alex');
  expect(await ledger.player('alex')).toBeUndefined();
  expect(await ledger.player(name)).toMatchObject({ votes: 10, balances: [{ name, stated: 10 }, {}] });
  expect(await ledger.wrong()).toEqual(RIGHT);
});

describe('an imported count of a period', () => {
  const monthly = reward('monthly', { if: { votes: { at: [10, 12], of: 'month' } } });

  test('that is in progress counts on, and what it has reached is not paid', async () => {
    const ledger = await started(monthly);
    expect(await balanced(ledger, [all(30, { month: 11 })])).toEqual({ stored: 1 });
    await ledger.vote(on(21));
    expect(await ledger.judged('monthly')).toEqual([['month 2026-06 total 12']]);
    expect(await passedOf(ledger)).toEqual([]);
  });

  test('that is over is left out', async () => {
    const ledger = await started(monthly);
    await balanced(ledger, [all(30, { month: 11 })], { asOf: june(0) });
    await ledger.vote(on(21));
    expect(await ledger.judged('monthly')).toEqual(['votes']);
  });

  test('is in the standings of a top, under the spelling of the latest vote', async () => {
    const ledger = await started();
    const alex = balance({ player: 'Alex', month: 3 });
    await balanced(ledger, [balance({ month: 5 }), alex]);
    await ledger.vote(on(20, { hour: 13 }));
    const page = { filter: {}, zone: 'UTC', exclude: ['Alex'], after: null, days: dates(1, 30) };
    const standings = [{ player: 'Steve', votes: 6, reachedAt: june(20, 13) }];
    expect(await ledger.standings(page)).toMatchObject({ standings });
  });
});

describe('imported days in a row', () => {
  const run = dates(12, 19);

  test('go on with the next vote, and what they have reached is not paid', async () => {
    const ledger = await started(reward('streak', { if: { streak: { length: 5, repeat: true } } }));
    expect(await balanced(ledger, [balance({ run })])).toEqual({ stored: 1 });
    await ledger.vote(on(20), on(21));
    expect(await ledger.judged('streak')).toEqual(['streak', ['streak 10 reached 2026-06-21']]);
    expect(await passedOf(ledger)).toEqual([]);
  });

  test('are voted in for streaks of weeks too, and do not say how many votes a week had', async () => {
    const weekly = reward('weekly', { if: { streak: { length: 3, per: 'week', repeat: true } } });
    const busy = reward('busy', { if: { streak: { length: 2, per: 'week', votes: 2 } } });
    const ledger = await started(weekly, busy);
    await balanced(ledger, [balance({ run: dates(1, 19) })]);
    await ledger.vote(on(20), on(21), on(22), on(29), on(36));
    const streaks = ['streak', 'streak', 'streak', 'streak'];
    expect(await ledger.judged('weekly')).toEqual([...streaks, ['streak 6 reached 2026-W28']]);
    expect(await ledger.judged('busy')).toEqual([...streaks, 'streak']);
  });

  test('join the days of votes, and the best run counts for {bestStreak} alone', async () => {
    const ledger = await started(reward('best', { commands: ['best {bestStreak} {streak}'] }));
    await ledger.vote(on(20));
    await balanced(ledger, [balance({ run, best: 30 })]);
    await ledger.vote(on(21));
    expect((await ledger.grants())[1]?.commands).toMatchObject([{ command: 'best 30 10' }]);
    expect(await ledger.wrong()).toEqual(RIGHT);
  });
});

describe('what imported figures had reached', () => {
  const each = (every: number) => reward('each', { if: { votes: { every } } });

  test('is not paid because votes were voided and cast again', async () => {
    const ledger = await started(each(25));
    await ledger.vote(on(18));
    await balanced(ledger, [all(5_000)]);
    await ledger.void(1);
    await ledger.vote(on(20));
    expect([await votesOf(ledger), (await ledger.judged('each')).at(-1)]).toEqual([5_000, 'occasion-spent']);
    expect(await ledger.owed()).toEqual([]);
  });

  test('is not paid when names are joined, whose figures are one from then on, nor when they are split', async () => {
    const ledger = await started(each(25));
    await balanced(ledger, [all(20), all(20, { player: 'Alex', run: dates(1, 9) })]);
    await ledger.merge('Alex', 'Steve', june(20));
    await ledger.vote(on(21));
    await ledger.split('Alex');
    await ledger.vote(on(22), on(22, { player: 'Alex' }));
    expect(await ledger.owed()).toEqual([]);
    expect([await votesOf(ledger), await votesOf(ledger, 'alex')]).toEqual([22, 21]);
    expect(await ledger.wrong()).toEqual(RIGHT);
  });
});
