import type { JudgedArrival } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { periodEnd } from '../../core/period-end.ts';
import type { PlayerName } from '../../core/player-name.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { settlePeriod } from '../../delivery/together.ts';
import type { Ledger, PresentPlayer, ReachedParty } from '../../ledger/ledger.ts';
import { drawFor, type Party, type Rules, type Top } from '../../rewards/reward.ts';
import { leftUntil } from '../../rewards/together.ts';
import { type SimulatedGrant, simulatedGrant } from './simulated-grant.ts';

/** A party that simulated votes reached, or a period of a top that ended. */
export interface PaidTogether {
  readonly cause: 'party' | 'top';
  readonly at: number;
  readonly grants: readonly JointlyPaid[];
}

export interface JointlyPaid extends SimulatedGrant {
  /** As in their latest vote; null: nobody in particular, or a user ID. */
  readonly player: string | null;
}

export interface JointOptions {
  readonly tops: readonly Top[];
  /** Time passes until then after the last vote; null: no further. */
  readonly until: number | null;
  /** Who is online whenever a party is due. */
  readonly online: readonly PlayerName[];
}

/** So that what is drawn for votes does not depend on what is paid together. */
const OTHER_DRAWS = 0x5eed;

interface DueTop {
  readonly top: Top;
  readonly period: number;
  /** When its places are stored. */
  readonly at: number;
}

/** Pays the parties and tops of simulated votes, at once and by the ledger's own calls. */
export class JointSimulation {
  private readonly random: Random;

  constructor(
    private readonly ledger: Ledger,
    private readonly votes: readonly JudgedArrival[],
    private readonly rules: Rules,
    private readonly options: JointOptions,
    seed: number,
  ) {
    this.random = seededRandom((seed ^ OTHER_DRAWS) >>> 0);
  }

  /** Call this before the first vote. */
  async start(firstDay: number): Promise<void> {
    const { tops } = this.options;
    const rewards = [...this.rules.rewards, ...this.rules.parties, ...tops];
    await this.ledger.useConfig({ rewards, tops, today: firstDay });
  }

  /** How many of the votes from one on can be recorded before anything is due: only the last of them may reach a party. */
  async span(from: number, most: number): Promise<number> {
    const left = await this.leastLeft(from);
    const next = (await this.nextTop())?.at ?? Number.POSITIVE_INFINITY;
    const after = this.votes
      .slice(from, from + Math.min(most, left))
      .findIndex((each) => timeOf(each) >= next);
    return Math.min(most, left, after === -1 ? most : Math.max(1, after));
  }

  private async leastLeft(from: number): Promise<number> {
    const { parties, zone } = this.rules;
    if (parties.length === 0) return Number.POSITIVE_INFINITY;
    const progress = await this.ledger.partyProgress();
    const today = localDay(timeOf(this.votes[from] as JudgedArrival), zone);
    const left = parties.map((party) =>
      leftUntil(party, progress.find((each) => each.party === party.name) ?? null, today),
    );
    return Math.min(...left);
  }

  /** What is due after the vote at one place and before the next one. */
  async paidAfter(last: number): Promise<readonly PaidTogether[]> {
    const paid: PaidTogether[] = [];
    if (this.rules.parties.length > 0) {
      for (const reached of await this.ledger.reachedParties()) paid.push(await this.fix(reached));
    }
    const next = this.votes[last + 1];
    const until = next === undefined ? (this.options.until ?? timeOf(this.votes[last])) : timeOf(next);
    for (let due = await this.nextTop(); due !== null && due.at <= until; due = await this.nextTop()) {
      paid.push(await this.settle(due));
    }
    return paid;
  }

  private async fix({ id, party: name, reachedAt }: ReachedParty): Promise<PaidTogether> {
    const party = this.rules.parties.find((each) => each.name === name) as Party;
    const online = party.for === 'online' ? this.present(party) : [];
    const present = party.for === 'online' && online.length >= party.minOnline ? online : null;
    const order = { id, party, present, rules: this.rules, draws: drawFor(this.random) };
    let grants = 0;
    for (let after: number | null = 0; after !== null; ) {
      const portion = await this.ledger.fixParty(order, after, reachedAt);
      grants += portion.grants;
      after = portion.next;
    }
    return { cause: 'party', at: reachedAt, grants: await this.newest(grants, reachedAt) };
  }

  private present({ servers: [server = ''] }: Party): readonly PresentPlayer[] {
    return this.options.online.map((player) => ({ player, server }));
  }

  /** The period whose places are stored next. */
  private async nextTop(): Promise<DueTop | null> {
    const due: DueTop[] = [];
    for (const top of this.options.tops) {
      const period = await this.ledger.dueTop(top, Number.MAX_SAFE_INTEGER);
      if (period === null) continue;
      due.push({ top, period, at: periodEnd(top.period, period, this.rules.zone) + top.settleMs });
    }
    return due.sort((a, b) => a.at - b.at)[0] ?? null;
  }

  private async settle({ top, period, at }: DueTop): Promise<PaidTogether> {
    const order = { top, period, rules: this.rules, draws: drawFor(this.random) };
    const grants = await settlePeriod(this.ledger, order, at);
    return { cause: 'top', at, grants: await this.newest(grants, at) };
  }

  /** The grants that were created last, in the order in which they were. */
  private async newest(count: number, at: number): Promise<readonly JointlyPaid[]> {
    const grants = count === 0 ? [] : await this.ledger.grants({ together: true, limit: count });
    return grants.map((grant) => ({ ...simulatedGrant(grant, at), player: grant.player })).toReversed();
  }
}

const timeOf = (arrival: JudgedArrival | undefined): number => arrival?.vote.receivedAt ?? 0;
