import { expect, test } from 'vitest';
import { readForward } from '../../src/core/forward.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { ForgetProgress, ForgetStep, Ledger } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import { forwardOf } from '../../src/votes/intake/forward.ts';
import { type FreshLedger, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { arrival, DAY } from '../support/votes.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const FLOODGATE = '00000000-0000-0000-0009-000000000001';
const AT = Date.UTC(2026, 5, 29, 12);
const MAIN = { server: 'main', practice: false };
const rules = rulesFor(THANKS);

const cast = (player: string, day: number) =>
  arrival({
    ...{ player, site: 'List', receivedAt: arrival().vote.receivedAt + day * DAY },
    ...{ sentAs: `${player} `, address: '192.0.2.7', wire: `{"username":"${player}"}` },
  });

/** Alex, who is also Sasha, with votes, grants that were paid and wait, and whatever else names them. */
async function alex(): Promise<FreshLedger> {
  const fresh = freshLedger();
  const { ledger } = fresh;
  await record(ledger, [cast('Alex', 0), cast('Alex', 1), cast('Sasha', 2), cast('Kim', 0)], rules);
  const see = (name: string) =>
    ledger.storeSeen({ players: [{ name, uuid: ALEX }], server: 'main', rules }, AT);
  await see('Alex');
  await see('Sasha');
  for (const [grantId, player, uuid, reply] of [
    [1, 'Sasha', ALEX, 'Gave 1 [Diamond] to Sasha'],
    [4, 'Kim', null, 'Kim thanks ALEX, but not Alexandra'],
  ] as const) {
    const text = `say ${player} voted`;
    await ledger.claim({ grantId, position: 0, player, uuid, now: AT, text });
    const outcome = { kind: 'delivered', reply } as const;
    await ledger.settle({
      grantId,
      position: 0,
      outcome,
      state: 'delivered',
      reason: null,
      dueAt: 0,
      endedAt: AT,
    });
  }
  await ledger.wait(
    { id: 2, server: 'main' },
    { code: 'player-offline', facts: { reply: 'Alex is away' } },
    AT,
  );
  await ledger.countRefusals([
    { code: 'name', service: 'Vote for Alex', sender: '192.0.2.7', count: 1, lastAt: AT },
  ]);
  await ledger.giveReward(
    {
      ...{ reward: reward('gift'), player: 'Sasha' as PlayerName, by: 'ann', rules },
      occasion: { name: '', isNetworks: false, isTaken: false, threshold: null, streaks: [] },
      draws: { kind: 'drawn', seed: 0.5 },
    },
    AT,
  );
  await ledger.voidVotes([2], { by: 'ann', reason: 'alex asked for it' }, AT);
  await ledger.storePresent(['alex'], false, AT);
  fresh.database.exec(STORED);
  return fresh;
}

/** What only takes longer to reach. */
const STORED = `
  UPDATE grants SET likely_player = 'Alex', filled = '{"others":"Alex"}' WHERE id = 4;
  UPDATE players SET floodgate_uuid = '${FLOODGATE}' WHERE online_uuid = '${ALEX}';
  INSERT INTO events (kind, at, facts) VALUES ('vote.refused', 1, '{"refusals":[{"site":"Alex"}]}');
  INSERT INTO imports (id, source, as_of) VALUES (1, 'votingplugin', 1);
  INSERT INTO imported_uuids (name_id, source, uuid, import_id)
  SELECT id, 'votingplugin', '${ALEX}', 1 FROM recipients WHERE key IN ('alex', 'sasha');
  INSERT INTO settled_tops (reward_id, per, period, settled_at, last_vote) VALUES (1, 'day', 1, 1, 1);
  INSERT INTO top_places (top_id, place, recipient_id, player, votes, reached_at) VALUES (1, 1, 1, 'Alex', 1, 1);`;

async function forget(ledger: Ledger, name: string): Promise<ForgetStep> {
  let progress: ForgetProgress | null = null;
  for (;;) {
    const step: ForgetStep = await ledger.forgetPlayer({ name: name as PlayerName, by: 'ann' }, progress, AT);
    if (step.kind !== 'forgetting') return step;
    progress = step.progress;
  }
}

/** Every value of every table that contains a text, in any case. */
function cellsWith(database: Database, text: RegExp): string[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  return tables.flatMap((table) =>
    (database.prepare(`SELECT * FROM "${table}"`).all() as object[]).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) =>
        typeof value === 'string' && text.test(value) ? [`${table}.${column}: ${value}`] : [],
      ),
    ),
  );
}

/** Columns that may say who a player is. */
const SAYS_WHO: Readonly<Record<string, readonly string[]>> = {
  commands: ['text', 'reply'],
  events: ['facts'],
  given_rewards: ['player'],
  grants: ['player', 'likely_player', 'uuid', 'facts', 'filled'],
  imported_uuids: ['uuid'],
  players: ['online_uuid', 'floodgate_uuid'],
  recipients: ['key', 'paid_as'],
  refusals: ['service', 'sender'],
  seen_players: ['key'],
  top_places: ['player'],
  voided_votes: ['reason'],
  votes: ['player', 'sent_as', 'address', 'wire'],
};
/** Columns with strings or bytes that do not: codes, names of services, rewards and game servers, accounts, and figures. */
const SAYS_NOT: Readonly<Record<string, readonly string[]>> = {
  balances: ['source', 'service', 'per'],
  clock_doubts: ['reason', 'ended_by'],
  commands: ['outcome', 'reason', 'facts'],
  event_posts: ['receiver', 'state', 'reason'],
  event_receivers: ['receiver', 'reason'],
  event_wants: ['kind', 'receiver'],
  events: ['event_id', 'kind', 'unique_key'],
  game_servers: ['name', 'kind'],
  given_rewards: ['given_by'],
  grant_actions: ['action', 'acted_by'],
  granted: ['reward', 'server'],
  granted_votes: ['reward'],
  grants: [
    ...['cause', 'reward', 'occasion', 'server', 'run_when', 'state', 'reason', 'choice'],
    ...['pool', 'announcement'],
  ],
  imported_runs: ['source', 'per'],
  imported_uuids: ['source'],
  imports: ['source'],
  joined_occasions: ['occasion'],
  joined_streaks: ['per'],
  listed_services: ['service'],
  listed_votes: ['reasons'],
  network_counts: ['of'],
  occasions: ['occasion'],
  parties: ['per', 'doubt'],
  passed_occasions: ['occasion'],
  passed_totals: ['of'],
  pauses: ['server', 'reward', 'paused_by'],
  player_changes: ['kind', 'changed_by'],
  pools: ['server', 'pool'],
  queues: ['server', 'reason'],
  reached_parties: ['doubt'],
  reached_streaks: ['per'],
  reason_forms: ['form'],
  recipients: ['kind', 'services'],
  recoveries: ['site'],
  refusals: ['code'],
  removed_up_to: ['what'],
  reward_names: ['name'],
  rewarded_by_operator: ['reasons'],
  rewards: ['name'],
  settled_tops: ['per'],
  tallies: ['service', 'site', 'decision'],
  time_zone: ['zone'],
  top_starts: ['per'],
  unlisted_services: ['service'],
  voided_votes: ['standing', 'voided_by'],
  votes: ['service', 'site', 'channel', 'event_id', 'block_digest', 'decision', 'reasons'],
};

const columnsIn = (...lists: readonly Readonly<Record<string, readonly string[]>>[]): string[] =>
  lists
    .flatMap((tables) =>
      Object.entries(tables).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
    )
    .toSorted();

test('of each column with strings or bytes it is known whether it may say who a player is', () => {
  const columns = freshLedger().database.prepare(`
    SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.type NOT IN ('INTEGER', 'REAL')`);
  expect(columnsIn(SAYS_WHO, SAYS_NOT)).toEqual((columns.pluck().all() as string[]).toSorted());
});

const IDENTITY = new RegExp(`${ALEX}|${FLOODGATE}|192\\.0\\.2\\.7|alex|sasha`, 'i');

test('each column that may say it does before, so that what follows is tried with all of them', async () => {
  const { database } = await alex();
  const before = new Set(cellsWith(database, IDENTITY).map((cell) => cell.split(':')[0]));
  expect(columnsIn(SAYS_WHO)).toEqual([...before].toSorted());
});

const NAMES = /(?<!\w)(?:alex|sasha)(?!\w)/i;

test('a player who is forgotten is named nowhere in the ledger, under none of their names', async () => {
  const { ledger, database } = await alex();
  expect(cellsWith(database, NAMES).length).toBeGreaterThan(10);
  expect(await forget(ledger, 'sasha')).toEqual({ kind: 'forgotten', name: 'forgotten-1' });
  expect(cellsWith(database, NAMES)).toEqual([]);
  expect(cellsWith(database, new RegExp(`${ALEX}|${FLOODGATE}`))).toEqual([]);
});

test('what was forwarded of their votes no longer says who they were or from where', async () => {
  const { ledger } = freshLedger();
  const targets = [{ server: 'old', maxAgeMs: DAY, pays: false }];
  for (const player of ['Alex', 'Kim']) {
    const judged = cast(player, 0);
    const to = { ...rules, targets };
    await ledger.record({ ...judged, rules: to, ...forwardOf(judged, '203.0.113.9', to) }, null);
  }
  await forget(ledger, 'Alex' as PlayerName);
  const sent = (await ledger.grants({ server: 'old', limit: 9 })).map(({ commands }) => commands[0]?.command);
  expect(sent).toHaveLength(2);
  expect(readForward(sent[0] ?? '')).toMatchObject({ player: 'Kim', address: '203.0.113.9' });
  expect(sent[1]).not.toMatch(/alex|203\.0/i);
});

test('their votes stay counted, and what others have stays as it is', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 2, paidAs: 'forgotten-1', hints: [] }]);
  expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
  expect(await ledger.votes({ recipient: 'Kim', limit: 9 })).toMatchObject([
    { player: 'Kim', address: '192.0.2.7', wire: '{"username":"Kim"}' },
  ]);
  expect((await ledger.grants({ recipient: 'Kim', limit: 9 }))[0]?.commands).toMatchObject([
    { reply: 'Kim thanks forgotten-1, but not Alexandra' },
  ]);
});

test('what they are owed is cancelled, and what was paid stays paid', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  expect(await ledger.grantStates()).toEqual({ delivered: 2, cancelled: 3 });
  expect(await ledger.pending(MAIN, AT, 9)).toEqual([]);
});

test('whoever votes under the name later starts at 0', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  await record(ledger, [cast('Alex', 9)], rules);
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 1, changes: [] }]);
});

test('a second try finishes what the first one left', async () => {
  const { ledger, database } = await alex();
  const order = { name: 'Alex' as PlayerName, by: 'ann' };
  const first = await ledger.forgetPlayer(order, null, AT);
  expect(first).toEqual({ kind: 'forgetting', progress: { vote: 3, grant: 0 } });
  expect(await forget(ledger, 'Alex')).toMatchObject({ kind: 'forgotten' });
  expect(cellsWith(database, NAMES)).toEqual([]);
  expect(await forget(ledger, 'Alex')).toEqual({ kind: 'refused', code: 'player-missing' });
});

test('a name that is also a word of a command leaves commands that are still to run as they are', async () => {
  const { ledger } = freshLedger();
  await record(ledger, [cast('say', 0), cast('Kim', 0)], rules);
  await forget(ledger, 'say');
  expect(await ledger.pending(MAIN, AT, 9)).toMatchObject([
    { recipientKey: 'kim', commands: [{ text: 'say {player} voted' }] },
  ]);
});

test('a vote that comes while they are forgotten is forgotten too, and what it was granted is cancelled', async () => {
  const { ledger, database } = await alex();
  const order = { name: 'Alex' as PlayerName, by: 'ann' };
  const first = await ledger.forgetPlayer(order, null, AT);
  await record(ledger, [cast('Sasha', 7)], rules);
  const progress = first.kind === 'forgetting' ? first.progress : null;
  expect(await ledger.forgetPlayer(order, progress, AT)).toMatchObject({ kind: 'forgotten' });
  expect(cellsWith(database, NAMES)).toEqual([]);
  expect(await ledger.grantStates()).toEqual({ delivered: 2, cancelled: 4 });
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 3 }]);
  expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
});
