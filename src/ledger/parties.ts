/**
 * What votes count for together, and who is paid once enough have counted. Each vote that counts is stored with the round that it
 * counted for, so a round that was reached has its votes, whatever comes later.
 *
 * Its voters are paid in portions. The process can stop between two of them, and other processes can write. This stays true:
 * - A player who has a grant of the round gets no other. So any portion can be done again, and the votes can be read again from the first.
 * - The round is open until its last portion. Once some voters are paid, the other voters are paid too, even if the config says by then
 *   that the party is for others; and they get the same random number.
 * - Whether its grants are held is read with each portion.
 */
import type { FilledIn, WindowDecision } from '../core/decide.ts';
import { isForgotten } from '../core/forgotten-name.ts';
import type { PlainGrantCode } from '../core/grant-reason.ts';
import { localDay } from '../core/local-time.ts';
import { occasion } from '../core/occasion.ts';
import { type PlayerName, playerKey } from '../core/player-name.ts';
import type { Reason } from '../core/reason.ts';
import { insertRows, listOf, type Tx, valueFrom } from '../db/db.ts';
import { type Arrival, type Draws, misfitOf, type Party, type Rules } from '../rewards/reward.ts';
import {
  countedReason,
  countedVote,
  countWith,
  OVER,
  type PartyCount,
  type PartyPeriod,
  partyOccasion,
  partyPeriod,
  uncountedReason,
} from '../rewards/together.ts';
import { addPlayer, playerNamed, recipientOf, VOTER, type Voter } from './facts.ts';
import { rewardNamed } from './known-rewards.ts';
import { storeEvents } from './outbox.ts';
import { IN_SHADOW, type InitialState, oweShare } from './owe.ts';

/** A party that enough votes have been cast for, before it is stored who is paid. */
export interface ReachedParty {
  readonly id: number;
  /** The name of its entry. */
  readonly party: string;
  readonly number: number;
  /** Receipt of the vote that reached it. */
  readonly reachedAt: number;
  /** Whether voters who are paid for it are stored already; the others follow. */
  readonly isBegun: boolean;
}

/** How far a party is. */
export interface PartyProgress extends PartyCount {
  /** The name of its entry. */
  readonly party: string;
  /** Of the party that is reached next. */
  readonly number: number;
}

/** A player who is online on a game server. */
export interface PresentPlayer {
  readonly player: PlayerName;
  readonly server: string;
}

/** Who is paid for a party that was reached. */
export interface PartyOrder {
  readonly id: number;
  readonly party: Party;
  /** These, each on the game server where they are; null: the voters, or whoever the party is for. */
  readonly present: readonly PresentPlayer[] | null;
  readonly rules: Rules;
  readonly draws: Draws;
}

/** Why the grants of a party are held. */
type PartyDoubt = Extract<PlainGrantCode, 'restore-doubt' | 'clock-doubt'>;

/** A round that the vote counted for. */
interface Round {
  readonly id: number;
  readonly number: number;
  readonly counted: number;
}

/**
 * Counts a vote for the parties.
 *
 * @param doubt of the vote itself. @param today as days since 1970-01-01.
 * @returns why it counted or not, by the names of the parties; and `store`, to be called when the vote is stored. null: it counts for none.
 */
export async function countForParties(
  tx: Tx,
  arrival: Arrival,
  window: WindowDecision,
  playerId: number,
  doubt: PartyDoubt | null,
  today: number,
) {
  const { parties, zone } = arrival.rules;
  const vote = countedVote(arrival, window, zone);
  if (vote === null) return null;
  const reasons = new Map<string, Reason>();
  const rounds: { readonly round: Round; readonly party: Party }[] = [];
  for (const party of parties) {
    const known = await rewardNamed(tx, party.name);
    if (known === null) continue;
    const why = uncountedReason(party, vote, today);
    const round = why === null ? await addTo(tx, known.rootId, partyPeriod(party, vote.day), doubt) : null;
    if (round !== null) rounds.push({ round, party });
    const left = round && countedReason(round.number, Math.max(0, party.every - round.counted));
    reasons.set(party.name, left ?? why ?? OVER);
  }
  return {
    reasons,
    /** @param isClockDoubted now. */
    store: async (voteId: number, reachedAt: number, isClockDoubted: boolean): Promise<void> => {
      const rows = rounds.map(({ round }) => [round.id, voteId, playerId]);
      await insertRows(tx, 'party_votes (party_id, vote_id, player_id)', rows);
      for (const { round, party } of rounds)
        if (round.counted >= party.every)
          await reach(tx, round, party, voteId, reachedAt, isClockDoubted ? 'clock-doubt' : null);
    },
  };
}

const ROUND = 'reward_id = $1 AND reached_by IS NULL';

/** null: the vote belongs to a period that is over. */
async function addTo(tx: Tx, rewardId: number, { per, period }: PartyPeriod, doubt: PartyDoubt | null) {
  const sql = `SELECT id, per, period FROM parties WHERE ${ROUND}`;
  const stored = await tx.get<PartyPeriod & { readonly id: number }>(sql, [rewardId]);
  const counts = countWith(stored, { per, period });
  if (counts === 'over') return null;
  if (stored === null)
    await insertRows(tx, 'parties (reward_id, number, counted, per, period)', [
      [rewardId, 1, 0, per, period],
    ]);
  else if (counts === 'new') {
    await tx.run('DELETE FROM party_votes WHERE party_id = $1', [stored.id]);
    await tx.run('UPDATE parties SET counted = 0, doubt = NULL WHERE id = $1', [stored.id]);
  }
  return await tx.get<Round>(
    `UPDATE parties SET counted = counted + 1, per = $2, period = $3, doubt = coalesce(doubt, $4) WHERE ${ROUND}
     RETURNING id, number, counted`,
    [rewardId, per, period, doubt],
  );
}

/** The round is over, and the next one begins. */
async function reach(
  tx: Tx,
  round: Round,
  party: Party,
  voteId: number,
  reachedAt: number,
  doubt: PartyDoubt | null,
): Promise<void> {
  await tx.run(
    'UPDATE parties SET reached_by = $2, reached_at = $3, doubt = coalesce(doubt, $4) WHERE id = $1',
    [round.id, voteId, reachedAt, doubt],
  );
  await tx.run(
    `INSERT INTO parties (reward_id, number, counted, per, period)
     SELECT reward_id, number + 1, 0, per, period FROM parties WHERE id = $1`,
    [round.id],
  );
  const facts = { party: party.name, number: round.number, votes: round.counted };
  await storeEvents(tx, [{ kind: 'party', at: reachedAt, subject: voteId, facts }]);
}

/** The name of a round `p` is the one that its party has now. */
const NAMED = 'parties p JOIN rewards n ON n.root_id = p.reward_id AND n.is_current = 1';

/** How far each party is that a vote has ever counted for. */
export const partyProgress = (tx: Tx): Promise<readonly PartyProgress[]> =>
  tx.all<PartyProgress>(
    `SELECT n.name AS party, p.number, p.counted, p.per, p.period FROM ${NAMED}
     WHERE p.reached_by IS NULL ORDER BY p.reward_id`,
  );

/** Those that were reached and whose voters are not all paid yet, in the order in which they were reached. */
export async function reachedParties(tx: Tx): Promise<readonly ReachedParty[]> {
  const rows = await tx.all<Omit<ReachedParty, 'isBegun'> & { readonly isBegun: number }>(
    `SELECT p.id, n.name AS party, p.number, p.reached_at AS "reachedAt",
            CASE WHEN EXISTS (SELECT 1 FROM grants WHERE cause = 'party' AND cause_id = p.id) THEN 1 ELSE 0 END AS "isBegun"
     FROM ${NAMED} WHERE p.fixed_at IS NULL AND p.reached_by IS NOT NULL ORDER BY p.reached_at, p.id`,
  );
  return rows.map((row) => ({ ...row, isBegun: row.isBegun === 1 }));
}

/** Paying the voters of so many votes takes some milliseconds, and other votes wait meanwhile. */
const VOTES_AT_ONCE = 500;

/** A round that was reached. */
interface ReachedRound {
  readonly number: number;
  readonly votes: number;
  readonly reachedBy: number;
  readonly doubt: PartyDoubt | null;
  readonly isPaidElsewhere: number;
}

/** Someone who is paid, as a vote of the round names them. */
interface Member extends Voter {
  /** Absent: those of the party. */
  readonly server?: string;
}

/**
 * Creates the grants of a portion of those who are paid for a round; does nothing if all were created before.
 *
 * @returns how many grants, and the vote that the next portion comes after; null: everybody is stored.
 */
export async function fixParty(
  tx: Tx,
  ordered: PartyOrder,
  after: number,
  now: number,
): Promise<{ readonly grants: number; readonly next: number | null }> {
  const { id } = ordered;
  const round = await tx.get<ReachedRound>(
    `SELECT p.number, p.counted AS votes, p.reached_by AS "reachedBy", p.doubt, v.paid_elsewhere AS "isPaidElsewhere"
     FROM parties p JOIN votes v ON v.id = p.reached_by WHERE p.id = $1 AND p.fixed_at IS NULL`,
    [id],
  );
  if (round === null) return { grants: 0, next: null };
  const order = await asBegun(tx, ordered);
  const { members, next } = await portionOf(tx, order, round, after);
  let grants = 0;
  for (const member of members) grants += await payMember(tx, member, order, round, now);
  if (next === null) await tx.run('UPDATE parties SET fixed_at = $1 WHERE id = $2', [now, id]);
  return { grants, next };
}

/** The order as the portions before began it: all who are paid for a round get the same random number. */
async function asBegun(tx: Tx, order: PartyOrder): Promise<PartyOrder> {
  const filled = await valueFrom<string>(
    tx,
    `SELECT coalesce(filled, '{}') AS value FROM grants WHERE cause = 'party' AND cause_id = $1 LIMIT 1`,
    [order.id],
  );
  if (filled === null) return order;
  const { random } = JSON.parse(filled) as FilledIn;
  const draws = random === undefined ? order.draws : ({ kind: 'stored', number: random } as const);
  return { ...order, party: { ...order.party, for: 'voters' }, present: null, draws };
}

async function portionOf(
  tx: Tx,
  { id, party, present }: PartyOrder,
  { reachedBy }: ReachedRound,
  after: number,
): Promise<{ readonly members: readonly Member[]; readonly next: number | null }> {
  // No more than players who are online.
  if (present !== null) return { members: await presentMembers(tx, present), next: null };
  if (party.for === 'once') return { members: await lastMember(tx, id, reachedBy), next: null };
  const votes = await tx.all<{ id: number; playerId: number }>(
    `SELECT vote_id AS id, player_id AS "playerId" FROM party_votes WHERE party_id = $1 AND vote_id > $2
     ORDER BY vote_id LIMIT ${VOTES_AT_ONCE}`,
    [id, after],
  );
  const next = votes.length < VOTES_AT_ONCE ? null : (votes.at(-1)?.id ?? null);
  const playerIds = new Set(votes.map(({ playerId }) => playerId));
  return { members: await unpaidVoters(tx, id, party, [...playerIds]), next };
}

/** Those of these voters who have enough votes and no grant yet, in the order of their first votes, as their latest vote names them. */
async function unpaidVoters(tx: Tx, id: number, party: Party, playerIds: readonly number[]) {
  // A grant that the operator has redirected is still that of the voter.
  const voters = await tx.all<Member>(
    `SELECT ${VOTER} FROM (
       SELECT m.player_id, min(m.vote_id) AS first, max(m.vote_id) AS last FROM party_votes m JOIN votes c ON c.id = m.vote_id
       WHERE m.party_id = $1 AND m.player_id IN ${tx.each('$2', 'number')} AND c.weight = 2
       GROUP BY m.player_id HAVING count(*) >= $3) f
     JOIN votes v ON v.id = f.last JOIN names n ON n.id = v.name_id
     WHERE f.player_id NOT IN (SELECT coalesce(instead_of, player_id) FROM grants WHERE cause = 'party' AND cause_id = $1)
     ORDER BY f.first`,
    [id, listOf(playerIds), party.userVotes],
  );
  return voters.filter((voter) => !isForgotten(voter) && misfitOf(party, voter.kind) === null);
}

/** Whose vote reached the round; if they were forgotten, who voted last before that. */
async function lastMember(tx: Tx, id: number, reachedBy: number): Promise<readonly Member[]> {
  const voters = await tx.all<Member>(
    `SELECT ${VOTER} FROM party_votes m JOIN votes v ON v.id = m.vote_id JOIN names n ON n.id = v.name_id
     WHERE m.party_id = $1 AND (v.weight = 2 OR v.id = $2) ORDER BY CASE WHEN v.id = $2 THEN 0 ELSE 1 END, v.id DESC`,
    [id, reachedBy],
  );
  return voters.filter((voter) => !isForgotten(voter)).slice(0, 1);
}

/** Each once, however many game servers they are on. */
async function presentMembers(tx: Tx, present: readonly PresentPlayer[]): Promise<readonly Member[]> {
  const members = new Map<number, Member>();
  for (const { player, server } of present) {
    const named = { kind: 'player', key: playerKey(player) } as const;
    const { playerId, nameId } = (await playerNamed(tx, named)) ?? (await addPlayer(tx, named));
    if (!members.has(playerId)) members.set(playerId, { playerId, nameId, ...named, player, server });
  }
  return [...members.values()];
}

/** @returns how many grants were created. */
async function payMember(tx: Tx, member: Member, order: PartyOrder, round: ReachedRound, now: number) {
  const { id, party, rules } = order;
  const { playerId, nameId, server } = member;
  const recipient = recipientOf(member);
  // What is paid once is paid to nobody in particular.
  const player = recipient.kind === 'player' && party.for !== 'once' ? recipient.player : null;
  const cause = { cause: 'party', causeId: id, playerId, nameId, player } as const;
  const share = {
    reward: server === undefined ? party : { ...party, servers: [server], whereOnline: false },
    ...{ recipient, occasion: occasion(partyOccasion(round.number)), choice: null },
    day: localDay(now, rules.zone),
    shared: { partyVotes: round.votes, partyLeft: party.every },
    // Who pays the vote that reached it pays it.
    initial: initialState(round.isPaidElsewhere === 1, round.doubt),
  };
  return await oweShare(tx, cause, share, order, now);
}

/** The state of what is earned, unless another listener pays it. @param doubt null: it may be paid. */
export const initialState = (isPaidElsewhere: boolean, doubt: PartyDoubt | null): InitialState => {
  if (isPaidElsewhere) return IN_SHADOW;
  return doubt === null ? { state: 'pending', reason: null } : { state: 'held', reason: { code: doubt } };
};
