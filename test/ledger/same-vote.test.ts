import { describe, expect, test } from 'vitest';
import { type Cast, DAY, HOUR, ledgers, MINUTE, NOON, reward, SECOND } from '../kit/ledgers.ts';

/** Numbers the distinct votes, which come one after the other: `[1, 1, 2]` means that the second was the same as the first. */
async function numbers(...casts: readonly Cast[]): Promise<number[]> {
  const ledger = await ledgers({ sites: { default: {}, List: {}, Other: {}, list: {} } });
  let newest = 0;
  const found: number[] = [];
  for (const cast of casts) {
    const [answer = ''] = await ledger.vote(cast);
    found.push(answer.startsWith('same ') ? Number(answer.slice('same '.length)) : ++newest);
  }
  return found;
}

/** A vote that claims a time so many milliseconds after noon, received five seconds after noon. */
const sent = (afterNoon: number, more: Partial<Cast> = {}): Cast => ({
  ...{ claim: NOON + afterNoon, received: NOON + 5_500 },
  ...more,
});
const event = (id: string, afterNoon: number, more: Partial<Cast> = {}): Cast => ({
  ...{ via: 'webhook' as const, event: id, claim: NOON + afterNoon, at: NOON + afterNoon },
  ...more,
});

describe('the same event ID (rule 2)', () => {
  test.each([
    ['even if everything else differs', event('E1', 30 * DAY, { player: 'Alex' }), 1],
    [
      'not of another service at another time, so a site cannot suppress votes of another',
      event('E1', SECOND, { on: 'Other' }),
      2,
    ],
    ['of a renamed entry, if player and time are the same', event('E1', 0, { on: 'Other' }), 1],
    ['not of another service for another player', event('E1', 0, { on: 'Other', player: 'Alex' }), 2],
    ['not another ID in the same second', event('E2', 0), 2],
  ])('is the same vote: %s', async (_, second, number) => {
    expect(await numbers(event('E1', 0), second)).toEqual([1, number]);
  });
});

describe('the same v1 block (rule 2)', () => {
  const v1 = (more: Partial<Cast> = {}): Cast => ({ via: 'listener-v1', block: 1, received: NOON, ...more });

  test('is the same vote 25 hours and 400 days later, also of another player, without a claimed time', async () => {
    const later = [v1({ received: NOON + 25 * HOUR }), v1({ received: NOON + 400 * DAY, player: 'Alex' })];
    expect(await numbers(v1(), ...later)).toEqual([1, 1, 1]);
  });

  test('is the same vote within one transaction', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    expect(await ledger.vote(v1(), v1(), v1())).toEqual(['rewarded', 'same 1', 'same 1']);
    expect(await ledger.grantStates()).toEqual({ pending: 1 });
  });

  test('encrypted again is the same vote by its claimed time, and so is its replay a month later', async () => {
    const claim = NOON + 123;
    const again = v1({ claim, block: 2 });
    expect(await numbers(v1({ claim }), again, { ...again, received: NOON + 30 * DAY })).toEqual([1, 1, 1]);
  });

  test('is required without a claimed time: a different block is a different vote', async () => {
    expect(await numbers(v1(), v1({ block: 2 }))).toEqual([1, 2]);
  });
});

describe('the same service, recipient and claimed time (rule 2)', () => {
  test('are the same vote, on any channel and at any time', async () => {
    const late = sent(123, { received: NOON + 8 * DAY });
    const v1 = sent(123, { via: 'listener-v1', block: 9 });
    expect(await numbers(sent(123), v1, late, event('E1', 123))).toEqual([1, 1, 1, 1]);
  });

  test.each([
    [123, 124, 2, 'both have milliseconds, which are compared'],
    [0, 999, 1, 'the first has only seconds'],
    [1, 0, 1, 'the second has only seconds'],
    [0, 0, 1, 'both have only seconds'],
    [0, 1_000, 2, 'the seconds differ'],
    [999, 1_000, 2, 'one millisecond apart, but the seconds differ'],
  ])('%i and %i ms after noon: the second is vote %i, because %s', async (first, second, number) => {
    expect(await numbers(sent(first), sent(second))).toEqual([1, number]);
  });

  test('with another spelling of the name are the same vote; another player, service or case of a service are not', async () => {
    const others = [
      { player: 'STEVE' },
      { player: 'Alex' },
      { on: 'Other' },
      { on: 'list' },
      { user: 'steve' },
    ];
    expect(await numbers(sent(123), ...others.map((more) => sent(123, more)))).toEqual([1, 1, 2, 3, 4, 5]);
  });

  test('on two unlisted services in one second are two votes, although these services share a window', async () => {
    const ledger = await ledgers();
    expect(await ledger.vote(sent(0, { on: 'A' }), sent(0, { on: 'B' }))).toEqual(['rewarded', 'unlisted']);
  });

  test('are not assumed without a claimed time: two votes are two votes', async () => {
    expect(await numbers({}, {}, sent(0, { received: NOON + SECOND }))).toEqual([1, 2, 3]);
  });

  test('are compared by the claimed time, not the cast time, even if the site’s clock is unreliable', async () => {
    const odd = -3 * HOUR + 123;
    expect(await numbers(sent(odd), sent(odd, { received: NOON + DAY }))).toEqual([1, 1]);
  });

  test.each([
    [10 * MINUTE, 1],
    [10 * MINUTE + 1, 2],
    [DAY, 2],
  ])(
    'that claims %i ms after its receipt does not suppress a genuine vote of that time: that is vote %i',
    async (ahead, number) => {
      const forged: Cast = { via: 'listener-v1', claim: NOON + ahead, received: NOON };
      expect(await numbers(forged, { claim: NOON + ahead, received: NOON + ahead })).toEqual([1, number]);
    },
  );
});

describe('a vote from the listener and events with IDs', () => {
  const [E1, E2] = [event('E1', 250), event('E2', 700)];
  const SECONDS = sent(0);

  test.each<[string, Cast[], number[]]>([
    ['two event IDs in one second are two votes', [E1, E2], [1, 2]],
    [
      'the listener’s vote first: it is the first event, and the second is another vote',
      [SECONDS, E1, E2],
      [1, 1, 2],
    ],
    ['the listener’s vote first, the other way round', [SECONDS, E2, E1], [1, 1, 2]],
    ['the listener’s vote last: it is one of the two', [E1, E2, SECONDS], [1, 2, 1]],
    ['the listener’s vote between them', [E1, SECONDS, E2], [1, 1, 2]],
    ['all of them again', [SECONDS, E1, E1, SECONDS, E2, E2], [1, 1, 1, 1, 2, 2]],
    ['all with milliseconds, which pair', [E1, E2, sent(700)], [1, 2, 2]],
    ['all with milliseconds, in another order', [sent(700), E1, E2], [1, 2, 1]],
    [
      'other services and players',
      [SECONDS, event('E1', 0, { on: 'Other' }), event('E2', 0, { player: 'Alex' })],
      [1, 2, 3],
    ],
  ])('pair once: %s', async (_, casts, expected) => {
    expect(await numbers(...casts)).toEqual(expected);
  });

  test('an event is found by its ID first, then by its time', async () => {
    expect(await numbers(event('E1', 5_000), sent(0), event('E1', 0))).toEqual([1, 2, 1]);
  });
});

describe('the same vote again (rule 2)', () => {
  test('does not change the vote, pays nothing after the cooldown, and is counted with its time', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    await ledger.vote(sent(0));
    const [before] = await ledger.votes();
    expect(await ledger.vote(sent(0, { received: NOON + 8 * DAY }))).toEqual(['same 1']);
    expect(await ledger.votes()).toEqual([{ ...before, repeats: 1, repeatedAt: NOON + 8 * DAY }]);
    expect(await ledger.grantStates()).toEqual({ pending: 1 });
  });

  test('is counted up to 1,000 times, so that a flood of replays does not cause a flood of writes', async () => {
    const ledger = await ledgers();
    await ledger.vote(...Array.from({ length: 1_500 }, () => sent(0)));
    expect(await ledger.votes()).toMatchObject([{ repeats: 1_000 }]);
  });
});
