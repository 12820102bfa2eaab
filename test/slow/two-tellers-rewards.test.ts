import { describe, expect, test } from 'vitest';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { logged } from './disk-fixture.ts';
import {
  expectRightCounts,
  expectStates,
  numbered,
  SOON,
  type Teller,
  type TwoTellers,
  twoTellers,
} from './two-tellers-fixture.ts';

const SITES = numbered('Site', 20);
const FIRST = { site: 'Site1' };

/** What a player is owed on terms. Those that wait for them cannot be paid before they come. */
const TERMS = [
  { name: 'coins', commands: ['say a coin for {player}'] },
  { name: 'late', if: FIRST, when: 'always', delay: '6s', commands: ['say late for {player}'] },
  { name: 'gone', if: FIRST, expiresAfter: '1m', commands: ['say never'] },
];

/** States by reward. */
async function statesOf(
  look: ReturnType<TwoTellers['look']>,
): Promise<Record<string, Record<string, number>>> {
  const by: Record<string, Record<string, number>> = {};
  for (const { reward, state, reason } of await look.grants({ limit: 999 })) {
    const states = by[reward] ?? {};
    by[reward] = states;
    const key = state === 'cancelled' ? String(reason?.code) : state;
    states[key] = (states[key] ?? 0) + 1;
  }
  return by;
}

/** As if what expires had been stored a minute earlier. */
function letAMinutePass({ ledger }: TwoTellers): void {
  const database = new Sqlite(ledger);
  const past = 'created_at = created_at - 60000, expires_at = expires_at - 60000';
  database.exec(`UPDATE grants SET ${past} WHERE reward = 'gone'`);
  database.close();
}

const commandsOf = (here: TwoTellers, end: string) => here.ran().filter((command) => command.endsWith(end));

describe('what is owed on terms, on a ledger of two processes', { timeout: 60_000 }, () => {
  /** Twenty votes of Alex, ten to each process at the same time. */
  async function owedToAlex(start: (here: TwoTellers) => Promise<Teller>) {
    const here = await twoTellers({ sites: SITES, rewards: TERMS });
    const both = [await start(here), await here.run()] as const;
    const sent = SITES.map((site, at) => here.vote(both[at % 2 === 0 ? 0 : 1], 'Alex', site));
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['accepted']));
    return { here, both, look: here.look() };
  }

  test('after kill -9 of the process that pays, the other ends delays and lets expire', async () => {
    const { here, both, look } = await owedToAlex((each) => each.run());
    const [holder, other] = both;
    letAMinutePass(here);
    await expect
      .poll(() => statesOf(look), SOON)
      .toMatchObject({
        coins: { waiting: 20 },
        gone: { expired: 1 },
        late: { waiting: 1 },
      });
    await holder.kill();
    expect(await here.vote(other, 'Steve', 'Site1')).toBe('accepted');
    letAMinutePass(here);
    await expect
      .poll(() => statesOf(look), SOON)
      .toMatchObject({ gone: { expired: 2 }, late: { delivered: 2 } });
    here.server.join('Alex');
    here.server.join('Steve');
    await expectStates(look, { delivered: 20 + 1 + 1 + 1, cancelled: 2 });
    expect(commandsOf(here, 'coin for Alex')).toHaveLength(20);
    expect(commandsOf(here, 'late for Alex')).toEqual(['say late for Alex']);
    expect(here.ran()).not.toContain('say never');
    expect(here.ran()).toHaveLength(20 + 1 + 1 + 1);
    await expectRightCounts(look);
  });

  test.each([
    'before-claim',
    'after-claim',
    'between-write-and-settlement',
    'before-settle',
    'after-settle',
  ] as const)('is paid once, or held, if the process that pays dies %s', async (point) => {
    const { here, both, look } = await owedToAlex((each) => each.runDying(point));
    await expect.poll(async () => (await statesOf(look)).coins, SOON).toEqual({ waiting: 20 });
    letAMinutePass(here);
    await expect.poll(async () => (await statesOf(look)).gone, SOON).toEqual({ expired: 1 });
    here.server.join('Alex');
    await both[0].ended();
    const isOver = async () => {
      const { pending = 0, waiting = 0 } = await look.grantStates();
      return pending + waiting;
    };
    await expect.poll(isOver, SOON).toBe(0);
    const { coins, late } = await statesOf(look);
    expect((coins?.delivered ?? 0) + (coins?.held ?? 0)).toBe(20);
    const held = [coins?.held ?? 0, late?.held ?? 0];
    expect(held.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(1);
    expect(commandsOf(here, 'coin for Alex').length).toBeLessThanOrEqual(20);
    expect(commandsOf(here, 'late for Alex').length).toBeLessThanOrEqual(1);
    expect(here.ran().length).toBeGreaterThanOrEqual(20);
    expect(here.ran()).not.toContain('say never');
  });
});

describe('an announcement, on a ledger of two processes', { timeout: 60_000 }, () => {
  const NEWS = {
    ...{ name: 'news', when: 'always', announce: true },
    commands: ['say {player} voted'],
  };
  const PLAYERS = ['Alex', 'Steve', 'Sasha'];
  const ALL = PLAYERS.map((player) => `say ${player} voted`);
  const CERTAIN: readonly KillPoint[] = ['before-announce', 'after-announce', 'before-claim'];
  const UNCERTAIN: readonly KillPoint[] = ['after-claim', 'between-write-and-settlement', 'before-settle'];

  test.each([...CERTAIN, ...UNCERTAIN])(
    'is never sent twice nor held if the process that announces dies %s',
    async (point) => {
      const here = await twoTellers({ rewards: [NEWS] });
      for (const player of PLAYERS) here.server.join(player);
      const [holder, recorder] = [await here.runDying(point), await here.run()];
      await here.voteInTurn(
        [recorder, recorder],
        PLAYERS.map((player) => [player]),
      );
      await holder.ended();
      const look = here.look();
      await expectStates(look, { delivered: 3 });
      expect(logged(recorder, 'delivering')).toHaveLength(1);
      expect(new Set(here.ran()).size).toBe(here.ran().length);
      expect(ALL).toEqual(expect.arrayContaining([...here.ran()]));
      // What may have been sent counts as sent.
      expect(here.ran()).toHaveLength(point === 'after-claim' ? 2 : 3);
    },
  );
});
