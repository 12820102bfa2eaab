import { closeSince } from '../../core/cooldown.ts';
import type { Decision } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { decide, planNothing } from '../../rewards/decide.ts';
import { planGrants } from '../../rewards/grants.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { WantedOfVotes } from '../ledger.ts';
import { KnownRewards } from './known-rewards.ts';
import { Recipients } from './recipients.ts';
import { Histories } from './sqlite-history.ts';
import { Windows } from './windows.ts';

/** No recipient has this ID. */
const NOBODY = -1;

/** Decides about votes that are not recorded. Preparing its statements takes 2 ms, so it is made when it is first needed. */
export class Foreseeing {
  private readonly windows: Windows;
  private readonly rewards: KnownRewards;
  private readonly histories: Histories;
  private readonly recipients: Recipients;
  /**
   * In one transaction, so that it sees one state of the ledger. That also takes half the time: each statement alone would
   * lock the file, and what is known of the rewards is read once.
   */
  readonly judge: (arrivals: readonly Arrival[], wanted: WantedOfVotes) => Decision[];

  constructor(database: Database) {
    this.windows = new Windows(database);
    this.rewards = new KnownRewards(database);
    this.histories = new Histories(database, this.rewards);
    this.recipients = new Recipients(database);
    this.judge = database.transaction((arrivals: readonly Arrival[], wanted: WantedOfVotes) => {
      this.rewards.begin();
      const plan = wanted === 'grants' ? planGrants : planNothing;
      return arrivals.map((arrival) => this.judged(arrival, plan));
    });
  }

  private judged(arrival: Arrival, plan: typeof planGrants): Decision {
    const { vote, cooldown, rules } = arrival;
    const recipientId = this.recipients.find(vote.recipient) ?? NOBODY;
    const since = closeSince(vote.castAt, cooldown);
    const rewarded = this.windows.rewardedSince({ ...vote, recipientId }, since);
    const history = this.histories.of(recipientId, localDay(vote.castAt, rules.zone));
    return decide(arrival, rewarded, history, plan);
  }
}
