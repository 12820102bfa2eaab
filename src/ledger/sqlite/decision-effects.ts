import type { Decision } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { isInRestoreDoubt, type Restore } from '../../core/restore-doubt.ts';
import type { Vote } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { type Basis, standingOf } from '../../rewards/decide.ts';
import { countedVote } from '../../rewards/party.ts';
import type { Arrival } from '../../rewards/reward.ts';
import { storeForwards } from './forwarding.ts';
import type { KnownRewards } from './known-rewards.ts';
import { IN_SHADOW, type InitialState, NewGrants } from './new-grants.ts';
import { PartyCounting, type Reached } from './party-counting.ts';
import { Histories } from './sqlite-history.ts';

/** A decision, with what the vote is to the parties. */
export interface CountedDecision {
  readonly decision: Decision;
  /** The parties that it reached. */
  readonly reached: readonly Reached[];
}

/** The row of a vote. */
export interface VoteKey {
  readonly id: number;
  readonly recipientId: number;
}

/** What decides whether the grants of a vote are paid. */
export interface Paying {
  /** Whether another listener pays it. */
  readonly isPaidElsewhere: boolean;
  readonly isClockDoubted: boolean;
}

/** What a decision on a vote changes besides the vote's own row: counts, occasions, places of limits, and grants. */
export class DecisionEffects {
  private readonly histories: Histories;
  private readonly newGrants: NewGrants;
  private readonly parties: PartyCounting;
  private readonly restores;

  constructor(database: Database, rewards: KnownRewards) {
    this.histories = new Histories(database, rewards);
    this.newGrants = new NewGrants(database);
    this.parties = new PartyCounting(database, rewards);
    this.restores = database.prepare('SELECT backup_at AS backupAt, restored_at AS restoredAt FROM restores');
  }

  /** What is known of the recipient before the decision. @param now when the rewards start that the ledger does not know. */
  historyBefore({ rules }: Pick<Arrival, 'rules'>, recipientId: number, now: number): Basis {
    const today = localDay(now, rules.zone);
    // A process that only records may have a config that the one which delivers never had.
    for (const reward of rules.rewards) this.histories.rewards.use(reward, today);
    for (const party of rules.parties) this.histories.rewards.use(party, today);
    return this.histories.of(recipientId, today);
  }

  /** Counts the vote for the parties. Call this before the decision is stored. @param now as it is believed. */
  count(arrival: Arrival, decision: Decision, now: number): CountedDecision {
    const { vote, rules } = arrival;
    const judged = rules.parties.length === 0 ? null : countedVote(arrival, decision, rules.zone);
    if (judged === null) return { decision, reached: [] };
    const doubt = this.isInRestoreDoubt(vote) ? 'restore-doubt' : null;
    const by = { doubt, today: localDay(now, rules.zone) } as const;
    const { reasons, reached } = this.parties.count(rules.parties, judged, by);
    return { decision: { ...decision, reasons: new Map([...decision.reasons, ...reasons]) }, reached };
  }

  /** Call this when the decision is stored. */
  store(
    arrival: Arrival,
    { decision, reached }: CountedDecision,
    key: VoteKey,
    paying: Paying,
    now: number,
  ): void {
    this.addToHistory(arrival, decision, key);
    this.parties.reach(reached, key.id, now, paying.isClockDoubted);
    if (decision.grants.length === 0 && arrival.forward === undefined) return;
    const { vote } = arrival;
    const { isPaidElsewhere, isClockDoubted } = paying;
    const doubted = this.doubtedState(vote, isClockDoubted);
    const initial = isPaidElsewhere ? IN_SHADOW : doubted;
    const player = vote.recipient.kind === 'player' ? vote.recipient.player : null;
    const cause = { cause: 'vote', causeId: key.id, recipientId: key.recipientId, player } as const;
    storeForwards(this.newGrants, arrival, cause, { initial: doubted, isPaidElsewhere }, now);
    for (const grant of decision.grants) this.newGrants.insert(cause, grant, initial, now);
  }

  private addToHistory(arrival: Arrival, decision: Decision, { id, recipientId }: VoteKey): void {
    const { vote, rules } = arrival;
    const { counts, occasions, rewards } = this.histories;
    const day = localDay(vote.castAt, rules.zone);
    const standing = standingOf(decision, arrival);
    if (standing !== null) {
      counts.add({ recipientId, service: vote.service, day, standing });
    }
    for (const { reward, occasion } of decision.spent) {
      const rewardId = rewards.find(reward)?.id;
      if (rewardId !== undefined) occasions.spend({ rewardId, recipientId }, occasion, id);
    }
    // A test vote takes no place of a limit.
    if (standing !== null)
      this.histories.addGranted(decision, { recipientId, castAt: vote.castAt, day, voteId: id });
  }

  private isInRestoreDoubt(vote: Vote): boolean {
    return isInRestoreDoubt(vote, this.restores.all() as Restore[]);
  }

  /** The operator decides on grants that the lost ledger may have paid, and on those of votes under a doubted clock. */
  private doubtedState(vote: Vote, isClockDoubted: boolean): InitialState {
    if (this.isInRestoreDoubt(vote)) {
      return { state: 'held', reason: { code: 'restore-doubt' } };
    }
    return isClockDoubted
      ? { state: 'held', reason: { code: 'clock-doubt' } }
      : { state: 'pending', reason: null };
  }
}
