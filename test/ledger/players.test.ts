import { expect, test } from 'vitest';
import { june, type LedgerOfTest, ledgers, NOON, RIGHT, reward } from '../kit/ledgers.ts';

/** The UUID of the player who votes as Alex and then as Sasha, that of the stranger, and that of a Bedrock player. */
const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const BEDROCK = '00000000-0000-0000-0009-000000000001';
/** Of version 3, as servers in offline mode compute them from names. */
const OFFLINE = ['36532b5e-c442-3dbb-a24c-c7e55d0f979a', '5627dd98-e6be-3c21-b8a8-e92344183641'] as const;

const MAIN = { server: 'main', practice: false };
const THANKS = reward('thanks');
const DAILY = reward('daily', { when: 'online', commands: ['give {player} diamond 1'] });
const TOTAL_25 = reward('milestone', { if: { votes: { at: [25] } } });

const on = (date: number, player: string, list = 'List', hour = 12) => {
  return { at: june(date, hour), player, on: list };
};
/** A player's votes, one each day from a day of June 2026 on. */
const votesOf = (player: string, count: number, from = 1, list = 'List') =>
  Array.from({ length: count }, (_, at) => on(from + at, player, list));

/** Alex with 20 votes, whose UUID is known, and Sasha with 8. */
async function alexAndSasha(...rewards: readonly object[]): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards });
  await ledger.vote(...votesOf('Alex', 20), ...votesOf('Sasha', 8, 1, 'Other'));
  await ledger.see({ Alex: ALEX });
  return ledger;
}

test('Alex with 20 votes and Sasha with 8, when Alex is seen as Sasha, are one player with 28 votes, found by either name', async () => {
  const ledger = await alexAndSasha(THANKS);
  expect(await ledger.see({ Sasha: ALEX })).toBe(true);
  const [player, ...others] = await ledger.players('SASHA');
  expect(player).toMatchObject({
    names: [
      { name: 'alex', onlineUuid: ALEX },
      { name: 'sasha', givenUpAt: null },
    ],
    ...{ paidAs: 'Sasha', votes: 28, changes: [{ kind: 'joined', name: 'sasha', at: NOON, by: 'main' }] },
  });
  expect([others, await ledger.players('alex')]).toEqual([[], [player]]);
  for (const recipient of ['Alex', 'sasha']) {
    expect(await ledger.votes({ recipient })).toHaveLength(28);
    expect(await ledger.grants({ recipient })).toHaveLength(28);
  }
  expect(await ledger.wrong()).toEqual(RIGHT);
});

test('Alex with 20 votes and Sasha with 8, when Alex is seen as Sasha, share their windows, and windows that overlap now stay, without keeping out a vote', async () => {
  const ledger = await ledgers({ sites: { List: { cooldown: '3d' } }, rewards: [THANKS] });
  await ledger.vote(on(1, 'Alex', 'List', 20));
  await ledger.use({ rewards: [THANKS] });
  await ledger.vote(on(2, 'Sasha'));
  await ledger.see({ Alex: ALEX });
  await ledger.see({ Sasha: ALEX });
  expect((await ledger.votes({ recipient: 'Alex' })).map(({ window }) => window)).toEqual([
    { start: june(1, 20), end: june(4, 20) },
    { start: june(2), end: june(3) },
  ]);
  const next = [on(2, 'Alex', 'List', 23), on(3, 'Alex'), on(3, 'Sasha', 'List', 13)];
  expect(await ledger.vote(...next)).toEqual(['cooldown', 'rewarded', 'cooldown']);
  expect(await ledger.wrong()).toEqual(RIGHT);
  expect(await ledger.deepParts()).not.toEqual([]);
});

/** Alex has voted 20 times and is not there; a stranger plays as Alex. */
async function taken(): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards: [DAILY] });
  await ledger.vote(...votesOf('Alex', 20));
  await ledger.see({ Alex: ALEX });
  await ledger.wait(1);
  await ledger.see({ Alex: STRANGER });
  return ledger;
}
const LATE = june(29);

test('a stranger on the freed name first, and Sasha later holds all that waits or is pending for Alex, also what was read before', async () => {
  const ledger = await taken();
  expect(await ledger.grantStates()).toEqual({ held: 20 });
  expect((await ledger.grants({ id: 1 }))[0]?.reason).toEqual({ code: 'name-taken' });
  expect(await ledger.waiting(MAIN, ['alex'], LATE, 9)).toEqual([]);
  expect(await ledger.claim(2, { player: 'Alex' })).toBe(false);
});

test('a stranger on the freed name first, and Sasha later recognizes votes for Alex that are sent again, which earn the stranger nothing', async () => {
  const ledger = await ledgers({ rewards: [DAILY] });
  const vote = { player: 'Alex', claim: june(21) };
  await ledger.vote(vote);
  await ledger.see({ Alex: ALEX });
  await ledger.see({ Alex: STRANGER, Sasha: ALEX });
  expect(await ledger.vote(vote, { ...vote, player: 'ALEX', event: 'E1' })).toEqual(['same 1', 'same 1']);
  const other = { ...vote, on: 'Other' };
  const later = { ...vote, claim: june(21) + 1_000 };
  const others = await ledger.vote(later, other, { ...other, player: 'Sasha' });
  expect(others.filter((one) => one.startsWith('same'))).toEqual([]);
});

test('a stranger on the freed name first, and Sasha later who gives the name back leaves Alex as they were, however often, in no more rows', async () => {
  const ledger = await taken();
  await ledger.vote(on(21, 'Alex'));
  for (let round = 0; round < 3; round++) {
    await ledger.see({ Alex: ALEX });
    expect(await ledger.players('Alex')).toMatchObject([
      { votes: 20, paidAs: 'alex', names: [{ givenUpAt: null }] },
      { votes: 1, paidAs: null },
    ]);
    expect(await ledger.grantStates()).toEqual({ pending: 20, held: 1 });
    await ledger.see({ Alex: STRANGER });
  }
  expect(ledger.sql('SELECT id FROM players')).toHaveLength(2);
});

test('a UUID that is computed from the name joins nothing, and starts no player', async () => {
  const ledger = await alexAndSasha(THANKS);
  expect(await ledger.see({ Sasha: OFFLINE[0] })).toBe(false);
  expect(await ledger.see({ Alex: OFFLINE[0], sasha: OFFLINE[1] })).toBe(false);
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 20, changes: [] }]);
  expect(await ledger.players('Sasha')).toMatchObject([{ votes: 8, names: [{ onlineUuid: null }] }]);
});

test('a UUID joins nothing if one name has a Bedrock prefix and the other has none', async () => {
  const ledger = await ledgers({ rewards: [THANKS] });
  await ledger.vote(on(1, 'Alex'), on(1, '.Alex'));
  await ledger.see({ '.Alex': BEDROCK });
  await ledger.see({ Alex: BEDROCK });
  await ledger.see({ '.Alex': ALEX });
  expect(await ledger.player('Alex')).toMatchObject({ names: [{ name: 'alex', onlineUuid: null }] });
  const names = [{ name: '.alex', floodgateUuid: BEDROCK }];
  expect(await ledger.player('.Alex')).toMatchObject({ names });
});

test('a UUID joins Bedrock players too', async () => {
  const ledger = await ledgers({ rewards: [THANKS] });
  await ledger.vote(on(1, '.Alex'), on(2, '.Sasha'));
  await ledger.see({ '.Alex': BEDROCK });
  await ledger.see({ '.Sasha': BEDROCK });
  expect(await ledger.players('.Sasha')).toMatchObject([{ votes: 2, paidAs: '.Sasha' }]);
});

test('a UUID that votes name is only a hint', async () => {
  const ledger = await ledgers({ rewards: [THANKS] });
  const wire = JSON.stringify({ username: 'Alex', uuid: ALEX.replaceAll('-', '').toUpperCase() });
  await ledger.vote({ player: 'Alex', wire }, { player: 'Sasha', wire });
  const alex = { hints: [ALEX], votes: 1, names: [{ onlineUuid: null }] };
  expect(await ledger.players('Alex')).toMatchObject([alex]);
});

/** Everything that joining changes. */
async function stateOf(ledger: LedgerOfTest) {
  const of = async (recipient: string) => ({
    players: (await ledger.players(recipient)).map(({ changes: _, ...player }) => player),
    votes: (await ledger.votes({ recipient })).map(({ id, window }) => [id, window]),
    grants: (await ledger.grants({ recipient })).map(({ id, state }) => [id, state]),
  });
  return { alex: await of('Alex'), sasha: await of('Sasha'), wrong: await ledger.wrong() };
}
const REWARDS = [
  reward('milestone', { if: { votes: { every: 5 } } }),
  reward('week', { if: { streak: { length: 3, repeat: true } }, when: 'online' }),
  reward('thanks', { limit: { per: 'player', count: 2, within: 'ever' } }),
];

test('the operator splits exactly what was joined, by a game server or by them', async () => {
  const ledger = await alexAndSasha(...REWARDS);
  await ledger.give('milestone', 'Sasha', 'total 40');
  const before = await stateOf(ledger);
  await ledger.see({ Sasha: ALEX });
  expect(await ledger.split('Sasha')).toEqual({ kind: 'changed' });
  expect(await stateOf(ledger)).toEqual(before);
  expect(await ledger.merge('Sasha', 'Alex')).toEqual({ kind: 'changed' });
  expect(await ledger.players('Sasha')).toMatchObject([{ votes: 28 }]);
  await ledger.split('Sasha');
  expect(await stateOf(ledger)).toEqual(before);
  const changes = (await ledger.players('Alex')).flatMap((player) => player.changes);
  const said = changes.map(({ kind, by }) => `${kind} ${by}`);
  expect(said).toEqual(['joined main', 'split ann', 'merged ann', 'split ann']);
});

test('the operator splits what was voted and granted meanwhile by the name that was voted for', async () => {
  const ledger = await alexAndSasha(...REWARDS);
  await ledger.merge('Sasha', 'Alex');
  await ledger.vote(on(22, 'Sasha'), on(23, 'Alex'), on(24, 'Sasha'));
  await ledger.split('Sasha');
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 21 }]);
  expect(await ledger.players('Sasha')).toMatchObject([{ votes: 10 }]);
  expect(await ledger.wrong()).toEqual(RIGHT);
});

test('the operator gives a split name a life of its own, whatever game servers show', async () => {
  const ledger = await alexAndSasha(TOTAL_25);
  await ledger.see({ Sasha: ALEX });
  await ledger.split('Sasha');
  expect(await ledger.see({ Sasha: ALEX })).toBe(false);
  expect(await ledger.players('Sasha')).toMatchObject([{ votes: 8, passed: [] }]);
  await ledger.vote(...votesOf('Alex', 5, 21));
  expect((await ledger.judged('milestone')).at(-1)).toEqual(['total 25']);
});

test('the operator keeps what was given for a passed occasion after a split', async () => {
  const ledger = await alexAndSasha(TOTAL_25);
  await ledger.see({ Sasha: ALEX });
  await ledger.give('milestone', 'Alex', 'total 25');
  await ledger.split('Sasha');
  await ledger.vote(...votesOf('Alex', 5, 21));
  expect((await ledger.judged('milestone')).at(-1)).toBe('occasion-spent');
});

test('the operator joins the names of two accounts of one player, each with its UUID', async () => {
  const ledger = await ledgers({ rewards: [THANKS] });
  await ledger.vote(on(1, 'Alex'), on(2, '.Alex'));
  await ledger.see({ Alex: ALEX, '.Alex': BEDROCK });
  await ledger.merge('.Alex', 'Alex');
  expect(await ledger.see({ Alex: ALEX, '.Alex': BEDROCK })).toBe(false);
  const names = [{ onlineUuid: ALEX }, { floodgateUuid: BEDROCK }];
  expect(await ledger.players('.Alex')).toMatchObject([{ votes: 2, names }]);
});

const mergeTwoAccounts = async (ledger: LedgerOfTest) => {
  await ledger.see({ Sasha: STRANGER });
  return ledger.merge('Sasha', 'Alex');
};
const mergeOfOneName = async (ledger: LedgerOfTest) => {
  await ledger.see({ Alex: BEDROCK });
  await ledger.see({ Kim: ALEX });
  return ledger.merge('Alex', 'Kim');
};
test.each<[string, (ledger: LedgerOfTest) => Promise<unknown>, string]>([
  ['join a name that nobody has', (ledger) => ledger.merge('Kim', 'Alex'), 'player-missing'],
  ['join a player to nobody', (ledger) => ledger.merge('Alex', 'Kim'), 'player-missing'],
  ['join a player to themselves', (ledger) => ledger.merge('Alex', 'alex'), 'players-same'],
  ['split a name that nobody has', (ledger) => ledger.split('Kim'), 'player-missing'],
  ['split a name that was not joined', (ledger) => ledger.split('Alex'), 'player-not-joined'],
  ['join players with UUIDs of the same kind', mergeTwoAccounts, 'players-differ'],
  // No split could tell their votes apart.
  ['join players who had the same name', mergeOfOneName, 'players-shared-name'],
])('the operator cannot %s', async (_, change, code) => {
  expect(await change(await alexAndSasha(THANKS))).toEqual({ kind: 'refused', code });
});

test('votes that were left with a joined name are found by a deep check, and a recount moves them', async () => {
  const ledger = await alexAndSasha(THANKS);
  await ledger.see({ Sasha: ALEX });
  ledger.sql("UPDATE votes SET player_id = 2 WHERE player = 'Sasha'");
  const wrong = await ledger.wrong();
  expect(wrong).toMatchObject({ recipients: [1, 2], network: false });
  await ledger.recount(wrong);
  expect([await ledger.wrong(), (await ledger.player('Sasha'))?.votes]).toEqual([RIGHT, 28]);
});

test('whatever table refers to players, nothing is left with a player whose name is joined', async () => {
  const ledger = await alexAndSasha(THANKS);
  const names = (text: string) => ledger.sql(text).map((row) => (row as { name: string }).name);
  const tables = names(`
    SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'player_id' ORDER BY m.name`);
  const of = (player: number) =>
    tables.filter((table) => ledger.sql(`SELECT 1 FROM ${table} WHERE player_id = ${player}`).length > 0);
  // Each table that has no row of Sasha gets one: in its columns, what belongs to Sasha, and otherwise 1.
  const sashas: Readonly<Record<string, unknown>> = {
    ...{ player_id: 2, name_id: 2, vote_id: 21, grant_id: 21, reward: "'thanks'", occasion: "'total 2'" },
  };
  ledger.sql('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
  for (const table of tables.filter((each) => !of(2).includes(each))) {
    const columns = names(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`);
    ledger.sql(`INSERT INTO ${table} (${columns}) VALUES (${columns.map((name) => sashas[name] ?? 1)})`);
  }
  expect([tables, of(2)]).toEqual([
    ['actions', 'grants', 'names', 'occasions', 'party_votes', 'tops', 'vote_days', 'voted_runs', 'votes'],
    tables,
  ]);
  await ledger.see({ Sasha: ALEX });
  expect(of(2)).toEqual([]);
});

test('what waits for a player who is there under two names is paid to the one that the game server shows first', async () => {
  const ledger = await alexAndSasha(THANKS);
  await ledger.see({ Sasha: ALEX });
  await ledger.wait(1);
  const paidTo = async (...keys: readonly string[]) =>
    (await ledger.waiting(MAIN, keys, LATE, 9)).map(({ recipientKey }) => recipientKey);
  expect([await paidTo('alex', 'sasha'), await paidTo('sasha', 'alex')]).toEqual([['alex'], ['sasha']]);
});

test('what does not wait is paid to the name that the player has, under whichever name it was earned', async () => {
  const ledger = await ledgers({ rewards: [DAILY] });
  await ledger.vote(on(1, 'Alex'));
  await ledger.see({ Alex: ALEX });
  await ledger.see({ Sasha: ALEX });
  await ledger.vote(on(2, 'Alex'), on(3, 'Sasha'));
  expect((await ledger.pending(MAIN, LATE, 9)).map(({ recipientKey }) => recipientKey)).toEqual(
    Array.from({ length: 3 }, () => 'sasha'),
  );
});

async function named(): Promise<LedgerOfTest> {
  const ledger = await ledgers();
  const names = ['Alex', 'Alexander', 'ALEXIS', '.alex', 'Alx', 'Steve', 'Bob_1', 'Bob21'];
  await ledger.vote(...names.map((player) => ({ player })));
  return ledger;
}

test.each([
  ['alex', 3, ['.alex', 'alx', 'alexis']],
  ['alex', 1, ['.alex']],
  ['stevee', 3, ['steve']],
  ['alexa', 9, ['alex', 'alexis']],
])(
  'names like %s are found, at most %i, those with another Bedrock prefix first',
  async (name, most, found) => {
    expect(await (await named()).similarNames(name, ['.'], most)).toEqual(found);
  },
);

test.each([
  ['alex', 9, ['alex', 'alexander', 'alexis']],
  ['alex', 2, ['alex', 'alexander']],
  ['bob_', 9, ['bob_1']],
  ['z', 9, []],
])('names that begin with %s are found, at most %i, in alphabetical order', async (start, most, found) => {
  expect(await (await named()).namesBeginning(start, most)).toEqual(found);
});

test('names are found by the UUID of their player, however it is written', async () => {
  const ledger = await named();
  await ledger.see({ Alex: ALEX });
  for (const uuid of [ALEX, ALEX.toUpperCase().replaceAll('-', '')])
    expect(await ledger.namesOfUuid(uuid)).toEqual(['alex']);
  for (const uuid of [ALEX.replace('a', 'b'), 'alex']) expect(await ledger.namesOfUuid(uuid)).toEqual([]);
});
