/** Two processes record on one ledger and one of them pays, while a third types commands. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Apart, apart, typedHere } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { furnish } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsIn, grantsOf, witness } from '../kit/witness.ts';
import { temporaryFolder } from '../support/folder.ts';

const PATIENT = { timeout: 90_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

type Both = Awaited<ReturnType<typeof both>>;

async function both(more: object = {}) {
  const game = await rconGame();
  const place = furnish(temporaryFolder(), {
    gameServers: { main: game.entry },
    rewards: [SAY],
    timeZone: 'UTC',
    ...more,
  });
  const tellers = [await apart(place), await apart(place)] as const;
  return {
    ...{ ...place, game, tellers },
    /** Types a command that ends well. */
    done: async (...words: readonly string[]): Promise<void> =>
      expect(await typedHere(place, ...words)).toMatchObject({ exit: 0 }),
    /** Resolves when so many grants are there, and all are in one of these states. */
    until: async (count: number, ...states: readonly string[]): Promise<void> => {
      const isSo = async () => {
        const grants = await grantsIn(place);
        return grants.length === count && grants.every(({ state }) => states.includes(state));
      };
      while (!(await isSo())) await sleep(100);
    },
  };
}

/** Each player votes once, at the two processes in turn. */
async function cast({ tellers }: Both, ...players: readonly string[]): Promise<void> {
  for (const [at, player] of players.entries())
    expect(await (tellers[at % 2] as Apart).vote({ player })).toBe('ok');
}

test(
  '`pause` of a third stops both, also after kill -9 of the one that pays, and `resume` pays each once',
  PATIENT,
  async () => {
    const here = await both();
    const [holder, other] = here.tellers;
    await cast(here, 'Alex', 'Steve');
    await here.until(2, 'delivered');
    await here.done('pause');
    await cast(here, 'Sasha', 'Robin');
    await holder.kill();
    await other.until(async () => other.log().includes('"code":"delivering"'));
    expect(await other.vote({ player: 'Kim' })).toBe('ok');
    expect((await grantsOf(here)).filter((grant) => grant.endsWith(': delivered'))).toHaveLength(2);
    expect(here.game.ran).toHaveLength(2);

    await here.done('resume');

    await here.until(5, 'delivered');
    expect(here.game.ran.toSorted()).toEqual(
      ['Alex', 'Kim', 'Robin', 'Sasha', 'Steve'].map((player) => `say ${player} voted on List`),
    );
  },
);

test('`sites add` pays each vote of its service once while votes go on', PATIENT, async () => {
  const lists = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  const here = await both({ sites: { default: { token: TOKEN } } });
  // The first takes the window that services without an entry share.
  for (const [at, site] of lists.entries())
    expect(await (here.tellers[at % 2] as Apart).vote({ player: 'Steve', site })).toBe('ok');
  await here.until(1, 'delivered');
  for (const some of [lists.slice(0, 3), lists.slice(3)]) {
    const added = here.done('sites', 'add', ...some, '--yes');
    for (const [at, site] of some.entries())
      expect(await (here.tellers[at % 2] as Apart).vote({ player: `Voter${site}`, site })).toBe('ok');
    await added;
  }
  await here.until(12, 'delivered');
  const all = lists.flatMap((site) => [`say Steve voted on ${site}`, `say Voter${site} voted on ${site}`]);
  expect(here.game.ran.toSorted()).toEqual(all.toSorted());
  expect((await witness(here)).faults).toEqual([]);
});

test(
  'votes that both record at once pay one player’s window once, fill a limit of all players once, and pay each total of all once',
  PATIENT,
  async () => {
    const limit = { per: 'network', count: 3, within: 'day' };
    const rewards = [
      SAY,
      { ...SAY, name: 'three', limit },
      { ...SAY, name: 'tenths', if: { votes: { of: 'network', every: 10 } } },
    ];
    const here = await both({ sites: { default: { token: TOKEN } }, rewards });
    const both100 = (vote: (name: string) => Parameters<Apart['vote']>[0]) =>
      Promise.all(numbered('N', 100).map((name, at) => (here.tellers[at % 2] as Apart).vote(vote(name))));
    // Services without an entry share one window.
    await both100((site) => ({ player: 'Steve', site }));
    await both100((player) => ({ player }));
    await here.until(101 + 3 + 10, 'delivered');
    const grants = await grantsOf(here);
    const { votes, faults } = await witness(here);
    expect([votes.length, faults]).toEqual([200, []]);
    for (const [reward, count] of Object.entries({ thanks: 101, three: 3, tenths: 10 }))
      expect(grants.filter((grant) => grant.includes(` ${reward} `))).toHaveLength(count);
  },
);

const SITES = numbered('Site', 80);

/** Alex and Sasha vote on 40 sites each, both at the same time. */
async function busy() {
  const here = await both({
    sites: { default: { token: TOKEN }, ...Object.fromEntries(SITES.map((name) => [name, {}])) },
  });
  let sent = 0;
  const send = async (): Promise<void> => {
    for (const [at, site] of SITES.slice(0, 40).entries()) {
      const answers = [
        here.tellers[0].vote({ player: 'Alex', site }),
        here.tellers[1].vote({ player: 'Sasha', site: SITES[40 + at] ?? '' }),
      ];
      expect(await Promise.all(answers)).toEqual(['ok', 'ok']);
      sent += 2;
    }
  };
  const all = send();
  while (sent <= 4) await sleep(5);
  return { ...here, all };
}

test(
  'players who are merged and split while they vote lose no vote and no grant, and are paid each once',
  PATIENT,
  async () => {
    const here = await busy();
    for (let round = 0; round < 3; round++) {
      await here.done('players', 'merge', 'Sasha', '--into', 'Alex', '--yes');
      await here.done('players', 'split', 'Sasha', '--yes');
    }
    await here.all;
    await here.until(80, 'delivered');
    expect([here.game.ran.length, new Set(here.game.ran).size]).toEqual([80, 80]);
    for (const player of ['Alex', 'Sasha']) {
      const { json } = await typedHere(here, 'players', 'show', player, '--json');
      expect([json[0].votes, json[0].names.length]).toEqual([40, 1]);
    }
    expect((await witness(here)).faults).toEqual([]);
  },
);

test(
  'a player who is forgotten while they vote keeps all counts, is paid nothing twice, and is named nowhere',
  PATIENT,
  async () => {
    const here = await busy();
    await here.done('players', 'forget', 'Sasha', '--yes');
    const forgotten = (await grantsOf(here)).filter((grant) => grant.startsWith('forgotten')).length;
    expect(forgotten).toBeGreaterThan(0);
    await here.all;
    await here.until(80, 'delivered', 'cancelled');
    const grants = await grantsOf(here);
    const paid = grants.filter((grant) => grant.endsWith(': delivered'));
    expect([here.game.ran.length, new Set(here.game.ran).size]).toEqual([paid.length, paid.length]);
    expect(grants.filter((grant) => grant.startsWith('forgotten'))).toHaveLength(forgotten);
    const { votes, faults } = await witness(here);
    expect([votes.length, faults]).toEqual([80, []]);
    expect(votes.filter((vote) => vote.startsWith('forgotten'))).toHaveLength(forgotten);
  },
);
