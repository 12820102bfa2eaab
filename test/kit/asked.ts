/** What is asked of a ledger all the time, by votes, delivery, lists and the operator, and the statements that answer it. */
import { expect, onTestFinished, vi } from 'vitest';
import { SqliteFile } from '../../src/db/sqlite.ts';
import { schemaFor } from '../../src/ledger/schema.ts';
import { DAY, HOUR, type LedgerOfTest, ledgers, NOON, reward } from './ledgers.ts';

export const TABLES_OF_POSTGRES = schemaFor('postgres');

/** Every statement that runs until the test ends. */
function statements(): () => readonly string[] {
  const spies = (['all', 'get', 'run'] as const).map((name) => vi.spyOn(SqliteFile.prototype, name));
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return () => [...new Set(spies.flatMap((spy) => spy.mock.calls.map(([sql]) => sql)))];
}

const MAIN = { server: 'main', practice: false };

/** Filters of lists, by their keys; a key that may have several values is written with its value. */
const VOTE_FILTERS =
  'id, recipient, site, site=default, decision, since, after, until, decision since, channel since until, ' +
  'site decision, recipient site, recipient decision=rewarded';
const GRANT_FILTERS =
  'id, voteId, recipient, redirected, state=held, state=pending, state=waiting, state=cancelled, since, ' +
  'recipient state=held, given, reward, server, recipient redirected, together';
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ id: 7, voteId: 7, after: 7, recipient: 'steve', site: 'List', decision: 'cooldown', channel: 'api' },
  ...{ since: NOON, until: NOON + 1, reward: 'never', server: 'nowhere' },
  ...{ redirected: true, given: true, together: true },
};
const filtersOf = (written: string): readonly object[] =>
  written.split(', ').map((keys) =>
    Object.fromEntries(
      keys.split(' ').map((key) => {
        const [name = '', value = VALUES[key]] = key.split('=');
        return [name, value];
      }),
    ),
  );

/** What is asked and done all the time: by votes, by delivery, by lists and by the operator. */
async function everything(ledger: LedgerOfTest): Promise<void> {
  for (const via of ['listener-v1', 'listener-v2', 'webhook', 'api'] as const)
    await ledger.vote(
      { via, claim: NOON, ...(via === 'webhook' ? { event: 'E' } : {}) },
      { on: 'New', player: via },
    );
  await ledger.vote({ block: 1, player: 'Alex', at: NOON + DAY }, { player: 'Alex', at: NOON });
  for (const filter of filtersOf(VOTE_FILTERS)) {
    await ledger.votes({ ...filter, limit: 50 });
    await ledger.votePage({ ...filter, limit: 50 }, 500);
  }
  for (const filter of filtersOf(GRANT_FILTERS)) await ledger.grants({ ...filter, limit: 50 });
  await ledger.wait(1);
  await ledger.waiting(MAIN, ['steve'], NOON, 9);
  await ledger.waitingFor(MAIN, 9, 0);
  await ledger.nextDueAt(MAIN, NOON);
  await ledger.waitForAbsent(MAIN, { from: 0, limit: 500 }, [], { code: 'player-offline' }, NOON);
  for (const id of await ledger.due()) await ledger.send(id, 'delivered').catch(() => {});
  await ledger.holdOrphaned(new Map([['main', 'http']]), NOON);
  await ledger.applyTerms(NOON + 9 * DAY);
  await ledger.settleInterrupted(NOON);
  await ledger.pay(1);
  await ledger.cancel(1);
  await ledger.void(1);
  await ledger.rewardLate(3, NOON);
  await ledger.give('thanks');
  await ledger.stuckGrants({}, { limit: 9, lookAt: 100 });
  await ledger.grantStates();
  await ledger.practiceVotes();
  await ledger.queueLengths(100);
  await ledger.voteSums({ from: 1, to: 9 });
  await ledger.rewardSums({ from: 1, to: 9 });
  await ledger.firstVotes([NOON]);
  await ledger.playerFigures({ kind: 'player', key: 'steve' }, 20_605);
  await ledger.receipts(['List'], null, NOON);
  await ledger.tallies(NOON);
  await ledger.list(['New'], NOON + HOUR);
  await ledger.fix();
  await ledger.see({ Steve: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' });
  await ledger.merge('Alex', 'Steve');
  await ledger.split('Alex');
  await ledger.forget('Alex');
  await ledger.bring([{ player: 'Kim', at: NOON - 9 * DAY }], NOON);
  await ledger.removeOld({ addresses: NOON, wire: NOON });
  await ledger.restored(NOON, NOON + HOUR);
}

/** The statements of a ledger with a reward of each kind that reads, a party, another listener that gets the votes, and at last one reward in place of two. */
export async function askedAll(): Promise<{ readonly asked: readonly string[]; readonly file: string }> {
  const ran = statements();
  const votifier = { kind: 'votifier', port: 8_194, token: 'the-token-of-the-old-listener' };
  const places = {
    gameServers: { main: { kind: 'practice' }, old: votifier },
    sites: { default: {}, List: {} },
  };
  const ledger = await ledgers({
    ...places,
    rewards: [
      reward('thanks', {
        servers: ['main'],
        if: { votes: { every: 1 }, streak: 2 },
        limit: { per: 'player', count: 9, within: '24h' },
      }),
      reward('plain', { servers: ['main'], commands: ['say {votes} {votesDay} {bestStreak} {sitesLeft}'] }),
    ],
    party: [{ name: 'all', every: 3, when: 'always', servers: ['main'], commands: ['say cake'] }],
  });
  await everything(ledger);
  await ledger.use({ ...places, rewards: [reward('both', { servers: ['main'], was: ['thanks', 'plain'] })] });
  const asked = ran().filter((sql) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql));
  expect(asked.length).toBeGreaterThan(150);
  return { asked, file: ledger.file };
}
