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
  await ledger.storePresent(['alex'], false);
  ledger.sql(STORED);
  return ledger;
}

/** What only takes longer to reach. */
const STORED = `
  UPDATE grants SET facts = '{"reply":"Alex is away"}' WHERE id = 2;
  UPDATE actions SET facts = json_set(facts, '$.reason', 'alex asked for it') WHERE kind = 'void';
  UPDATE grants SET filled = '{"others":"Alex"}' WHERE id = 4;
  UPDATE players SET paid_as = 'Alex' WHERE id = 1;
  UPDATE names SET floodgate_uuid = '${FLOODGATE}' WHERE online_uuid = '${ALEX}';
  INSERT INTO events (event_id, kind, at, facts) VALUES ('one', 'vote.refused', 1, '{"refusals":[{"site":"Alex"}]}');
  INSERT INTO balances (name_id, source, as_of, counted, month, month_counted, uuid)
  SELECT id, 'votingplugin', 1, 0, 0, 0, '${ALEX}' FROM names WHERE key IN ('alex', 'sasha');
  INSERT INTO tops (reward_id, per, period, place, nth, player_id, player, votes, reached_at, last_vote)
  VALUES (1, 'day', 1, 1, 1, 1, 'Alex', 1, 1, 1);`;

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
  'actions: facts; balances: uuid; events: facts; grants: player uuid facts commands outcomes filled; ' +
  'names: key online_uuid floodgate_uuid; players: paid_as; refusals: service sender; tops: player; ' +
  'votes: player sent_as address wire';
/** With strings or bytes: codes, names of services, rewards and game servers, accounts, and figures. */
const SAYS_NOT =
  'actions: by kind; balances: source; event_posts: receiver state; event_receivers: kinds reason receiver; ' +
  'events: event_id kind unique_key; granted: reward server; ' +
  'grants: announcement cause choice occasion pool reason reward run_when server state; meta: name text; ' +
  'names: kind; occasions: how occasion; parties: doubt per; pauses: paused_by reward server; ' +
  'pools: pool server; refusals: code; rewards: name; servers: kind name trouble; ' +
  'service_days: decision service site; sites: service; tops: per; vote_days: service; ' +
  'votes: block_digest channel decision event_id reasons service site';

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

test('the grants beside those of a forgotten player stay as they are, also one whose command is being sent', async () => {
  const ledger = await ledgers(REWARDS);
  await ledger.vote(...Array.from({ length: 100 }, (_, day) => cast(day % 2 === 0 ? 'Alex' : 'Kim', day)));
  await ledger.send(2, 'delivered');
  await ledger.wait(4);
  await ledger.claim(6, { player: 'Kim' });
  const kims = () => ledger.grants({ recipient: 'Kim' });
  const before = await kims();
  await ledger.forget('Alex');
  expect(await kims()).toEqual(before);
  await ledger.settle(6, 'delivered', { state: 'delivered' });
  expect(await ledger.grantStates()).toEqual({ delivered: 2, waiting: 1, pending: 47, cancelled: 50 });
});
