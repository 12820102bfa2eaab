import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { comparePlayer, type Payment, type TheirVote } from '../../src/operator/shadow/compare.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Votes at these minutes after noon, of which those in `notOwed` were within the cooldown. */
const votes = (minutes: readonly number[], notOwed: readonly number[] = [], service = 'A'): TheirVote[] =>
  minutes.map((minute, index) => ({
    ...{ id: index + 1, service, receivedAt: minute * MINUTE },
    isOwed: !notOwed.includes(minute),
  }));

const paid = (at: number | null, line = 1, service: string | null = null): Payment => ({ line, service, at });

/** The IDs of unpaid votes, and the lines of the payments of each kind. */
const differences = (of: readonly TheirVote[], payments: readonly Payment[]) => {
  const { unpaid, twice, notOwed, withoutVote } = comparePlayer(of, payments);
  const lines = (some: readonly Payment[]) => some.map(({ line }) => line);
  return {
    unpaid: unpaid.map(({ id }) => id),
    twice: lines(twice),
    notOwed: lines(notOwed),
    withoutVote: lines(withoutVote),
  };
};

const NONE = { unpaid: [], twice: [], notOwed: [], withoutVote: [] };

describe('the payments of a player', () => {
  test('match the votes right before them, also where the clocks differ by some seconds', () => {
    expect(differences(votes([0, 1440]), [paid(1_000, 1), paid(1440 * MINUTE - 3_000, 2)])).toEqual(NONE);
  });

  test('leave a vote that was never paid, also where a later one was', () => {
    expect(differences(votes([0, 1440]), [paid(1440 * MINUTE + 500)])).toEqual({ ...NONE, unpaid: [1] });
    expect(differences(votes([0]), [])).toEqual({ ...NONE, unpaid: [1] });
  });

  test('may come when the player is back: they are of the oldest votes that are not paid', () => {
    expect(differences(votes([0, 30]), [paid(10 * HOUR, 1), paid(10 * HOUR, 2)])).toEqual(NONE);
    expect(differences(votes([0, 30]), [paid(10 * HOUR)])).toEqual({ ...NONE, unpaid: [2] });
  });

  test('show a vote that was paid twice', () => {
    expect(differences(votes([0]), [paid(500, 7), paid(900, 8)])).toEqual({ ...NONE, twice: [8] });
  });

  test('show a vote that was paid although it was within the cooldown', () => {
    expect(differences(votes([0, 5], [5]), [paid(500, 7), paid(5 * MINUTE + 500, 8)])).toEqual({
      ...NONE,
      notOwed: [8],
    });
  });

  test('within a minute of two votes are of the one right before them, of which the second was within the cooldown', () => {
    const two = votes([0, 0.1], [0.1]);
    expect(differences(two, [paid(500, 7), paid(6_500, 8)])).toEqual({ ...NONE, notOwed: [8] });
    expect(differences(two, [paid(500, 7), paid(900, 8)])).toEqual({ ...NONE, twice: [8] });
    expect(differences(two, [paid(6_500, 8)])).toEqual(NONE);
  });

  test('may have no vote, because it came before those that are compared', () => {
    expect(differences([], [paid(500, 7)])).toEqual({ ...NONE, withoutVote: [7] });
    expect(differences(votes([60]), [paid(500, 7), paid(61 * MINUTE - 5_000, 8)])).toEqual({
      ...NONE,
      withoutVote: [7],
    });
  });

  test('are of votes of their service, where they name one', () => {
    const both = [...votes([0], [], 'A'), ...votes([0], [], 'B').map((vote) => ({ ...vote, id: 2 }))];
    expect(differences(both, [paid(500, 7, 'B'), paid(600, 8, 'B')])).toEqual({
      ...NONE,
      unpaid: [1],
      twice: [8],
    });
  });

  test('are counted where they have no time', () => {
    expect(differences(votes([0, 1440]), [paid(null)])).toEqual({ ...NONE, unpaid: [2] });
    expect(differences(votes([0]), [paid(null, 1), paid(null, 2)])).toEqual({ ...NONE, withoutVote: [2] });
  });
});

type Deed =
  | 'paid'
  | 'paid late'
  | 'missed'
  | 'paid twice'
  | 'within the cooldown'
  | 'paid within the cooldown';

test('show exactly what the other side did wrong, for 2,000 random players', () => {
  const random = seededRandom(11);
  const deeds: readonly Deed[] = [
    ...(['paid', 'paid', 'paid', 'paid late', 'missed', 'paid twice'] as const),
    ...(['within the cooldown', 'paid within the cooldown'] as const),
  ];
  for (let player = 0; player < 2_000; player++) {
    const did = Array.from({ length: 1 + Math.floor(random.next() * 6) }, () => {
      return deeds[Math.floor(random.next() * deeds.length)] as Deed;
    });
    const cast = did.map((deed, day): TheirVote => {
      const receivedAt = (day * 24 + random.next() * 6) * HOUR;
      return { id: day, service: 'A', receivedAt, isOwed: !deed.includes('cooldown') };
    });
    const payments = did.flatMap((deed, day): Payment[] => {
      const { receivedAt } = cast[day] as TheirVote;
      const soon = () => paid(receivedAt + random.next() * 2_000, day, random.next() < 0.5 ? 'A' : null);
      if (deed === 'paid late') return [paid(receivedAt + (7 + random.next() * 400) * HOUR, day)];
      if (deed === 'paid twice') return [soon(), soon()];
      return deed === 'paid' || deed === 'paid within the cooldown' ? [soon()] : [];
    });
    const { unpaid, twice, notOwed, withoutVote } = comparePlayer(cast, payments);
    const wrong = (deed: Deed) => did.filter((each) => each === deed).length;
    expect(
      { unpaid: unpaid.length, twice: twice.length, notOwed: notOwed.length, withoutVote },
      did.join(', '),
    ).toEqual({
      unpaid: wrong('missed'),
      twice: wrong('paid twice'),
      notOwed: wrong('paid within the cooldown'),
      withoutVote: [],
    });
  }
});
