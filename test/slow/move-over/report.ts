import { expect } from 'vitest';
import type { Operator } from './operator.ts';
import { nameOf, paidBy, votesIn, votesOf } from './votes.ts';
import { isFaulty, PATIENT, type World } from './world.ts';

const LINE = 'teller shadow report --since 24h --against paid.csv';

interface Difference {
  readonly player: string;
  readonly unpaid: readonly { readonly service: string; readonly receivedAt: string }[];
  readonly twice: readonly { readonly service: string }[];
  readonly notOwed: readonly unknown[];
  readonly withoutVote: readonly { readonly service: string }[];
}

/** What the report shows of votes until now; younger ones may be on their way. */
async function reportedUntil(operator: Operator, until: number) {
  const { out, code } = await operator.type(LINE, '--json');
  expect(code).toBe(1);
  const { compared } = JSON.parse(out) as { compared: { players: readonly Difference[] } };
  const of = (kind: 'unpaid' | 'twice' | 'withoutVote'): string[] =>
    lowered(
      compared.players
        .flatMap(({ player, [kind]: some }) => some.map((each) => ({ player, ...each })))
        .filter((each) => !('receivedAt' in each) || Date.parse(String(each.receivedAt)) < until)
        .map(nameOf),
    );
  expect(compared.players.flatMap(({ notOwed }) => notOwed)).toEqual([]);
  return { unpaid: of('unpaid'), twice: of('twice'), withoutVote: of('withoutVote') };
}

const lowered = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase()).toSorted();

/** Compares while votes arrive: the faults of the old side, what it paid without a vote here, and held forwards. */
export async function expectReport(world: World, operator: Operator): Promise<void> {
  const until = Date.now();
  await untilForwarded(world, until);
  const expected = async () => {
    const paid = paidBy(world, 'old side');
    const sent = world.listings.votes;
    const recorded = new Set((await votesIn(world.look())).map(nameOf));
    const isPaid = (vote: string): boolean => paid.includes(vote);
    const held = (await votesOf(world.look(), 'held', 'forward')).filter((vote) => !isPaid(vote));
    const unpaid = sent.filter((vote) => isFaulty(vote, 'misses') || isFaulty(vote, 'pays-another'));
    // Of those that are held, none was paid at all.
    const twice = sent.filter((vote) => isFaulty(vote, 'doubles') && isPaid(nameOf(vote)));
    return {
      unpaid: lowered([...new Set([...unpaid.map(nameOf), ...held])]),
      twice: lowered(twice.map(nameOf)),
      withoutVote: lowered(paid.filter((vote) => !recorded.has(vote))),
    };
  };
  const differs = async () => {
    const wanted = await expected();
    const found = await reportedUntil(operator, until);
    return JSON.stringify(found) === JSON.stringify(wanted) ? null : { found, wanted };
  };
  await expect.poll(differs, PATIENT).toBeNull();
}

/** Until no vote from before this time waits to be forwarded. */
async function untilForwarded(world: World, until: number): Promise<void> {
  const look = world.look();
  const early = new Set((await votesIn(look)).filter((vote) => vote.receivedAt < until).map(nameOf));
  const waiting = async () => (await votesOf(look, 'pending', 'forward')).filter((vote) => early.has(vote));
  await expect.poll(waiting, PATIENT).toEqual([]);
}
