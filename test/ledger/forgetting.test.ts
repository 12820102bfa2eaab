import { expect, test } from 'vitest';
import { DAY, gameServers, type LedgerOfTest, ledgers, NOON, RIGHT, reward } from '../kit/ledgers.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const FLOODGATE = '00000000-0000-0000-0009-000000000001';
const LATER = NOON + 28 * DAY;
/** No vote is granted the second one: it is given by the operator. */
const REWARDS = { rewards: [reward('thanks'), reward('gift', { if: { site: 'Other' } })] };

const cast = (player: string, day: number) => ({
  ...{ player, at: NOON + day * DAY, sentAs: `${player} ` },
  ...{ address: '192.0.2.7', wire: `{"username":"${player}"}` },
});

/** Alex, who is also Sasha, with votes, grants that were paid and wait, and whatever else names them. */
async function alex(): Promise<LedgerOfTest> {
  const ledger = await ledgers(REWARDS);
  await ledger.vote(cast('Alex', 0), cast('Alex', 1), cast('Sasha', 2), cast('Kim', 0));
  await ledger.see({ Alex: ALEX });
  await ledger.see({ Sasha: ALEX });
  for (const [id, player, uuid, reply] of [
    [1, 'Sasha', ALEX, 'Gave 1 [Diamond] to Sasha'],
    [4, 'Kim', null, 'Kim thanks ALEX, but not Alexandra'],
  ] as const) {
    await ledger.claim(id, { player, uuid, text: `say ${player} voted` });
    await ledger.settle(id, { kind: 'delivered', reply }, { state: 'delivered' });
  }
  await ledger.wait(2);
  await ledger.countRefusals([
    { code: 'name', service: 'Vote for Alex', sender: '192.0.2.7', count: 1, lastAt: LATER },
  ]);
  await ledger.give('gift', 'Sasha');
  await ledger.void(2);
  await ledger.storePresent(['alex'], false, LATER);
  ledger.sql(STORED);
  return ledger;
}

/** What only takes longer to reach. */
const STORED = `
  UPDATE grants SET facts = '{"reply":"Alex is away"}' WHERE id = 2;
  UPDATE voided_votes SET reason = 'alex asked for it';
  UPDATE grants SET likely_player = 'Alex', filled = '{"others":"Alex"}' WHERE id = 4;
  UPDATE players SET floodgate_uuid = '${FLOODGATE}' WHERE online_uuid = '${ALEX}';
  INSERT INTO events (kind, at, facts) VALUES ('vote.refused', 1, '{"refusals":[{"site":"Alex"}]}');
  INSERT INTO imports (id, source, as_of) VALUES (1, 'votingplugin', 1);
  INSERT INTO imported_uuids (name_id, source, uuid, import_id)
  SELECT id, 'votingplugin', '${ALEX}', 1 FROM recipients WHERE key IN ('alex', 'sasha');
  INSERT INTO settled_tops (reward_id, per, period, settled_at, last_vote) VALUES (1, 'day', 1, 1, 1);
  INSERT INTO top_places (top_id, place, recipient_id, player, votes, reached_at) VALUES (1, 1, 1, 'Alex', 1, 1);`;

/** Every value of every table that contains a text, in any case. */
function cellsWith(ledger: LedgerOfTest, text: RegExp): string[] {
  const tables = ledger.sql("SELECT name FROM sqlite_schema WHERE type = 'table'") as { name: string }[];
  return tables.flatMap(({ name: table }) =>
    (ledger.sql(`SELECT * FROM "${table}"`) as object[]).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) =>
        typeof value === 'string' && text.test(value) ? [`${table}.${column}: ${value}`] : [],
      ),
    ),
  );
}

/** Columns by their tables, which are written as `table: column column; table: column`. */
const columnsIn = (...written: readonly string[]): string[] =>
  written
    .flatMap((text) => text.split('; '))
    .flatMap((one) => {
      const [table, columns = ''] = one.split(': ');
      return columns.split(' ').map((column) => `${table}.${column}`);
    })
    .toSorted();

const SAYS_WHO =
  'commands: text reply; events: facts; given_rewards: player; ' +
  'grants: player likely_player uuid facts filled; imported_uuids: uuid; ' +
  'players: online_uuid floodgate_uuid; recipients: key paid_as; refusals: service sender; ' +
  'seen_players: key; top_places: player; voided_votes: reason; votes: player sent_as address wire';
/** With strings or bytes: codes, names of services, rewards and game servers, accounts, and figures. */
const SAYS_NOT =
  'balances: source service per; clock_doubts: reason ended_by; commands: outcome reason facts; ' +
  'event_posts: receiver state reason; event_receivers: receiver reason; event_wants: kind receiver; ' +
  'events: event_id kind unique_key; game_servers: name kind; given_rewards: given_by; ' +
  'grant_actions: action acted_by; granted: reward server; granted_votes: reward; ' +
  'grants: cause reward occasion server run_when state reason choice pool announcement; ' +
  'imported_runs: source per; imported_uuids: source; imports: source; joined_occasions: occasion; ' +
  'joined_streaks: per; listed_services: service; listed_votes: reasons; network_counts: of; ' +
  'occasions: occasion; parties: per doubt; passed_occasions: occasion; passed_totals: of; ' +
  'pauses: server reward paused_by; player_changes: kind changed_by; pools: server pool; ' +
  'queues: server reason; reached_parties: doubt; reached_streaks: per; reason_forms: form; ' +
  'recipients: kind services; recoveries: site; refusals: code; removed_up_to: what; ' +
  'reward_names: name; rewarded_by_operator: reasons; rewards: name; settled_tops: per; ' +
  'tallies: service site decision; time_zone: zone; top_starts: per; unlisted_services: service; ' +
  'voided_votes: standing voided_by; ' +
  'votes: service site channel event_id block_digest decision reasons';

test('of each column with strings or bytes it is known whether it may say who a player is', async () => {
  const columns = (await ledgers()).sql(`
    SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.type NOT IN ('INTEGER', 'REAL')`) as { name: string }[];
  expect(columnsIn(SAYS_WHO, SAYS_NOT)).toEqual(columns.map(({ name }) => name).toSorted());
});

const UUIDS = new RegExp(`${ALEX}|${FLOODGATE}`);
const NAMES = /(?<!\w)(?:alex|sasha)(?!\w)/i;

test('each column that may say it does before, so that what follows is tried with all of them', async () => {
  const identity = new RegExp(`${UUIDS.source}|192\\.0\\.2\\.7|alex|sasha`, 'i');
  const before = new Set(cellsWith(await alex(), identity).map((cell) => cell.split(':')[0]));
  expect(columnsIn(SAYS_WHO)).toEqual([...before].toSorted());
});

test('a player who is forgotten is named nowhere in the ledger, under none of their names', async () => {
  const ledger = await alex();
  expect(cellsWith(ledger, NAMES).length).toBeGreaterThan(10);
  expect(await ledger.forget('sasha')).toBe('forgotten-1');
  expect([cellsWith(ledger, NAMES), cellsWith(ledger, UUIDS)]).toEqual([[], []]);
});

test('what was forwarded of their votes no longer says who they were or from where', async () => {
  const old = { kind: 'votifier', port: 8_194, token: 'the-token-of-the-old-listener' };
  const ledger = await ledgers({
    gameServers: { ...gameServers('main'), old },
    rewards: [reward('thanks', { servers: ['main'] })],
  });
  await ledger.vote(cast('Alex', 0), cast('Kim', 0));
  await ledger.forget('Alex');
  const [alexs, kims] = (await ledger.grants({ server: 'old' })).map(({ commands }) => commands[0]?.command);
  expect(JSON.parse(kims ?? '')).toMatchObject({ player: 'Kim', address: '203.0.113.9' });
  expect(alexs).not.toMatch(/alex|203\.0/i);
});

test('their votes stay counted, what they are owed is cancelled, what was paid stays paid, and others keep what they have', async () => {
  const ledger = await alex();
  await ledger.forget('Alex');
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 2, paidAs: 'forgotten-1', hints: [] }]);
  expect(await ledger.wrong()).toEqual(RIGHT);
  expect(await ledger.votes({ recipient: 'Kim' })).toMatchObject([
    { player: 'Kim', address: '192.0.2.7', wire: '{"username":"Kim"}' },
  ]);
  expect((await ledger.grants({ recipient: 'Kim' }))[0]?.commands).toMatchObject([
    { reply: 'Kim thanks forgotten-1, but not Alexandra' },
  ]);
  expect(await ledger.grantStates()).toEqual({ delivered: 2, cancelled: 3 });
  expect(await ledger.due('main', LATER)).toEqual([]);
  // A later voter of that name starts at 0.
  await ledger.vote(cast('Alex', 9));
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 1, changes: [] }]);
});

test('a second try finishes what the first one left, and forgets a vote that came meanwhile, of which what it was granted is cancelled', async () => {
  const ledger = await alex();
  const order = { name: 'Alex', by: 'ann' } as Parameters<LedgerOfTest['forgetPlayer']>[0];
  const first = await ledger.forgetPlayer(order, null, LATER);
  expect(first).toEqual({ kind: 'forgetting', progress: { vote: 3, grant: 0 } });
  await ledger.vote(cast('Sasha', 7));
  expect(await ledger.forget('Alex')).toBe('forgotten-1');
  expect(cellsWith(ledger, NAMES)).toEqual([]);
  expect(await ledger.grantStates()).toEqual({ delivered: 2, cancelled: 4 });
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 3 }]);
  expect([await ledger.wrong(), await ledger.forget('Alex')]).toEqual([RIGHT, 'player-missing']);
});

test('a name that is also a word of a command leaves commands that are still to run as they are', async () => {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  await ledger.vote(cast('say', 0), cast('Kim', 0));
  await ledger.forget('say');
  expect(await ledger.pending({ server: 'main', practice: false }, LATER, 9)).toMatchObject([
    { recipientKey: 'kim', commands: [{ text: 'say {player} voted' }] },
  ]);
});
