import type { Party, Rules, Top } from '../../../rewards/reward.ts';
import type { JointlyPaid, PaidTogether } from '../joint.ts';
import { Counts, type RewardFigures, rewardFigures } from './reward-figures.ts';

/** How often something was reached together, and who was paid. */
export interface JointFigures extends Pick<RewardFigures, 'grants' | 'choices'> {
  readonly kind: 'party' | 'top';
  readonly name: string;
  /** How often the party was reached, or how many periods ended. */
  readonly reached: number;
  /** Per player, of all players; null: it is run for nobody in particular. */
  readonly median: number | null;
  readonly most: number | null;
  /** Of all players, how many are paid each time, on average, from 0 to 1. */
  readonly share: number | null;
  /** What the figures assume; null: nothing. */
  readonly assumes: string | null;
}

/** Counts what simulated votes reached together. */
export class JointCounter {
  private readonly entries: readonly JointCounts[];

  constructor({ parties }: Pick<Rules, 'parties'>, tops: readonly Top[]) {
    this.entries = [
      ...parties.map((party) => new JointCounts('party', party, party.for === 'once', assumedOf(party))),
      ...tops.map((top) => new JointCounts('top', top, false, null)),
    ];
  }

  add({ name, grants }: PaidTogether): void {
    this.entries.find((each) => each.name === name)?.add(grants);
  }

  /** @param players how many there are, also those who did not vote. */
  figures(players: number): readonly JointFigures[] {
    return this.entries.map((each) => each.figures(players));
  }
}

class JointCounts {
  private readonly counts: Counts;
  private reached = 0;

  constructor(
    private readonly kind: JointFigures['kind'],
    entry: Party | Top,
    private readonly isNobodys: boolean,
    private readonly assumes: string | null,
  ) {
    this.counts = new Counts(entry);
  }

  get name(): string {
    return this.counts.reward.name;
  }

  add(grants: readonly JointlyPaid[]): void {
    this.reached += 1;
    // The same grant on another game server is left out.
    const each = new Map(grants.map((grant) => [`${grant.player}\n${grant.occasion}`, grant]));
    for (const grant of each.values()) this.counts.add(grant.player ?? '', grant);
  }

  figures(players: number): JointFigures {
    const { kind, name, reached, assumes } = this;
    const paid = rewardFigures(this.counts, players, reached * players);
    const { grants, choices, median, most, share } = paid;
    const perPlayer = this.isNobodys ? { median: null, most: null, share: null } : { median, most, share };
    return { kind, name, reached, grants, ...perPlayer, choices, assumes };
  }
}

const assumedOf = ({ for: paid, minOnline }: Party): string | null =>
  paid === 'online'
    ? `those who voted in the hour before it are taken to be online; with fewer than ${minOnline}, the voters are paid`
    : null;
