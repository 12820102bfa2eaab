import { expect, test } from 'vitest';
import { DAY, gameServers, type LedgerOfTest, ledgers, MINUTE, NOON, RIGHT, reward } from '../kit/ledgers.ts';

/** A party at every third vote that pays the voters. */
const PARTY = { every: 3, when: 'always', commands: ['give {player} cake 1'] };
const party = (more: object = {}, name = 'all') => ({ name, ...PARTY, ...more });
const EACH_VOTE = { sites: { default: { cooldown: '1s' } } };
const withParty = (...parties: readonly object[]) => ({ ...EACH_VOTE, party: parties });

/** One vote of each of these players, a minute after each other. */
const votesOf = (players: string, at = NOON) =>
  players.split(' ').map((player, n) => ({ player, at: at + n * MINUTE }));
async function voted(players: string, ...parties: readonly object[]): Promise<LedgerOfTest> {
  const ledger = await ledgers(withParty(...parties));
  await ledger.vote(...votesOf(players));
  return ledger;
}
const paid = async (ledger: LedgerOfTest) => (await ledger.owed()).map((one) => one.replace(': pending', ''));
const progress = async (ledger: LedgerOfTest) =>
  (await ledger.partyProgress()).map((one) => `${one.party}: ${one.counted} for ${one.number}`);

test('a party pays each voter once whenever enough votes have counted, and says with each vote how many are left', async () => {
  const ledger = await voted('Alex Steve alex Sasha', party());
  expect(await paid(ledger)).toEqual([]);
  await ledger.fix();
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['alex all party 1', 'Steve all party 1']);
  const left = (count: number, number: number) => `counted, ${count} left until party ${number}`;
  expect(await ledger.why()).toEqual([left(2, 1), left(1, 1), 'reached party 1', left(2, 2)]);
  expect(await ledger.grants({ limit: 1 })).toMatchObject([{ cause: 'party', voteId: null }]);
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['all: 1 for 2'], RIGHT]);
});

test('a party that was reached several times before it could be paid pays for each', async () => {
  const ledger = await voted('Alex Steve Sasha Alex Alex Robin', party());
  await ledger.fix();
  const found = (await paid(ledger)).map((one) => one.replace(' all party', '')).join(', ');
  expect(found).toBe('Alex 1, Steve 1, Sasha 1, Alex 2, Robin 2');
});

test('a party pays only voters with enough votes since the last one', async () => {
  const ledger = await voted('Alex Steve Alex Steve Sasha Sasha', party({ userVotes: 2 }));
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex all party 1', 'Sasha all party 2']);
});

test('a party stays reached if votes of it are voided before its voters are paid, and pays only those with enough other votes', async () => {
  const ledger = await voted('Alex Steve Alex', party());
  await ledger.void(2, 3);
  await ledger.fix();
  expect([await paid(ledger), await progress(ledger)]).toEqual([['Alex all party 1'], ['all: 0 for 2']]);
});

test('a party that is paid once runs its commands once on each game server', async () => {
  const commands = ['say {occasion}: {partyVotes}, next in {partyLeft}'];
  const once = party({ for: 'once', servers: ['sky', 'mine'], commands });
  const ledger = await ledgers({ ...withParty(once), gameServers: gameServers('sky', 'mine') });
  await ledger.vote(...votesOf('Alex Steve Sasha'));
  await ledger.fix();
  const ran = (await ledger.grants()).map(({ server, commands: [one] }) => `${server}: ${one?.command}`);
  expect(ran.toSorted()).toEqual(['mine: say party 1: 3, next in 3', 'sky: say party 1: 3, next in 3']);
});

test('a party leaves out votes that its conditions do not let through, and says why', async () => {
  const ledger = await voted('Alex Steve', party({ if: { weekday: ['tue'] }, every: 2 }));
  await ledger.vote(...votesOf('Alex Robin', NOON + DAY));
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex all party 1', 'Robin all party 1']);
  const left = 'counted, 1 left until party 1';
  expect(await ledger.why()).toEqual(['is Mon', 'is Mon', left, 'reached party 1']);
});

test('a party counts votes within the cooldown only on sites that count all', async () => {
  const ledger = await ledgers({ sites: { A: {}, B: { counts: 'all' } }, party: [party({ every: 9 })] });
  await ledger.vote({ on: 'A' }, { on: 'A', at: NOON + 1 }, { on: 'B' }, { on: 'B', at: NOON + 1 });
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['all: 3 for 1'], RIGHT]);
});

test('a party does not count a late vote of a period that is over, also before the first vote of the next one', async () => {
  const ledger = await ledgers(withParty(party({ reset: 'day', every: 1 })));
  await ledger.vote({ player: 'Late', at: NOON, received: NOON + DAY });
  expect(await ledger.reachedParties()).toEqual([]);
  await ledger.vote({ player: 'Alex', at: NOON + DAY + 1 });
  expect(await ledger.reachedParties()).toMatchObject([{ party: 'all', number: 1 }]);
  expect((await ledger.why())[0]).toBe('not counted: its period was over when it arrived');
});

test('a party keeps its count when the config gives it another `reset`', async () => {
  const ledger = await voted('Alex Steve', party());
  await ledger.use(withParty(party({ reset: 'day' })));
  await ledger.vote({ player: 'Sasha' });
  expect(await ledger.reachedParties()).toMatchObject([{ party: 'all', number: 1 }]);
});

test('a party is reached by the next vote if the config asks for fewer votes than have counted', async () => {
  const ledger = await voted('Alex Steve Sasha Robin', party({ every: 50 }));
  expect(await ledger.reachedParties()).toEqual([]);
  await ledger.use(withParty(party()));
  await ledger.vote({ player: 'Zoe' });
  await ledger.fix();
  expect(await paid(ledger)).toHaveLength(5);
});

test('a party has a count that a deep check compares with the votes and corrects', async () => {
  const ledger = await voted('Alex Steve Sasha Robin Alex', party());
  ledger.sql('UPDATE parties SET counted = 0');
  expect(await ledger.wrong()).toEqual({ ...RIGHT, parties: [1] });
  await ledger.recount({ ...RIGHT, parties: [1] });
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['all: 2 for 2'], RIGHT]);
});

test('a party that two processes record is reached once, at the same vote', async () => {
  const one = await ledgers(withParty(party()));
  const other = await one.another();
  for (const [n, cast] of votesOf('Alex Steve Sasha Robin').entries())
    await (n % 2 === 0 ? one : other).vote(cast);
  await other.fix();
  await one.fix();
  expect(await paid(one)).toEqual(['Alex', 'Steve', 'Sasha'].map((player) => `${player} all party 1`));
  expect(await one.wrong()).toEqual(RIGHT);
});

const [BACKUP, RESTORED] = [NOON + 3 * MINUTE, NOON + DAY];

test('after a restore, a party that may have been reached since the backup is held, and the next one is paid', async () => {
  const ledger = await voted('Alex Steve', party());
  await ledger.restored(BACKUP, RESTORED);
  await ledger.vote(...votesOf('Sasha Alex Steve Robin', RESTORED + 1_000));
  await ledger.fix();
  expect(await ledger.owed()).toEqual([
    ...['Alex', 'Steve', 'Sasha'].map((player) => `${player} all party 1: held restore-doubt`),
    ...['Alex', 'Steve', 'Robin'].map((player) => `${player} all party 2: pending`),
  ]);
});

test('after a restore, a party with a vote from before it is held', async () => {
  const ledger = await ledgers(withParty(party()));
  await ledger.restored(BACKUP, RESTORED);
  await ledger.vote({ player: 'Alex', at: BACKUP + MINUTE, received: RESTORED + 1_000 });
  await ledger.vote(...votesOf('Steve Sasha', RESTORED + MINUTE));
  await ledger.fix();
  expect((await ledger.owed())[0]).toBe('Alex all party 1: held restore-doubt');
});

/** Whether who is paid was stored before or after the operator trusts the clock. */
test.each(['before', 'after'])(
  'a party reached under a doubtful clock is held until the operator trusts it: %s',
  async (when) => {
    const ledger = await ledgers(withParty(party()));
    const cast = (player: string, at: number) => ({ player, at, reading: { wall: at, monotonic: 0 } });
    const ahead = NOON + 26 * 60 * MINUTE;
    await ledger.vote(cast('Alex', NOON), cast('Steve', NOON));
    await ledger.vote(cast('Sasha', ahead));
    if (when === 'before') {
      await ledger.fix();
      expect((await ledger.owed())[0]).toBe('Alex all party 1: held clock-doubt');
    }
    await ledger.release(ahead);
    await ledger.fix();
    expect(await ledger.grantStates()).toEqual({ pending: 3 });
  },
);

const PORTION = 500;
const MANY = 2 * PORTION + 1;
const PLAYERS = Array.from({ length: MANY }, (_, index) => `P${index}`);
const ALL = party({ every: MANY });

/** A party that was reached by these players, each round on a list of its own. */
async function reached(one: object, ...rounds: readonly (readonly string[])[]) {
  const ledger = await ledgers(withParty(one));
  for (const [n, players] of rounds.entries())
    await ledger.vote(...players.map((player) => ({ player, at: NOON + n * MINUTE })));
  const [{ id } = { id: 0 }] = await ledger.reachedParties();
  const order = { id, present: null, rules: ledger.rules(), draws: { kind: 'drawn', seed: 0.5 } as const };
  const fix = (after: number, more: object = {}) =>
    ledger.fixParty({ ...order, party: ledger.partyNamed('all'), ...more }, after, NOON);
  return { ledger, fix, players: async () => (await ledger.grants()).map(({ player }) => player) };
}

test('a party of many voters is stored in portions of at most 500 votes, and pays each voter once, in the order of their first votes', async () => {
  const { ledger, players, fix } = await reached(ALL, PLAYERS);
  expect(await ledger.fix()).toEqual([PORTION, PORTION, 1]);
  expect([await players(), await ledger.reachedParties()]).toEqual([PLAYERS, []]);
  expect(await fix(0)).toEqual({ grants: 0, next: null });
});

test('a party of many voters reads at most 500 votes in each portion if most of its voters lack votes', async () => {
  const { ledger, players } = await reached(party({ every: MANY + 1, userVotes: 2 }), PLAYERS, ['P7']);
  expect([await ledger.fix(), await players()]).toEqual([[1, 0, 0], ['P7']]);
});

test('a party of many voters pays a voter with votes in several portions once, as their latest vote spells the name', async () => {
  const spelled = PLAYERS.map((player) => player.toLowerCase());
  const { ledger, players } = await reached(party({ every: 2 * MANY }), PLAYERS, spelled);
  await ledger.fix();
  expect(await players()).toEqual(spelled);
});

test('between two portions of a party, a vote counts for the next one, its player is paid once for this one, and another process goes on although it begins again', async () => {
  const { ledger, fix, players } = await reached(ALL, PLAYERS);
  expect(await fix(0)).toMatchObject({ grants: PORTION });
  expect(await ledger.grants({ since: NOON - MINUTE })).toHaveLength(PORTION);
  const late = ['P0', 'P900', 'Late'].map((player) => ({ player, at: NOON + MINUTE }));
  const another = await ledger.another();
  await another.vote(...late);
  expect(await another.reachedParties()).toMatchObject([{ isBegun: true }]);
  expect([await another.fix(), await players()]).toEqual([[0, PORTION, 1], PLAYERS]);
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['all: 3 for 2'], RIGHT]);
});

test('between two portions of a party, a reload changes nothing, and the voters follow whoever it is for by then', async () => {
  const { ledger, fix, players } = await reached(ALL, PLAYERS);
  const { next } = await fix(0);
  await ledger.use(withParty({ ...ALL, for: 'online' }));
  const second = await fix(next ?? 0, { present: [{ player: 'Robin', server: 'main' }] });
  await ledger.use(withParty({ ...ALL, for: 'once', commands: ['say cake'] }));
  expect(await fix(second.next ?? 0)).toEqual({ grants: 1, next: null });
  expect(await players()).toEqual(PLAYERS);
});

test('between two portions of a party, names that are joined are paid as one player', async () => {
  const { ledger, fix, players } = await reached(ALL, PLAYERS);
  await fix(0);
  expect(await ledger.merge('P900', 'P3')).toMatchObject({ kind: 'changed' });
  await ledger.fix();
  expect(await players()).toEqual(PLAYERS.filter((player) => player !== 'P900'));
});

test('between two portions of a party, a random number stays what it was', async () => {
  const commands = ['give {player} cake {random 1..1000000}'];
  const { ledger, fix } = await reached({ ...ALL, commands }, PLAYERS);
  await fix(0);
  await fix(PORTION, { draws: { kind: 'drawn', seed: 0.1 } });
  await ledger.fix();
  const numbers = (await ledger.grants()).map(({ commands }) => commands[0]?.command.split(' ').at(-1));
  expect([numbers.length, new Set(numbers).size]).toEqual([MANY, 1]);
});

const OLD = party({}, 'old');
const NEW = party({ was: ['old'] }, 'new');

/** Votes under the old name, and then others under the new one. */
async function renamed(before: string, after: string, one: object = NEW): Promise<LedgerOfTest> {
  const ledger = await voted(before, OLD);
  await ledger.use(withParty(one));
  if (after !== '') await ledger.vote(...votesOf(after, NOON + DAY));
  return ledger;
}

test('a party with another name goes on with its count, and pays also those who voted under its old name', async () => {
  const ledger = await renamed('Alex Steve', 'Sasha');
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex', 'Steve', 'Sasha'].map((player) => `${player} new party 1`));
  await ledger.vote({ player: 'Robin', at: NOON + 2 * DAY });
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['new: 1 for 2'], RIGHT]);
});

test('a party with another name goes on with its number, so that no party is paid again', async () => {
  const ledger = await voted('Alex Alex Alex', OLD);
  await ledger.fix();
  await ledger.use(withParty(NEW));
  await ledger.vote(...votesOf('Alex Alex Alex', NOON + DAY));
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex old party 1', 'Alex new party 2']);
});

test('a party with another name pays what was reached under its old name', async () => {
  const ledger = await renamed('Alex Steve Alex', '');
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex new party 1', 'Steve new party 1']);
});

test('a party with another name leaves its old name to a new one, which counts and pays by itself', async () => {
  const ledger = await voted('Alex Steve', OLD);
  await ledger.use(withParty({ ...NEW, if: { weekday: ['wed'] } }, party({ every: 2 }, 'old')));
  await ledger.vote(...votesOf('Robin Zoe', NOON + DAY));
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Robin old party 1', 'Zoe old party 1']);
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['new: 2 for 1', 'old: 0 for 2'], RIGHT]);
});

test('a party with another name counts a vote whose service is listed after that', async () => {
  const ledger = await ledgers({ sites: { default: {} }, party: [OLD] });
  await ledger.vote({ player: 'Late', on: 'A', at: NOON - 1 }, { player: 'Late', on: 'B' });
  await ledger.use({ sites: { default: {} }, party: [NEW] });
  await ledger.vote({ player: 'Alex' });
  expect(await ledger.list(['B'], NOON + MINUTE)).toMatchObject({ votes: 1 });
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Late new party 1', 'Alex new party 1']);
  expect(await ledger.wrong()).toEqual(RIGHT);
});

test('a party with another name made of several goes on with the one that is known longest, and counts the parties of all', async () => {
  const ledger = await voted('Alex Alex Alex Sasha', party({}, 'days'));
  await ledger.fix();
  await ledger.use(withParty(party({}, 'nights')));
  await ledger.vote(...votesOf('Steve Robin Steve Zoe', NOON + DAY));
  await ledger.use(withParty(party({ was: ['nights', 'days'] }, 'both')));
  await ledger.fix();
  expect(await paid(ledger)).toEqual(['Alex days party 1', 'Steve both party 2', 'Robin both party 2']);
  expect([await progress(ledger), await ledger.wrong()]).toEqual([['both: 1 for 3'], RIGHT]);
});

test('a party with another name starts at one although a reward has carried on an earlier party (rule 14)', async () => {
  const ledger = await voted('Alex Alex', OLD);
  await ledger.use({ ...EACH_VOTE, rewards: [reward('one', { was: ['plain', 'old'] })] });
  await ledger.use(withParty(party({}, 'later')));
  await ledger.vote({ at: NOON + DAY });
  expect((await progress(ledger)).at(-1)).toBe('later: 1 for 1');
});

const monthly = { period: 'month', when: 'always', prizes: { '1': ['give {player} beacon 1'] } };
const top = (name: string, ...was: readonly string[]) => ({ name, was, ...monthly });
/** The number of June 2026, whose places are stored on 1 July. */
const JUNE = 677;
const places = [{ place: 1, recipientId: 1, player: 'Alex', votes: 2, reachedAt: NOON }];
const settle = (ledger: LedgerOfTest, name: string) =>
  ledger.settlePlaces(name, { period: JUNE, endedAt: Date.UTC(2026, 6, 1), places });
const due = (ledger: LedgerOfTest, name: string) => ledger.dueTop(ledger.topNamed(name), JUNE);

test('a top with another name is not paid again for a period that was paid under its old name, and shows its places', async () => {
  const ledger = await ledgers({ tops: [top('best')] });
  await ledger.vote({ player: 'Alex' });
  const best = ledger.topNamed('best');
  expect(await settle(ledger, 'best')).toBe(1);
  await ledger.use({ tops: [top('champions', 'best')] });
  expect([await due(ledger, 'champions'), await settle(ledger, 'champions')]).toEqual([null, 0]);
  expect(await paid(ledger)).toEqual(['Alex best top 2026-06 place 1']);
  expect(await ledger.settledPlaces(ledger.topNamed('champions'), JUNE)).toMatchObject([
    { place: 1, player: 'Alex' },
  ]);
  expect(await ledger.settledPlaces(best, JUNE)).toBeNull();
});

test('a top with another name is paid for the periods since its old name was first in a config', async () => {
  const ledger = await ledgers({ tops: [top('best')] });
  await ledger.use({ tops: [top('champions', 'best')] }, NOON + 59 * DAY);
  expect(await due(ledger, 'champions')).toBe(JUNE);
});

test('a top with another name made of several is not paid for a period that one of them was paid for', async () => {
  const ledger = await ledgers({ tops: [top('best'), top('most')] });
  await ledger.vote({ player: 'Alex' });
  await settle(ledger, 'most');
  await ledger.use({ tops: [top('champions', 'best', 'most')] });
  expect(await due(ledger, 'champions')).toBeNull();
  await ledger.use({ tops: [top('later')] });
  expect(await due(ledger, 'later')).toBe(JUNE);
});
