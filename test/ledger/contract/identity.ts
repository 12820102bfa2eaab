import { describe, expect, test } from 'vitest';
import type { Recipient } from '../../../src/core/vote.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival, at, claimed, DAY, type VoteFacts, webhookArrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function identityContract(freshLedger: LedgerFactory): void {
  /** Numbers the distinct votes: `[1, 1, 2]` means that the second was the same as the first. */
  async function numbers(...arrivals: readonly Arrival[]): Promise<number[]> {
    const { ledger } = await freshLedger();
    const ids: number[] = [];
    for (const one of arrivals) ids.push(...(await record(ledger, [one], rulesFor())).map(({ id }) => id));
    return ids;
  }

  const listener = (claim: string | null, facts: VoteFacts = {}): Arrival =>
    arrival({
      claim: claim === null ? null : claimed(claim),
      receivedAt: at('2026-06-01T12:00:05.500Z'),
      ...facts,
    });

  const webhook = (eventId: string, claim: string, facts: VoteFacts = {}): Arrival =>
    webhookArrival(eventId, { claim: claimed(claim), castAt: at(claim), ...facts });

  describe('the same event ID (rule 2)', () => {
    test('is the same vote, even if everything else differs', async () => {
      const again = webhook('E1', '2026-07-01T00:00:00Z', { player: 'Alex' });
      expect(await numbers(webhook('E1', '2026-06-01T12:00:00Z'), again)).toEqual([1, 1]);
    });

    test('of another service is a different vote, so a site cannot suppress the votes of another site', async () => {
      const other = webhook('E1', '2026-06-01T12:00:01Z', { service: 'Other' });
      expect(await numbers(webhook('E1', '2026-06-01T12:00:00Z'), other)).toEqual([1, 2]);
    });

    test('of a renamed entry is the same vote if its player and its time are the same', async () => {
      const renamed = webhook('E1', '2026-06-01T12:00:00Z', { service: 'Other' });
      expect(await numbers(webhook('E1', '2026-06-01T12:00:00Z'), renamed)).toEqual([1, 1]);
    });
  });

  describe('the same v1 block (rule 2)', () => {
    const blockDigest = Buffer.alloc(32, 1);
    const v1 = (facts: VoteFacts = {}) => listener(null, { channel: 'listener-v1', blockDigest, ...facts });

    test('is the same vote 25 hours and 400 days later, without a claimed time', async () => {
      const received = at('2026-06-01T12:00:00Z');
      const later = [25 * 3_600_000, 400 * DAY].map((ms) => v1({ receivedAt: received + ms }));
      expect(await numbers(v1({ receivedAt: received }), ...later)).toEqual([1, 1, 1]);
    });

    test('is the same vote within one transaction', async () => {
      const { ledger } = await freshLedger();
      const recorded = await record(ledger, [v1(), v1(), v1()], rulesFor(THANKS));
      expect(recorded.map(({ kind }) => kind)).toEqual(['new', 'same', 'same']);
      expect(await ledger.grantStates()).toEqual({ pending: 1 });
    });

    test('encrypted again is the same vote by its claimed time, and so is its replay a month later', async () => {
      const claim = '2026-06-01T12:00:00.123Z';
      const first = listener(claim, { channel: 'listener-v1', blockDigest: Buffer.alloc(32, 1) });
      const second = listener(claim, { channel: 'listener-v1', blockDigest: Buffer.alloc(32, 2) });
      const replayed = listener(claim, {
        channel: 'listener-v1',
        blockDigest: Buffer.alloc(32, 2),
        receivedAt: at('2026-07-01T12:00:00Z'),
      });
      expect(await numbers(first, second, replayed)).toEqual([1, 1, 1]);
    });

    test('is required without a claimed time: a different block is a different vote', async () => {
      expect(await numbers(v1(), v1({ blockDigest: Buffer.alloc(32, 2) }))).toEqual([1, 2]);
    });
  });

  describe('the same service, recipient and claimed time (rule 2)', () => {
    const MS = '2026-06-01T12:00:00.123Z';

    test('are the same vote, on any channel and at any time', async () => {
      const [v2, v1] = [
        listener(MS),
        listener(MS, { channel: 'listener-v1', blockDigest: Buffer.alloc(32, 9) }),
      ];
      const late = listener(MS, { receivedAt: at('2026-06-09T00:00:00Z') });
      expect(await numbers(v2, v1, late, webhook('E1', MS))).toEqual([1, 1, 1, 1]);
    });

    test.each([
      [
        '2026-06-01T12:00:00.123Z',
        '2026-06-01T12:00:00.124Z',
        [1, 2],
        'both have milliseconds, which are compared',
      ],
      ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.999Z', [1, 1], 'the first has only seconds'],
      ['2026-06-01T12:00:00.001Z', '2026-06-01T12:00:00Z', [1, 1], 'the second has only seconds'],
      ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00Z', [1, 1], 'both have only seconds'],
      ['2026-06-01T12:00:00Z', '2026-06-01T12:00:01Z', [1, 2], 'the seconds differ'],
      [
        '2026-06-01T12:00:00.999Z',
        '2026-06-01T12:00:01Z',
        [1, 2],
        'one millisecond apart, but the seconds differ',
      ],
    ])('%s and %s give %j: %4$s', async (first, second, expected) => {
      expect(await numbers(listener(first), listener(second))).toEqual(expected);
    });

    test('with another spelling of the name are the same vote', async () => {
      expect(await numbers(listener(MS), listener(MS, { player: 'STEVE' }))).toEqual([1, 1]);
    });

    test('with another player, another service, or a service name in another case are different votes', async () => {
      const others = [{ player: 'Alex' }, { service: 'Other' }, { service: 'list' }];
      expect(await numbers(listener(MS), ...others.map((facts) => listener(MS, facts)))).toEqual([
        1, 2, 3, 4,
      ]);
    });

    test('on two unlisted services in one second are two votes, although these services share a window', async () => {
      const { ledger } = await freshLedger();
      const recorded = await record(
        ledger,
        ['A', 'B'].map((service) => listener('2026-06-01T12:00:00Z', { service, site: 'default' })),
        rulesFor(),
      );
      expect(recorded).toMatchObject([
        { kind: 'new', decision: { kind: 'rewarded' } },
        { kind: 'new', decision: { kind: 'unlisted' } },
      ]);
    });

    test('a user ID is not a player with the same letters', async () => {
      const recipient: Recipient = { kind: 'user', key: 'steve' };
      const byId = listener(MS);
      expect(await numbers(listener(MS), { ...byId, vote: { ...byId.vote, recipient } })).toEqual([1, 2]);
    });

    test('are not assumed without a claimed time: two votes are two votes', async () => {
      expect(await numbers(listener(null), listener(null))).toEqual([1, 2]);
    });

    test('are compared by the claimed time, not the cast time, even if the site’s clock is unreliable', async () => {
      const odd = '2026-06-01T09:00:00.123Z'; // Three hours off, so that the receipt is the cast time.
      const again = listener(odd, { receivedAt: at('2026-06-02T12:00:05.500Z') });
      expect(await numbers(listener(odd), again)).toEqual([1, 1]);
    });
  });

  describe('a vote from the listener and events with IDs', () => {
    const SECOND = '2026-06-01T12:00:00Z';
    const [E1, E2] = [webhook('E1', '2026-06-01T12:00:00.250Z'), webhook('E2', '2026-06-01T12:00:00.700Z')];

    test('two event IDs in one second are two votes', async () => {
      expect(await numbers(E1, E2)).toEqual([1, 2]);
      expect(await numbers(webhook('E1', SECOND), webhook('E2', SECOND))).toEqual([1, 2]);
    });

    test('pair once if the listener’s vote comes first: the second event is another vote', async () => {
      expect(await numbers(listener(SECOND), E1, E2)).toEqual([1, 1, 2]);
      expect(await numbers(listener(SECOND), E2, E1)).toEqual([1, 1, 2]);
    });

    test('pair once if the events come first: the listener’s vote is one of the two', async () => {
      expect(await numbers(E1, E2, listener(SECOND))).toEqual([1, 2, 1]);
    });

    test('pair once if the listener’s vote comes between the events', async () => {
      expect(await numbers(E1, listener(SECOND), E2)).toEqual([1, 1, 2]);
    });

    test('stay paired: when they arrive again, each is still the same vote', async () => {
      expect(await numbers(listener(SECOND), E1, E1, listener(SECOND), E2, E2)).toEqual([1, 1, 1, 1, 2, 2]);
    });

    test('pair by milliseconds if all of them have milliseconds', async () => {
      const exact = listener('2026-06-01T12:00:00.700Z');
      expect(await numbers(E1, E2, exact)).toEqual([1, 2, 2]);
      expect(await numbers(exact, E1, E2)).toEqual([1, 2, 1]);
    });

    test('do not pair across services or players', async () => {
      const elsewhere = [
        webhook('E1', SECOND, { service: 'Other' }),
        webhook('E2', SECOND, { player: 'Alex' }),
      ];
      expect(await numbers(listener(SECOND), ...elsewhere)).toEqual([1, 2, 3]);
    });
  });

  describe('the same vote again (rule 2)', () => {
    test('does not change the vote, but the repeat is counted with its time', async () => {
      const { ledger } = await freshLedger();
      const first = listener('2026-06-01T12:00:00Z');
      await record(ledger, [first], rulesFor(THANKS));
      const [before] = await ledger.votes({ limit: 9 });
      await record(
        ledger,
        [listener('2026-06-01T12:00:00Z', { receivedAt: at('2026-06-03T00:00:00Z') })],
        rulesFor(THANKS),
      );
      expect(await ledger.votes({ limit: 9 })).toEqual([
        { ...before, repeats: 1, repeatedAt: at('2026-06-03T00:00:00Z') },
      ]);
      expect(await ledger.grantStates()).toEqual({ pending: 1 });
    });

    test('is not decided again: a replay after the cooldown pays nothing', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [listener('2026-06-01T12:00:00Z')], rulesFor(THANKS));
      await record(
        ledger,
        [listener('2026-06-01T12:00:00Z', { receivedAt: at('2026-06-09T12:00:00Z') })],
        rulesFor(THANKS),
      );
      expect(await ledger.grantStates()).toEqual({ pending: 1 });
    });

    test('is counted up to 1,000 times, so that a flood of replays does not cause a flood of writes', async () => {
      const { ledger } = await freshLedger();
      const flood = Array.from({ length: 1_500 }, () => listener('2026-06-01T12:00:00Z'));
      await record(ledger, flood, rulesFor());
      expect(await ledger.votes({ limit: 9 })).toMatchObject([{ repeats: 1_000 }]);
    });
  });

  test('a vote that claims tomorrow does not suppress tomorrow’s genuine vote', async () => {
    const [today, tomorrow] = ['2026-06-01T12:00:00Z', '2026-06-02T13:00:07Z'];
    const forged = listener(tomorrow, { channel: 'listener-v1', receivedAt: at(today) });
    const genuine = listener(tomorrow, { receivedAt: at(tomorrow) });
    expect(await numbers(forged, genuine)).toEqual([1, 2]);
    const near = listener('2026-06-01T12:09:59Z', { receivedAt: at(today) });
    expect(await numbers(near, near)).toEqual([1, 1]);
  });
}
