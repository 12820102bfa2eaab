import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';

/** Tables with a row for each vote, grant, player or event, and their names in statements. */
const LARGE = /^SCAN (?:votes|v|o|grants|g|commands|recipients|r|players|events|granted_votes|occasions)\b/;
/** Indexes that have only what is open. */
const OPEN =
  /USING (?:COVERING )?INDEX (?:grants_(?:stuck|open|pending|delayed|sending|redirected|of_parties)|commands_sending)\b/;
/** Statements that may, by how they begin. */
const MAY: readonly string[] = [
  // Once, when a reward gets a limit.
  'INSERT INTO granted_votes (reward_id, recipient_id, reward, cast_at, day, vote_id) SELECT',
  "UPDATE occasions SET takes = 1 WHERE reward_id = ? AND how = 'granted' AND vote_id IN (SELECT",
  'INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, vote_id, cast_at, day, takes) SELECT',
  // The plan has the tables that refer to votes, which are only read if one of them lacks its vote.
  'INSERT INTO votes (',
  // What is scanned are the pending grants of one game server, which are selected before.
  "UPDATE grants SET state = 'waiting'",
  // When a name is split, and when a player is forgotten; events are kept for a week.
  'UPDATE redirected_grants SET recipient_id',
  'SELECT id, facts AS value FROM events',
];

/** Every statement that runs until the test ends. */
function statements(): ReadonlySet<string> {
  const seen = new Set<string>();
  const { prepare } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, sql: string) {
    seen.add(sql);
    return prepare.call(this, sql);
  } as typeof prepare;
  onTestFinished(() => {
    Sqlite.prototype.prepare = prepare;
  });
  return seen;
}

/** What SQLite would read for a statement. */
function planOf(database: Sqlite.Database, sql: string): readonly string[] {
  const explained = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
  const names = new Set([...sql.matchAll(/[@:$](\w+)/g)].map(([, name = '']) => name));
  const given = Object.fromEntries([...names].map((name) => [name, 0]));
  const count = [...sql.matchAll(/\?/g)].length;
  const rows = names.size > 0 ? explained.all(given) : explained.all(...Array(count).fill(0));
  return (rows as { detail: string }[]).map(({ detail }) => detail);
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
  await ledger.queueLengths(100);
  await ledger.voteSums({ from: 1, to: 9 });
  await ledger.rewardSums({ from: 1, to: 9 });
  await ledger.firstVotes([NOON]);
  await ledger.playerFigures({ kind: 'player', key: 'steve' }, 20_605);
  await ledger.receipts({ services: ['List'], after: null, since: NOON });
  await ledger.tallies(NOON);
  await ledger.list(['New'], NOON + HOUR);
  await ledger.fix();
  await ledger.see({ Steve: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' });
  await ledger.merge('Alex', 'Steve');
  await ledger.split('Alex');
  await ledger.forget('Alex');
}

test('nothing that votes, delivery, lists or the operator ask reads a whole table of votes, grants, players or events', async () => {
  const ran = statements();
  const votifier = { kind: 'votifier', port: 8_194, token: 'the-token-of-the-old-listener' };
  const ledger = await ledgers({
    gameServers: { main: { kind: 'practice' }, old: votifier },
    sites: { default: {}, List: {} },
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
  const database = new Sqlite(ledger.file);
  onTestFinished(() => void database.close());
  const asked = [...ran].filter((sql) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql));
  expect(asked.length).toBeGreaterThan(150);
  const shown = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();
  const scans = asked
    .filter((sql) => !MAY.some((start) => shown(sql).startsWith(start)))
    .flatMap((sql) => planOf(database, sql).map((step) => `${step}: ${shown(sql).slice(0, 200)}`))
    .filter((step) => LARGE.test(step) && !OPEN.test(step));
  expect(scans).toEqual([]);
});
