import type { Figures } from '../../core/template.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { historyOfGiven, voteOf } from '../../rewards/decide.ts';
import type { Draws } from '../../rewards/draws.ts';
import { type Granted, planGrants } from '../../rewards/grants.ts';
import type { Reward, Rules } from '../../rewards/reward.ts';
import type { GrantCauseKind } from '../grant-row.ts';
import type { KnownRewards } from './known-rewards.ts';
import type { InitialState } from './new-grants.ts';
import { NewGrants } from './new-grants.ts';
import { Histories } from './sqlite-history.ts';

/** Something that one recipient gets of what was earned together. */
export interface JointGrant extends Granted {
  readonly cause: Extract<GrantCauseKind, 'party' | 'top'>;
  readonly causeId: number;
  readonly recipientId: number;
  readonly recipient: Recipient;
  /** Whether its commands are run for nobody in particular, whoever has the recipient's name. */
  readonly isNobodys?: boolean;
  readonly reward: Reward;
  /** The day whose figures the commands show, as days since 1970-01-01. */
  readonly day: number;
  readonly shared?: Figures;
  readonly initial: InitialState;
}

/** Creates grants that no single vote is the cause of. The caller holds the transaction. */
export class JointGrants {
  private readonly newGrants: NewGrants;
  private readonly histories: Histories;

  constructor(database: Database, rewards: KnownRewards) {
    this.newGrants = new NewGrants(database);
    this.histories = new Histories(database, rewards);
  }

  /** @returns how many were created: one for each game server. */
  create(
    grant: JointGrant,
    { rules, draws }: { readonly rules: Rules; readonly draws: Draws },
    now: number,
  ): number {
    const { cause, causeId, recipientId, recipient, reward, day, initial, shared } = grant;
    const vote = voteOf(recipient, day, now, rules.zone);
    const history = historyOfGiven(reward, vote, rules, this.histories.of(recipientId, day));
    const source = { vote, history, draws, rules };
    const planned = planGrants(reward, grant, { ...source, ...(shared === undefined ? {} : { shared }) });
    const player = recipient.kind === 'player' && grant.isNobodys !== true ? recipient.player : null;
    for (const each of planned)
      this.newGrants.insert({ cause, causeId, recipientId, player }, each, initial, now);
    return planned.length;
  }
}
