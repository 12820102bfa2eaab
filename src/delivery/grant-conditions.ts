import type { PauseCode } from '../core/game-server-codes.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import { conditionText } from '../core/player-condition.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import type { OpenGrant, WaitingGrant } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import { type ConditionAnswer, ConditionAsker } from './condition-asker.ts';
import type { PaymentParts } from './payment.ts';

export type GrantConditionsParts = Pick<PaymentParts, 'ledger' | 'clock' | 'random' | 'server'> & {
  readonly attendance: Attendance;
};

/** The pause before a condition is asked for again. A player who joins is asked about at once. */
const AGAIN: RetrySchedule = { firstMs: 10_000, longestMs: 600_000 };

/** `paid-otherwise`: the grant has other commands now. `waits`: the reason is stored in the ledger. */
export type Judged = 'met' | 'waits' | 'paid-otherwise' | { readonly unreachable: PauseCode };

/** Whether players meet the conditions of grants. Methods reject with the ledger's Problem. */
export class GrantConditions {
  private readonly asker: ConditionAsker;

  constructor(private readonly parts: GrantConditionsParts) {
    this.asker = new ConditionAsker(parts.server);
  }

  /** Asks the game server if the grant has a condition that is not decided. */
  async judge(grant: OpenGrant): Promise<Judged> {
    const payIf = grant.checks?.payIf ?? null;
    if (payIf === null) return 'met';
    const { attendance } = this.parts;
    const player = attendance.spelling(grant.recipientKey) ?? grant.player ?? grant.recipientKey;
    const answer = await this.asker.ask(payIf.condition, player);
    switch (answer.kind) {
      case 'met':
        return 'met';
      case 'unanswered':
        return { unreachable: answer.reason };
      case 'absent':
        attendance.forget(grant.recipientKey);
        await this.parts.ledger.wait(grant, { code: 'player-offline' }, this.parts.clock.now());
        return 'waits';
      case 'unmet':
        if (payIf.hasOrElse) return this.payOrElse(grant);
        break;
    }
    const times = payIf.times + 1;
    return this.wait(grant, this.reasonFor(answer, conditionText(payIf.condition), times), times);
  }

  private async payOrElse(grant: OpenGrant): Promise<Judged> {
    const { ledger, clock } = this.parts;
    await Promise.all(paidWith(grant).map((each) => ledger.payOrElse(each, clock.now())));
    return 'paid-otherwise';
  }

  private reasonFor(
    answer: Extract<ConditionAnswer, { kind: 'unmet' | 'unclear' }>,
    missing: string,
    times: number,
  ): GrantReason {
    const checkedAt = this.parts.clock.now();
    if (answer.kind === 'unmet') return { code: 'condition-unmet', facts: { missing, times, checkedAt } };
    const { question, reply } = answer;
    return { code: 'condition-unclear', facts: { question, reply, times, checkedAt } };
  }

  private async wait(grant: OpenGrant, reason: GrantReason, times: number): Promise<Judged> {
    const { ledger, clock, random } = this.parts;
    const now = clock.now();
    const dueAt = now + retryDelayMs(AGAIN, times, random);
    await Promise.all(paidWith(grant).map((each) => ledger.wait(each, reason, now, dueAt)));
    return 'waits';
  }
}

/** The grant, and those that can be paid as one with it: the answer holds for all of them. */
const paidWith = ({ id, server, combined }: OpenGrant): readonly WaitingGrant[] =>
  [id, ...(combined?.others ?? [])].map((each) => ({ id: each, server }));
