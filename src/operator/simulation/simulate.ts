import type { DecisionKind, JudgedArrival, RewardReasons } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { PAYS_ALL } from '../../core/pay.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import type { GrantRow, Ledger, Recorded } from '../../ledger/ledger.ts';
import { drawFor, type Rules } from '../../rewards/reward.ts';
import { allGrants } from '../grants/selection.ts';
import { type JointOptions, JointSimulation, type PaidTogether } from './joint.ts';
import { type SimulatedGrant, simulatedGrant } from './simulated-grant.ts';

/** A vote that nobody cast, and what the ledger made of it. */
export interface SimulatedVote {
  readonly arrival: JudgedArrival;
  /** `same`: it was the same vote as an earlier one (rule 2), so nothing was recorded. */
  readonly decision: DecisionKind | 'same';
  /** Why each reward was granted or not; empty if no reward was looked at. */
  readonly reasons: RewardReasons;
  readonly grants: readonly SimulatedGrant[];
  /** What was reached with it, and what ended before the next vote. */
  readonly together: readonly PaidTogether[];
}

/** Votes of a batch share a transaction. */
const BATCH = 256;
/** Most votes have fewer; of those with more, the next page has the rest. */
const GRANTS_OF_A_VOTE = 4;

/**
 * Records votes in an empty ledger, one after the other as real ones, and reads back what it stored about them. The rewards
 * start on the day of the first vote.
 *
 * Nothing is paid meanwhile, and who pays the votes is left out.
 *
 * Parties and tops are paid at once, for which votes are recorded one by one where that matters.
 *
 * @param votes in the order in which they arrive.
 * @param seed the same seed gives the same draws.
 */
export async function simulate(
  ledger: Ledger,
  votes: readonly JudgedArrival[],
  asked: Rules,
  seed: number,
  options: JointOptions,
): Promise<readonly SimulatedVote[]> {
  const simulated: SimulatedVote[] = [];
  if (votes.length === 0) return simulated;
  const rules = { ...asked, pay: PAYS_ALL };
  const random = seededRandom(seed);
  const joint = new JointSimulation(ledger, votes, rules, options, seed);
  await ledger.useTimeZone(rules.zone);
  await joint.start(firstDay(votes, rules.zone));
  for (let at = 0; at < votes.length; ) {
    const end = at + (await joint.span(at, BATCH));
    const batch = votes.slice(at, end).map((vote) => ({ ...vote, draws: drawFor(random), rules }));
    const recorded = await Promise.all(batch.map((arrival) => ledger.record(arrival, null)));
    const stored = await storedVotes(ledger, recorded);
    const together = await joint.paidAfter(Math.min(end, votes.length) - 1);
    batch.forEach((arrival, place) => {
      const { kind, id } = recorded[place] as Recorded;
      const vote = kind === 'same' ? NOTHING : (stored.get(id) as StoredVote);
      simulated.push({ arrival, ...vote, together: place === batch.length - 1 ? together : [] });
    });
    at = end;
  }
  return simulated;
}

type StoredVote = Omit<SimulatedVote, 'arrival' | 'together'>;

const NOTHING: StoredVote = { decision: 'same', reasons: new Map(), grants: [] };

const firstDay = (votes: readonly JudgedArrival[], zone: string): number =>
  localDay(
    votes.reduce((first, { vote }) => Math.min(first, vote.castAt), Number.MAX_SAFE_INTEGER),
    zone,
  );

/** What the ledger has about the votes that were just recorded: its newest ones, by their IDs. */
async function storedVotes(
  ledger: Ledger,
  recorded: readonly Recorded[],
): Promise<ReadonlyMap<number, StoredVote>> {
  const ids = recorded.flatMap(({ kind, id }) => (kind === 'new' ? [id] : []));
  if (ids.length === 0) return new Map();
  const first = Math.min(...ids);
  const votes = await ledger.votes({ limit: ids.length });
  const grants = new Map<number, GrantRow[]>(votes.map(({ id }) => [id, []]));
  for await (const grant of allGrants(ledger, {}, GRANTS_OF_A_VOTE * ids.length)) {
    const { voteId } = grant;
    if (voteId === null) continue;
    if (voteId < first) break;
    grants.get(voteId)?.unshift(grant);
  }
  return new Map(
    votes.map(({ id, decision, reasons, castAt }) => [
      id,
      {
        decision,
        reasons,
        grants: (grants.get(id) ?? []).map((grant) => simulatedGrant(grant, castAt)),
      },
    ]),
  );
}
