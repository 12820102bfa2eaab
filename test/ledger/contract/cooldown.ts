import { describe, expect, test } from 'vitest';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import type { Rules } from '../../../src/rewards/reward.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { Seeded } from '../../support/seeded.ts';
import { arrival, at, DAY, type VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function cooldownContract(freshLedger: LedgerFactory): void {
  /** A vote cast at this time without a claimed time, so that only the window matters. */
  const cast = (iso: string, facts: VoteFacts = {}): Arrival => {
    const ms = at(iso);
    return arrival({ claim: null, receivedAt: ms, castAt: ms, ...facts });
  };

  /** The decisions, in order of arrival. */
  async function decisions(...arrivals: readonly Arrival[]): Promise<string[]> {
    const { ledger } = await freshLedger();
    const recorded = await record(ledger, arrivals, rulesFor(THANKS));
    return recorded.map((one) => (one.kind === 'new' ? one.decision.kind : one.kind));
  }

  const FIRST = cast('2026-06-01T00:00:00.000Z');

  describe('once for each player in 24 hours (rule 3)', () => {
    test.each([
      ['2026-06-01T23:59:59.999Z', 'cooldown'],
      ['2026-06-02T00:00:00.000Z', 'rewarded'],
      ['2026-05-31T00:00:00.001Z', 'cooldown'],
      ['2026-05-31T00:00:00.000Z', 'rewarded'],
    ])('after a vote at 2026-06-01T00:00:00.000Z, a vote at %s gets %s', async (second, decision) => {
      expect(await decisions(FIRST, cast(second))).toEqual(['rewarded', decision]);
    });

    test('a vote inside the window has the time at which the next vote is rewarded, and the vote that took the window', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [FIRST, cast('2026-06-01T18:00:00Z')], rulesFor());
      expect(await ledger.votes({ limit: 1 })).toMatchObject([
        { id: 2, decision: 'cooldown', takenBy: 1, nextAt: at('2026-06-02T00:00:00.000Z') },
      ]);
    });

    test('a vote inside the window does not extend it', async () => {
      expect(await decisions(FIRST, cast('2026-06-01T23:00:00Z'), cast('2026-06-02T00:00:00Z'))).toEqual([
        'rewarded',
        'cooldown',
        'rewarded',
      ]);
    });

    test('a late arrival between two rewarded votes is not rewarded', async () => {
      const third = cast('2026-06-02T06:00:00Z');
      expect(await decisions(FIRST, third, cast('2026-06-01T12:00:00Z'))).toEqual([
        'rewarded',
        'rewarded',
        'cooldown',
      ]);
      // Between two that are 48 hours apart there is room for exactly one instant.
      const far = cast('2026-06-03T00:00:00Z');
      const between = ['2026-06-01T23:59:59.999Z', '2026-06-02T00:00:00.001Z', '2026-06-02T00:00:00Z'];
      expect(await decisions(FIRST, far, ...between.map((iso) => cast(iso)))).toEqual([
        'rewarded',
        'rewarded',
        'cooldown',
        'cooldown',
        'rewarded',
      ]);
    });

    test('a late arrival between two rewarded votes has the first free instant after both as its next time', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [FIRST, cast('2026-06-02T06:00:00Z'), cast('2026-06-01T12:00:00Z')], rulesFor());
      expect(await ledger.votes({ limit: 1 })).toMatchObject([{ nextAt: at('2026-06-03T06:00:00Z') }]);
    });

    test('each player and each site has a window of its own', async () => {
      const others = [{ player: 'Alex' }, { site: 'Other' }, { site: 'Other', player: 'alex' }];
      expect(await decisions(FIRST, ...others.map((facts) => cast('2026-06-01T00:00:00Z', facts)))).toEqual([
        'rewarded',
        'rewarded',
        'rewarded',
        'rewarded',
      ]);
      expect(await decisions(FIRST, cast('2026-06-01T00:00:01Z', { player: 'sTEVE' }))).toEqual([
        'rewarded',
        'cooldown',
      ]);
    });

    test('a site’s own cooldown applies: with 12 h, a vote 1 ms earlier gets cooldown', async () => {
      const cooldownMs = DAY / 2;
      const own = (iso: string) => cast(iso, { cooldownMs });
      expect(
        await decisions(
          own('2026-06-01T00:00:00Z'),
          own('2026-06-01T11:59:59.999Z'),
          own('2026-06-01T12:00:00Z'),
        ),
      ).toEqual(['rewarded', 'cooldown', 'rewarded']);
    });

    test('a cancelled grant does not reopen the window', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [FIRST], rulesFor(THANKS));
      expect(await ledger.cancel(1, { by: 'ann' }, 0)).toEqual({ kind: 'changed' });
      const [again] = await record(ledger, [cast('2026-06-01T01:00:00Z')], rulesFor(THANKS));
      expect(again).toMatchObject({ decision: { kind: 'cooldown' } });
    });
  });

  describe('a service that is listed after its votes were taken under `default`', () => {
    const unlisted = (iso: string) => cast(iso, { service: 'New.example', site: 'default' });
    const listed = (iso: string) => cast(iso, { service: 'New.example', site: 'New.example' });

    test('keeps the window that it took there, and its next vote is rewarded when that ends', async () => {
      expect(
        await decisions(
          unlisted('2026-06-01T00:00:00Z'),
          listed('2026-06-01T12:00:00Z'),
          listed('2026-06-02T00:00:00Z'),
        ),
      ).toEqual(['rewarded', 'cooldown', 'rewarded']);
    });

    test('no longer shares the windows of other unlisted services', async () => {
      const other = cast('2026-06-01T00:00:00Z', { service: 'Other.example', site: 'default' });
      expect(await decisions(other, listed('2026-06-01T01:00:00Z'))).toEqual(['rewarded', 'rewarded']);
    });

    test('still holds the window of `default` for the other unlisted services', async () => {
      const other = cast('2026-06-01T02:00:00Z', { service: 'Other.example', site: 'default' });
      expect(await decisions(unlisted('2026-06-01T00:00:00Z'), other)).toEqual(['rewarded', 'unlisted']);
    });

    test('keeps the windows of its entry when the entry is removed', async () => {
      expect(await decisions(listed('2026-06-01T00:00:00Z'), unlisted('2026-06-01T12:00:00Z'))).toEqual([
        'rewarded',
        'cooldown',
      ]);
    });
  });

  describe('a cooldown of a day', () => {
    const day = (iso: string): Arrival => ({
      ...cast(iso),
      cooldown: { kind: 'day', beginsAt: 240, zone: 'UTC' },
    });

    test('rewards one vote for each day that begins at its time', async () => {
      expect(
        await decisions(
          day('2026-06-01T22:00:00Z'),
          day('2026-06-02T03:59:59.999Z'),
          day('2026-06-02T04:00:00Z'),
          day('2026-06-02T21:00:00Z'),
        ),
      ).toEqual(['rewarded', 'cooldown', 'rewarded', 'cooldown']);
    });

    test('stores the whole day as the window, and shows when the next one begins', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [day('2026-06-01T22:00:00Z'), day('2026-06-01T23:00:00Z')], rulesFor(THANKS));
      const window = { start: at('2026-06-01T04:00:00Z'), end: at('2026-06-02T04:00:00Z') };
      expect(await ledger.votes({ limit: 2 })).toMatchObject([
        { decision: 'cooldown', takenBy: 1, window, nextAt: window.end },
        { decision: 'rewarded', window, nextAt: window.end },
      ]);
    });

    test('that replaces 24 h rewards the first vote of the next day, and cuts the window before', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [cast('2026-06-01T22:00:00Z'), day('2026-06-02T05:00:00Z')], rulesFor(THANKS));
      expect(await ledger.votes({ limit: 2 })).toMatchObject([
        { id: 2, decision: 'rewarded', window: { start: at('2026-06-02T04:00:00Z') } },
        { id: 1, window: { start: at('2026-06-01T22:00:00Z'), end: at('2026-06-02T04:00:00Z') } },
      ]);
    });

    test('that is replaced by 24 h blocks votes for 24 h after its vote, not until its day ends', async () => {
      const changed = ['2026-06-02T21:59:59.999Z', '2026-06-02T22:00:00Z'].map((iso) => cast(iso));
      expect(await decisions(day('2026-06-01T22:00:00Z'), ...changed)).toEqual([
        'rewarded',
        'cooldown',
        'rewarded',
      ]);
    });

    test('lets a late vote in for a day without one, between two that were rewarded', async () => {
      expect(
        await decisions(
          day('2026-06-01T12:00:00Z'),
          day('2026-06-03T12:00:00Z'),
          day('2026-06-02T12:00:00Z'),
          day('2026-06-02T13:00:00Z'),
        ),
      ).toEqual(['rewarded', 'rewarded', 'rewarded', 'cooldown']);
    });
  });

  test('a vote that cannot be decided because of a bug is rejected, and the other votes of its batch are recorded', async () => {
    const { ledger } = await freshLedger();
    const broken = { ...rulesFor(), rewards: [null] } as unknown as Rules;
    const [good, bad, next] = [
      FIRST,
      cast('2026-06-01T00:00:00Z', { player: 'Alex' }),
      cast('2026-06-01T01:00:00Z'),
    ];
    const outcomes = await Promise.allSettled([
      ledger.record({ ...good, rules: rulesFor(THANKS) }, null),
      ledger.record({ ...bad, rules: broken }, null),
      ledger.record({ ...next, rules: rulesFor(THANKS) }, null),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await ledger.votes({ limit: 9 })).map(({ id, player }) => [id, player])).toEqual([
      [2, 'Steve'],
      [1, 'Steve'],
    ]);
  });

  interface Cast {
    readonly player: string;
    readonly site: string;
    readonly castAt: number;
  }

  const isClose = (a: Cast, b: Cast): boolean =>
    a.player === b.player && a.site === b.site && Math.abs(a.castAt - b.castAt) < DAY;

  /** Pairs of votes of one player and site that are closer than 24 hours. */
  const closePairs = (votes: readonly Cast[]): Cast[][] =>
    votes.flatMap((vote, index) =>
      votes.slice(index + 1).flatMap((other) => (isClose(vote, other) ? [[vote, other]] : [])),
    );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'in any order of arrival (seed %i) no two rewarded votes are closer than 24 h, and every vote is recorded once',
    async (seed) => {
      const random = new Seeded(seed);
      const { ledger } = await freshLedger();
      const start = at('2026-06-01T00:00:00Z');
      const sent = Array.from({ length: 400 }, (_, number) => {
        // Quarter days, so that exactly 24 h and the same instant come up often, and some a millisecond beside.
        const castAt = start + random.below(40) * (DAY / 4) + random.pick([0, 0, 0, 1, -1]);
        const facts = {
          player: random.pick(['Steve', 'Alex', 'Eve']),
          site: random.pick(['default', 'Other']),
        };
        return arrival({
          ...facts,
          castAt,
          receivedAt: castAt,
          claim: null,
          blockDigest: Buffer.from(`${number}`.padStart(32)),
        });
      });
      const again = sent.filter(() => random.chance(0.2));
      const order = [...sent, ...again]
        .map((one) => ({ one, key: random.next() }))
        .sort((a, b) => a.key - b.key);
      while (order.length > 0) {
        const batch = order.splice(0, 1 + random.below(30));
        await record(
          ledger,
          batch.map(({ one }) => one),
          rulesFor(THANKS),
        );
      }
      const votes = await ledger.votes({ limit: 9_999 });
      expect(votes).toHaveLength(400);
      const casts = (wanted: string): Cast[] =>
        votes
          .filter(({ decision }) => decision === wanted)
          .map(({ recipient, site, castAt }) => ({ player: recipient, site, castAt }));
      const rewarded = casts('rewarded');
      expect(closePairs(rewarded)).toEqual([]);
      expect(await ledger.grantStates()).toEqual({ pending: rewarded.length });
      // No vote was refused a free window.
      expect(casts('cooldown').filter((vote) => !rewarded.some((other) => isClose(vote, other)))).toEqual([]);
    },
  );
}
