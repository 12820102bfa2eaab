import { expect } from 'vitest';
import { isLostToKill, type Payer } from './move-over-fixture.ts';
import { isDoubled, isMissed, nameOf, votesIn, votesOf, type World } from './move-over-world.ts';

export const paidBy = ({ game }: World, payer: Payer): string[] =>
  game.payments.filter((each) => each.payer === payer).map(({ vote }) => vote);

/** What the senders, the game server and Teller's lists say together. */
export async function expectPromises(world: World): Promise<void> {
  const { senders, game } = world;
  const look = world.look();
  const recorded = await votesIn(look);
  const idOf = new Map(recorded.map((vote) => [nameOf(vote), vote.id]));
  const times = new Map<string, number>();
  for (const { vote } of game.payments) times.set(vote, (times.get(vote) ?? 0) + 1);
  const timesOf = (vote: string): number => times.get(vote) ?? 0;

  const sent = senders.votes;
  const tooOften = sent.filter((vote) => timesOf(nameOf(vote)) > (isDoubled(vote) ? 2 : 1));
  expect(tooOften.map(nameOf), 'paid more than once').toEqual([]);

  const unknown = [...(await votesOf(look, 'held', 'forward')), ...(await votesOf(look, 'held', 'reward'))];
  const owed = [...(await votesOf(look, 'pending', 'reward')), ...(await votesOf(look, 'waiting', 'reward'))];
  expect(
    owed.filter((vote) => timesOf(vote) > 0),
    'owed, though it was paid',
  ).toEqual([]);
  const listed = new Set([...unknown, ...owed]);
  const isUnheard = (vote: (typeof sent)[number]): boolean =>
    isLostToKill(vote, senders.kills) && !idOf.has(nameOf(vote));
  const unpaid = sent.filter((vote) => timesOf(nameOf(vote)) === 0 && !isMissed(vote) && !isUnheard(vote));
  expect(
    unpaid.map(nameOf).filter((vote) => !listed.has(vote)),
    'neither paid nor listed',
  ).toEqual([]);
  // At each kill, one forward and one command were being written at most.
  expect(unknown.length).toBeLessThanOrEqual(2 * senders.kills.length);

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
  const order = byOld.map((vote) => idOf.get(vote) ?? 0);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}
