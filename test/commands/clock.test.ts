import { describe, expect, test } from 'vitest';
import { readingOf } from '../../src/core/clock-reading.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { naming } from '../support/naming.ts';
import { arrival, at } from '../support/votes.ts';
import { type Operator, operator } from './operator.ts';

/** A ledger with one paid reward, and one that is held because the clock jumped by 26 hours. */
async function doubted(): Promise<Operator> {
  const one = await operator();
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const vote = (player: string) => {
    const voted = arrival({ player, receivedAt: clock.now(), claim: null });
    return one.ledger.record({ ...voted, rules: rulesFor(THANKS) }, readingOf(clock));
  };
  await vote('Steve');
  clock.jump(26 * 3_600_000);
  await vote('Alex');
  return one;
}

describe('clock', () => {
  test('exits 0 if the clock is trusted, and shows the time', async () => {
    const one = await operator();
    const { out, exit } = await one.teller('clock', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual([
      { shows: '2026-06-01T12:00:00.000Z', doubt: null, newestAt: null, held: 0, doubts: [] },
    ]);
  });

  test('exits 1 if the clock is doubted, and says why, by how much, and what is held', async () => {
    const one = await doubted();
    const { out, exit } = await one.teller('clock', '--json');
    expect(exit).toBe(1);
    const doubt = { reason: 'jumped-ahead', shownAt: '2026-06-02T14:00:00.000Z', aheadMs: 26 * 3_600_000 };
    expect(JSON.parse(out)).toMatchObject([{ doubt, held: 1, doubts: [{ firstVote: 2, lastVote: null }] }]);
    const { out: shown } = await one.teller('clock');
    expect(shown).toEqual(naming('26 h', '1 reward'));
  });

  test('is a problem in check until it is released, and explain says what to do', async () => {
    const one = await doubted();
    const found = async () => {
      const { out } = await one.teller('check', '--offline', '--json');
      return (JSON.parse(out) as { code: string; mark: string }[]).filter(({ code }) =>
        /^clock|stuck/.test(code),
      );
    };
    expect(await found()).toMatchObject([{ mark: 'problem', code: 'clock-doubtful' }]);
    expect((await one.teller('explain', 'Alex')).out).toContain('teller clock release');
    expect((await one.teller('clock', 'release', '--yes')).exit).toBe(0);
    expect(await found()).toMatchObject([{ mark: 'ok', code: 'clock' }]);
  });
});

describe('clock release', () => {
  test('asks first, and changes nothing without a yes', async () => {
    const one = await doubted();
    const { err, exit } = await one.tellerAsked({ interactive: true }, 'clock', 'release');
    expect([exit, err]).toEqual([1, naming('[not-confirmed]')]);
    expect(one.asked).toEqual([naming('2026-06-01T12:00:00.000Z', '1 reward')]);
    expect(await one.ledger.grantStates()).toEqual({ pending: 1, held: 1 });
  });

  test('pays what was held, and trusts the clock from now on', async () => {
    const one = await doubted();
    const { out, exit } = await one.teller('clock', 'release', '--yes', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ kind: 'released', released: 1 }]);
    expect(await one.ledger.grantStates()).toEqual({ pending: 2 });
    expect((await one.teller('clock')).exit).toBe(0);
    const again = await one.teller('clock', 'release', '--yes', '--json');
    expect(JSON.parse(again.out)).toEqual([{ kind: 'nothing-to-release' }]);
  });

  test('pays in portions, and says how many it paid in all', async () => {
    const one = await doubted();
    const reading = { wall: at('2026-06-02T14:00:00Z'), monotonic: 0 };
    const votes = Array.from({ length: 1_000 }, (_, index) =>
      arrival({ player: `P${index}`, receivedAt: reading.wall, claim: null }),
    );
    await record(one.ledger, votes, rulesFor(THANKS), reading);
    const { out } = await one.teller('clock', 'release', '--yes', '--json');
    expect(JSON.parse(out)).toEqual([
      { kind: 'released', released: 1_001, doubt: expect.objectContaining({ reason: 'jumped-ahead' }) },
    ]);
    expect(await one.ledger.grantStates()).toEqual({ pending: 1_002 });
  });

  test('refuses while the clock shows 1970', async () => {
    const one = await doubted();
    one.clock.jump('1970-01-01T00:10:00Z');
    const { err, exit } = await one.teller('clock', 'release', '--yes');
    expect([exit, err.includes('[clock-not-set]')]).toEqual([1, true]);
  });
});
