import { decodeGreeting } from '../../protocol/votifier/greeting.ts';
import { ANSWER_MAX_BYTES, endingOf, readAnswer } from './answer.ts';
import { afterLine, type Conversation, end, type Step, WAIT } from './conversation.ts';
import { looksLike } from './foreign.ts';
import { type Ending, TAKES_TOKENS } from './result.ts';

/**
 * Version 1: a greeting, then one block, then nothing [V1-6].
 *
 * The block does not depend on the greeting, so it is also sent if no greeting comes for a while: a listener that
 * serves one connection at a time greets late, and reads the block when our turn comes. Waiting for the greeting first
 * has two reasons: a server that sends something else is not a Votifier, and a port that closes at once has not read
 * anything. Both are certain only if nothing has been written yet.
 */
export class V1Conversation implements Conversation {
  private received: Buffer = Buffer.alloc(0);
  private greeted = false;
  private takesTokens = false;
  private written = false;

  constructor(private readonly block: Buffer) {}

  push(chunk: Buffer): Step {
    if (this.received.length <= ANSWER_MAX_BYTES) this.received = Buffer.concat([this.received, chunk]);
    return this.greeted ? this.handleAnswer() : this.handleGreeting();
  }

  greetingOverdue(): Step {
    return this.write();
  }

  closed(): Ending {
    return this.written ? this.sent() : { code: 'closed-without-greeting' };
  }

  timedOut(): Ending {
    return this.written ? this.sent() : { code: 'no-greeting' };
  }

  private handleGreeting(): Step {
    const greeting = decodeGreeting(this.received.toString('latin1'));
    if (greeting.kind === 'need-more') return WAIT;
    if (greeting.kind === 'not-votifier') {
      return end({ code: 'not-votifier', detail: looksLike(this.received) });
    }
    this.greeted = true;
    this.takesTokens = greeting.kind === 'v2';
    this.received = afterLine(this.received);
    return this.write();
  }

  private write(): Step {
    if (this.written) return WAIT;
    this.written = true;
    return { kind: 'write', bytes: this.block };
  }

  /** No known listener answers a block; if one does, its answer counts. */
  private handleAnswer(): Step {
    const answer = readAnswer(this.received);
    return answer.kind === 'ok' || answer.kind === 'error' ? end(endingOf(answer)) : WAIT;
  }

  private sent(): Ending {
    if (!this.greeted) return { code: 'sent-ungreeted' };
    return this.takesTokens ? { code: 'sent', detail: TAKES_TOKENS } : { code: 'sent' };
  }
}
