/** What is promised whenever an operator moves over: each vote is paid at most once across both sides, and what is not is listed. */
import { expect } from 'vitest';
import { readForward } from '../../../src/core/forward.ts';
import { allGrants } from '../../../src/ledger/all-grants.ts';
import type { GrantRow, Ledger, VoteRow } from '../../../src/ledger/ledger.ts';
import { isLostToEnd, type SentVote } from './listings.ts';
import { isFaulty, type Payer, voteName, type World } from './world.ts';

export const nameOf = ({ player, service }: { player: string | null; service: string }): string =>
  voteName(player ?? '', service);

export const paidBy = ({ games }: World, payer: Payer): string[] =>
  games.payments.filter((each) => each.payer === payer).map(({ vote }) => vote);

/** Every vote of the ledger, oldest first. */
export async function votesIn(ledger: Ledger): Promise<VoteRow[]> {
  const votes: VoteRow[] = [];
  let after: number | undefined;
  for (;;) {
    const rows = await ledger.votes({ limit: 500, ...(after === undefined ? {} : { after }) });
    votes.push(...rows);
    if (rows.length < 500) return votes.toReversed();
    after = rows.at(-1)?.id;
  }
}

/** A grant of a test: what it pays or forwards is one vote. */
export interface VoteGrant {
  readonly id: number;
  readonly vote: string;
}

export async function grantsOf(
  ledger: Ledger,
  state: GrantRow['state'],
  kind: 'forward' | 'reward',
): Promise<VoteGrant[]> {
  const grants: VoteGrant[] = [];
  for await (const { id, commands } of allGrants(ledger, { state })) {
    const [{ command } = { command: '' }] = commands;
    const forward = readForward(command);
    if ((forward !== null) === (kind === 'forward'))
      grants.push({ id, vote: forward === null ? command.replace('pay ', '') : nameOf(forward) });
  }
  return grants;
}

/** The votes of grants in a state. */
export const votesOf = async (...args: Parameters<typeof grantsOf>): Promise<string[]> =>
  (await grantsOf(...args)).map(({ vote }) => vote);

/** Who has to pay the votes received in a time. In ms since the Unix epoch. */
export async function payersOf(ledger: Ledger, from: number, to: number): Promise<Payer[]> {
  const votes = (await votesIn(ledger)).filter(({ receivedAt }) => receivedAt >= from && receivedAt < to);
  return [...new Set(votes.map(({ isPaidElsewhere }) => (isPaidElsewhere ? 'old side' : 'Teller')))];
}

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
