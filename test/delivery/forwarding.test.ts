import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { type Mood, votifierGame } from '../kit/votifier.ts';

const MINUTE = 60_000;

/** A Teller that forwards its votes to another listener. @param settings of its entry. */
async function forwarding(protocol: 'v1' | 'v2' = 'v2', settings: object = {}) {
  const old = await votifierGame(protocol, settings);
  const teller = await here({ gameServers: { old: old.entry }, rewards: [] });
  return {
    ...{ old, teller, vote: (player: string) => teller.vote({ player }) },
    /** Time in steps that are shorter than any limit; all that is on its way arrives in between. */
    pass: (ms: number) => teller.pass(ms, 2_500),
    /** The players of the votes that are in this state, oldest first. */
    inState: async (wanted: string): Promise<readonly string[]> =>
      (await teller.grants())
        .filter(({ state }) => state === wanted)
        .map(({ commands }) => JSON.parse(commands[0]?.command ?? '{}').player),
  };
}

const NOT_RECEIVED: readonly Mood[] = [
  'down',
  'silent',
  'closes at once',
  'resets at once',
  'closes after its greeting',
  'resets after its greeting',
];

test('by version 1, votes wait while the other listener gets none whole; then all arrive, once each and in order', async () => {
  const { old, teller, vote, pass, inState } = await forwarding('v1');
  const players = NOT_RECEIVED.map((_, at) => `P${at}`);
  for (const [at, mood] of NOT_RECEIVED.entries()) {
    await old.be(mood);
    await vote(`P${at}`);
    await pass(2 * MINUTE);
    expect([old.ran, await inState('pending')], mood).toEqual([[], players.slice(0, at + 1)]);
  }
  await old.be('well');
  await pass(MINUTE);
  await teller.until(() => old.ran.length === players.length);
  expect(old.ran).toEqual(players);
  await teller.until(async () => (await inState('delivered')).join() === players.join());
});

test('by version 1, votes that may have arrived are held and never sent again; those after them go on in order', async () => {
  const { old, teller, vote, pass, inState } = await forwarding('v1');
  const moods: readonly Mood[] = ['well', 'resets after the vote', 'well', 'is silent after the vote'];
  for (const [at, mood] of moods.entries()) {
    await old.be(mood);
    await vote(`P${at}`);
    await pass(MINUTE);
  }
  await old.be('well');
  await vote('Last');
  await pass(5 * MINUTE);
  await teller.until(() => old.ran.at(-1) === 'Last');
  const withMood = (isWell: boolean) =>
    moods.flatMap((mood, at) => ((mood === 'well') === isWell ? [`P${at}`] : []));
  expect([old.ran, old.unconfirmed]).toEqual([[...withMood(true), 'Last'], withMood(false)]);
  expect(await inState('held')).toEqual(withMood(false));
  expect(await inState('delivered')).toEqual([...withMood(true), 'Last']);
});

test('a listener that fails in every way in turn gets votes in order and none twice, and what is unknown is held', async () => {
  const { old, teller, vote, pass, inState } = await forwarding();
  const moods: readonly Mood[] = [
    ...NOT_RECEIVED,
    'answers with an error',
    'well',
    'closes in the middle of the vote',
    'resets after the vote',
    'answers with an error',
    'closes in the middle of its answer',
    'is silent after the vote',
    'down',
  ];
  const players = moods.map((_, at) => `P${at}`);
  for (const [at, mood] of moods.entries()) {
    await old.be(mood);
    await vote(`P${at}`);
    await pass(2 * MINUTE);
  }
  await old.be('well');
  await vote('Last');
  await pass(3 * MINUTE);
  await teller.until(() => old.ran.at(-1) === 'Last');
  const held = await inState('held');
  expect(await inState('delivered')).toEqual(old.ran);
  expect([...old.ran, ...held].toSorted()).toEqual([...players, 'Last'].toSorted());
  expect(old.ran).toEqual([...players, 'Last'].filter((player) => old.ran.includes(player)));
  // Each that arrived in whole without a confirmation is held; one was cut off while it was received.
  expect(held).toEqual(expect.arrayContaining(old.unconfirmed));
  expect(held).toHaveLength(old.unconfirmed.length + 1);
  expect(teller.log.filter(({ code }) => code === 'unknown')).toHaveLength(held.length);
});

test('a vote that is refused while Teller is started again every four minutes is given up at maxAge', async () => {
  const { old, teller, vote, pass, inState } = await forwarding('v2', { maxAge: '12m' });
  await old.be('answers with an error');
  await vote('Bad');
  await pass(3.5 * MINUTE);
  await vote('Good');
  for (let times = 0; times < 2; times++) {
    expect(await inState('pending')).toEqual(['Bad', 'Good']);
    await teller.restart();
    await pass(3.5 * MINUTE);
  }
  await teller.pass(2 * MINUTE, 10_000);
  await old.be('well');
  await pass(70_000);
  await teller.until(() => old.ran.length > 0);
  expect(await inState('cancelled')).toEqual(['Bad']);
  expect(old.ran).toEqual(['Good']);
});
