import { closeSince } from '../../core/cooldown.ts';
import { type Decision, decideWindow, type JudgedArrival } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { decide, planNothing, standingOf } from '../../rewards/decide.ts';
import { ALL_WON } from '../../rewards/draws.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { ImportOrder, VotesImported } from '../import-ledger.ts';
import { Balances } from './balances.ts';
import type { Known } from './known.ts';
import { ReachedElsewhere } from './reached-elsewhere.ts';
import { Recipients } from './recipients.ts';
import { Histories } from './sqlite-history.ts';
import { StoredVotes } from './stored-votes.ts';

const NOTHING: VotesImported = { counted: 0, uncounted: 0, same: 0, receivedHere: 0, passed: 0 };

/** The row of a name that was never seen. */
const NOBODY = 0;

/** Records votes of the time before Teller. The caller holds the transaction. */
export class ImportingVotes {
  private readonly statements;
  private readonly stored: StoredVotes;
  private readonly recipients: Recipients;
  private readonly histories: Histories;
  private readonly elsewhere: ReachedElsewhere;
  private readonly balances: Balances;
  /**
   * By service: up to which ID no vote was received here. Looking through all imported votes again for each portion took
   * minutes with 400,000 of them.
   */
  private readonly noneUpTo = new Map<string, number>();

  constructor(database: Database, { rewards, reasons }: Known) {
    this.statements = prepareStatements(database);
    this.stored = new StoredVotes(database, reasons);
    this.recipients = new Recipients(database);
    this.histories = new Histories(database, rewards);
    this.elsewhere = new ReachedElsewhere(database, rewards);
    this.balances = new Balances(database);
  }

  import(votes: readonly JudgedArrival[], order: ImportOrder): VotesImported {
    const today = localDay(order.now, order.rules.zone);
    for (const reward of order.rules.rewards) this.histories.rewards.use(reward, today);
    // Before anything is inserted: if this transaction fails, its IDs are given to other votes.
    const lastId = this.statements.lastId.get() as number;
    const firsts = new Map<string, number>();
    let sum = NOTHING;
    for (const judged of votes) {
      const { service } = judged.vote;
      const first = firsts.get(service) ?? this.firstReceived(service, lastId);
      firsts.set(service, first);
      const arrival = { ...judged, rules: order.rules, draws: ALL_WON };
      const { kind, passed } = this.one(arrival, first, order, today);
      sum = { ...sum, [kind]: sum[kind] + 1, passed: sum.passed + passed };
    }
    return sum;
  }

  /** When the first vote for a service was cast that was received here; Infinity without one. */
  private firstReceived(service: string, lastId: number): number {
    const after = this.noneUpTo.get(service) ?? 0;
    const first = this.statements.firstReceived.get({ service, after }) as FirstVote | undefined;
    this.noneUpTo.set(service, first === undefined ? lastId : first.id - 1);
    return first?.castAt ?? Number.POSITIVE_INFINITY;
  }

  private one(arrival: Arrival, first: number, order: ImportOrder, today: number): Outcome {
    const { vote } = arrival;
    const known = this.recipients.find(vote.recipient);
    if (this.stored.findSame(arrival, known ?? NOBODY) !== null) return { kind: 'same', passed: 0 };
    if (vote.castAt >= first) return { kind: 'receivedHere', passed: 0 };
    const recipientId = known ?? this.recipients.findOrAdd(vote.recipient);
    const decision = this.decide(arrival, recipientId, today);
    // Its reasons would say that rewards were granted.
    const without = { ...decision, reasons: new Map() };
    this.stored.insert(arrival, { recipientId, isPaidElsewhere: true }, without);
    const standing = standingOf(decision, arrival);
    if (standing === null) return { kind: 'uncounted', passed: 0 };
    const day = localDay(vote.castAt, order.rules.zone);
    this.histories.counts.add({ recipientId, service: vote.service, day, standing });
    const passed = this.elsewhere.markSpent(recipientId, decision.spent, order);
    return { kind: standing === 'marked' ? 'uncounted' : 'counted', passed };
  }

  /** As if it had arrived: what it spends is what it reaches. */
  private decide(arrival: Arrival, recipientId: number, today: number): Decision {
    const { vote, cooldown, rules } = arrival;
    const since = closeSince(vote.castAt, cooldown);
    const rewarded = this.stored.windows.rewardedSince({ ...vote, recipientId }, since);
    const standing = standingOf(decideWindow(arrival, rewarded), arrival);
    // Before it is judged, so that it does not seem to make a total one larger than it is.
    if (standing === 'rewarded' || standing === 'counted')
      this.balances.turnsUp(recipientId, vote.castAt, localDay(vote.castAt, rules.zone));
    return decide(arrival, rewarded, this.histories.of(recipientId, today), planNothing);
  }
}

interface FirstVote {
  readonly id: number;
  readonly castAt: number;
}

interface Outcome {
  readonly kind: Exclude<keyof VotesImported, 'passed'>;
  readonly passed: number;
}

const prepareStatements = (db: Database) => ({
  // Votes of the time before Teller can also be added by the operator, or be found in a listing's API.
  firstReceived: db.prepare(`
    SELECT id, cast_at AS castAt FROM votes
    WHERE service = @service AND id > @after AND channel NOT IN ('import', 'operator') AND decision NOT IN ('before-start', 'practice')
    ORDER BY id LIMIT 1`),
  lastId: db.prepare('SELECT coalesce(max(id), 0) FROM votes').pluck(),
});
