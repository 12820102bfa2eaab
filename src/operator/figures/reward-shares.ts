import type { GrantState } from '../../core/settlement.ts';
import type {
  GrantCounts,
  IdRange,
  LedgerReader,
  RewardSum,
  UndeliveredSum,
  UndeliveredSums,
} from '../../ledger/ledger.ts';
import { SpanSums, type Summing, together } from './span-sums.ts';
import { Edges, lastDays } from './spans.ts';

/** What a reward has been in a period. */
export interface RewardShare {
  readonly reward: string;
  /** How many votes of the period were given it. */
  readonly votes: number;
  readonly grants: number;
  /** Its grants by the state that they have now; null if too many of the period are not delivered, or not all are counted yet. */
  readonly states: GrantCounts | null;
}

export interface RewardSharesValue {
  readonly since: number;
  readonly until: number;
  /** All votes that were received in the period. */
  readonly votes: number;
  /** Those with the most votes first. */
  readonly rewards: readonly RewardShare[];
  /** Whether every grant of the period is counted: a long period is read in parts, the latest days first. */
  readonly isWhole: boolean;
}

const DAYS_KEPT = 90;
/** So many grants are summed for one page; reading them takes some 20 ms. */
const GRANTS_AT_ONCE = 20_000;
/** So many grants that are not delivered are read for one page, a part with each call. */
const UNDELIVERED_MOST = 20_000;
const UNDELIVERED_AT_ONCE = 5_000;

type Ledger = Pick<LedgerReader, 'timeZone' | 'firstVotes' | 'firstGrants' | 'rewardSums' | 'undelivered'>;

/** How many votes were given each reward. It keeps what it has read, so a page costs what came since. */
export class RewardShares {
  private readonly edges: Edges;
  private readonly sums: SpanSums<RewardSum>;
  private readonly summing: Summing<RewardSum>;

  constructor(private readonly ledger: Ledger) {
    this.edges = new Edges((times) => ledger.firstGrants(times));
    this.summing = summingOf(ledger);
    this.sums = new SpanSums(this.summing);
  }

  /**
   * @param days how many of the last local days, today included; at most 90.
   * @param most ends the reading after so many grants: earlier days are missing then.
   */
  async of(days: number, now: number, most: number = GRANTS_AT_ONCE): Promise<RewardSharesValue> {
    const zone = await this.ledger.timeZone();
    const spans = await this.edges.rowsOf(lastDays(DAYS_KEPT, now, zone), now);
    this.sums.keepOnly(spans);
    const asked = spans.slice(-days);
    await this.sums.fill(asked, most);
    const parts = asked.map((span) => this.sums.of(span));
    const sums = together(
      parts.map((part) => part.sums),
      this.summing,
    );
    const { start: since = now, ids } = asked[0] ?? {};
    const until = asked.at(-1)?.end ?? now;
    const [first = 1, next = 1] = await this.ledger.firstVotes([since, until]);
    const isWhole = parts.every((part) => part.isWhole);
    const range = { from: ids?.from ?? 1, to: asked.at(-1)?.ids.to ?? 0 };
    const open = isWhole ? await undeliveredIn(this.ledger, range) : null;
    return {
      ...{ since, until, votes: next - first },
      rewards: sums
        .map((sum) => ({ ...sum, states: open === null ? null : statesOf(sum, open) }))
        .sort(byVotes),
      isWhole,
    };
  }
}

const byVotes = (one: RewardShare, other: RewardShare): number =>
  other.votes - one.votes || other.grants - one.grants || (one.reward < other.reward ? -1 : 1);

const summingOf = (ledger: Pick<LedgerReader, 'rewardSums'>): Summing<RewardSum> => ({
  read: (grants) => ledger.rewardSums(grants),
  keyOf: ({ reward }) => reward,
  add: (one, other) => ({ ...one, votes: one.votes + other.votes, grants: one.grants + other.grants }),
});

/** null if there are too many. */
async function undeliveredIn(
  ledger: Pick<LedgerReader, 'undelivered'>,
  { from, to }: IdRange,
): Promise<readonly UndeliveredSum[] | null> {
  const sums: UndeliveredSum[] = [];
  let last: number | null = to;
  for (let read = 0; last !== null && read < UNDELIVERED_MOST; read += UNDELIVERED_AT_ONCE) {
    const part: UndeliveredSums = await ledger.undelivered({ from, to: last }, UNDELIVERED_AT_ONCE);
    sums.push(...part.sums);
    last = part.from === null ? null : part.from - 1;
  }
  return last === null ? sums : null;
}

function statesOf({ reward, grants }: RewardSum, open: readonly UndeliveredSum[]): GrantCounts {
  const counts: Partial<Record<GrantState, number>> = {};
  let delivered = grants;
  for (const sum of open.filter((each) => each.reward === reward)) {
    counts[sum.state] = (counts[sum.state] ?? 0) + sum.grants;
    delivered -= sum.grants;
  }
  return delivered === 0 ? counts : { ...counts, delivered };
}
