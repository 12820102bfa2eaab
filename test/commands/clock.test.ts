import { describe, expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { desk } from '../kit/place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const DAY_AND_2_H = 26 * 3_600_000;
const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const AFTER_JUMP = '2026-06-02T14:00:00.000Z';

const states = async ({ grants }: Here) => (await grants()).map(({ state }) => state);

/** A Teller with one paid reward, and one that is held because the clock jumped by 26 hours. */
async function doubted(more: object = {}): Promise<Here> {
  const teller = await here({ rewards: [THANKS], ...more }, new FakeClock('2026-06-01T12:00:00Z'));
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(DAY_AND_2_H);
  await teller.vote({ player: 'Alex' });
  return teller;
}

describe('clock', () => {
  test('exits 0 if the clock is trusted, and shows the time', async () => {
    const { json, exit } = await desk().run('clock', '--json');
    expect([exit, json]).toEqual([
      0,
      [{ shows: '2026-06-01T12:00:00.000Z', doubt: null, newestAt: null, held: 0, doubts: [] }],
    ]);
  });

  test('exits 1 if the clock is doubted, and says why, by how much, and what is held', async () => {
    const { run } = await doubted();
    const { json, exit } = await run('clock', '--json');
    expect(exit).toBe(1);
    const doubt = { reason: 'jumped-ahead', shownAt: AFTER_JUMP, aheadMs: DAY_AND_2_H };
    expect(json).toMatchObject([{ doubt, held: 1, doubts: [{ firstVote: 2, lastVote: null }] }]);
    expect((await run('clock')).out).toEqual(naming('26 h', '1 reward'));
  });

  test('is a problem in check until it is released, and explain says what to do', async () => {
    const { run } = await doubted();
    const found = async () =>
      (await run('check', '--offline', '--json')).json.filter(({ code }: { code: string }) =>
        /^clock|stuck/.test(code),
      );
    expect(await found()).toMatchObject([{ mark: 'problem', code: 'clock-doubtful' }]);
    expect((await run('explain', 'Alex')).out).toContain('teller clock release');
    expect((await run('clock', 'release', '--yes')).exit).toBe(0);
    expect(await found()).toMatchObject([{ mark: 'ok', code: 'clock' }]);
  });
});

describe('clock release', () => {
  test('asks first, and changes nothing without a yes', async () => {
    const teller = await doubted();
    const { err, exit, asked } = await teller.runBy({ answers: [false] }, 'clock', 'release');
    expect([exit, err]).toEqual([1, naming('[not-confirmed]')]);
    expect(asked).toEqual([naming(AFTER_JUMP, '1 reward')]);
    expect((await states(teller))[1]).toBe('held');
  });

  test('pays what was held, and trusts the clock from now on', async () => {
    const teller = await doubted();
    const { json, exit } = await teller.run('clock', 'release', '--yes', '--json');
    expect([exit, json]).toMatchObject([0, [{ kind: 'released', released: 1 }]]);
    await teller.untilGrants('delivered', 'delivered');
    expect((await teller.run('clock')).exit).toBe(0);
    await teller.vote({ player: 'Zoe' });
    await teller.untilGrants('delivered', 'delivered', 'delivered');
    const again = await teller.run('clock', 'release', '--yes', '--json');
    expect(again.json).toEqual([{ kind: 'nothing-to-release' }]);
  });

  test('pays in portions, and says how many it paid in all', async () => {
    const rewards = Array.from({ length: 50 }, (_, n) => ({ ...THANKS, name: `thanks-${n}` }));
    const away = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
    const teller = await doubted({ rewards, gameServers: { main: away } });
    for (let more = 0; more < 20; more++) await teller.vote({ player: `P${more}` });
    const { json } = await teller.during(teller.run('clock', 'release', '--yes', '--json'));
    expect(json).toEqual([
      { kind: 'released', released: 1_050, doubt: expect.objectContaining({ reason: 'jumped-ahead' }) },
    ]);
    expect(new Set(await states(teller))).not.toContain('held');
  });

  test('refuses while the clock shows 1970', async () => {
    const teller = await doubted();
    teller.clock.jump(Date.parse('1970-01-01T00:10:00Z') - teller.clock.now());
    expect(await teller.run('clock', 'release', '--yes')).toMatchObject({
      ...{ exit: 1, err: naming('[clock-not-set]') },
    });
  });
});
