import { expect } from 'vitest';
import { isLostToEnd, type SentVote } from './listings.ts';
import { nameOf, paidBy, votesIn, votesOf } from './votes.ts';
import { isFaulty, type World } from './world.ts';

const isUnpaidByFault = (vote: SentVote): boolean =>
  isFaulty(vote, 'misses') || isFaulty(vote, 'pays-another');

/** What the listings, the game servers and Teller's lists say together. */
export async function expectPromises(world: World): Promise<void> {
  const { listings, games, ends } = world;
  const look = world.look();
  const recorded = await votesIn(look);
  const idOf = new Map(recorded.map((vote) => [nameOf(vote), vote.id]));
  const times = new Map<string, number>();
  for (const { vote } of games.payments) times.set(vote, (times.get(vote) ?? 0) + 1);
  const timesOf = (vote: string): number => times.get(vote) ?? 0;

  const sent = listings.votes;
  const tooOften = sent.filter((vote) => timesOf(nameOf(vote)) > (isFaulty(vote, 'doubles') ? 2 : 1));
  expect(tooOften.map(nameOf), 'paid more than once').toEqual([]);

  const unknown = [...(await votesOf(look, 'held', 'forward')), ...(await votesOf(look, 'held', 'reward'))];
  const owed = [...(await votesOf(look, 'pending', 'reward')), ...(await votesOf(look, 'waiting', 'reward'))];
  expect(
    owed.filter((vote) => timesOf(vote) > 0),
    'owed, though it was paid',
  ).toEqual([]);
  const listed = new Set([...unknown, ...owed]);
  const isUnheard = (vote: SentVote): boolean =>
    isLostToEnd(vote, [...ends.kills, ...ends.stops]) && !idOf.has(nameOf(vote));
  const unpaid = sent.filter(
    (vote) => timesOf(nameOf(vote)) === 0 && !isUnpaidByFault(vote) && !isUnheard(vote),
  );
  expect(
    unpaid.map(nameOf).filter((vote) => !listed.has(vote)),
    'neither paid nor listed',
  ).toEqual([]);
  // At each kill, one forward and one command were being written at most; when the old side ended, one forward.
  expect(unknown.length).toBeLessThanOrEqual(2 * ends.kills.length + ends.stops.length);

  const elsewhere = new Set(recorded.filter(({ isPaidElsewhere }) => isPaidElsewhere).map(nameOf));
  const byOld = paidBy(world, 'old side').filter((vote) => idOf.has(vote));
  expect(
    byOld.filter((vote) => !elsewhere.has(vote)),
    'paid by the old side, though Teller was to',
  ).toEqual([]);
  expect(
    paidBy(world, 'Teller').filter((vote) => elsewhere.has(vote)),
    'paid by Teller',
  ).toEqual([]);
}

/** Forwards keep the order of the votes, apart from those that the operator sends again. */
export async function expectOrder(world: World): Promise<void> {
  const idOf = new Map((await votesIn(world.look())).map((vote) => [nameOf(vote), vote.id]));
  const order = paidBy(world, 'old side').flatMap((vote) => idOf.get(vote) ?? []);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}
