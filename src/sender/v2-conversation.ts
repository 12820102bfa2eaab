import { decodeGreeting } from '../../protocol/votifier/greeting.ts';
import {
  encodeV2Body,
  encodeV2Frame,
  V2_BODY_MAX_BYTES,
  V2_HEADER_BYTES,
} from '../../protocol/votifier/v2.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import { endingOf, readAnswer } from './answer.ts';
import { afterLine, type Conversation, end, type Step, WAIT } from './conversation.ts';
import { looksLike, printable } from './foreign.ts';
import type { Ending } from './result.ts';

export const V2_TOO_LONG: Ending = {
  code: 'vote-too-long',
  detail: `a version 2 message holds ${V2_BODY_MAX_BYTES} bytes`,
};

/** [V2-3] Can be checked before connecting, because the challenge only makes the body longer. */
export const exceedsV2 = (vote: WireVote, token: string): boolean =>
  Buffer.byteLength(encodeV2Body({ ...vote, challenge: '' }, token)) > V2_BODY_MAX_BYTES;

/** Version 2: greeting, frame, reply. Without a challenge nothing can be sent. */
export class V2Conversation implements Conversation {
  private received: Buffer = Buffer.alloc(0);
  private written = false;

  constructor(
    private readonly vote: WireVote,
    private readonly token: string,
  ) {}

  push(chunk: Buffer): Step {
    this.received = Buffer.concat([this.received, chunk]);
    return this.written ? this.handleAnswer() : this.handleGreeting();
  }

  greetingOverdue(): Step {
    return WAIT;
  }

  closed(): Ending {
    if (!this.written) return { code: 'closed-without-greeting' };
    return this.answerSoFar() ?? { code: 'closed-without-answer' };
  }

  timedOut(): Ending {
    if (!this.written) return { code: 'no-greeting' };
    return this.answerSoFar() ?? { code: 'no-answer' };
  }

  private handleGreeting(): Step {
    const greeting = decodeGreeting(this.received.toString('latin1'));
    switch (greeting.kind) {
      case 'need-more':
        return WAIT;
      case 'not-votifier':
        return end({ code: 'not-votifier', detail: looksLike(this.received) });
      case 'v1-only':
        return end({
          code: isLater(greeting.version) ? 'version-unknown' : 'v1-only',
          detail: printable(greeting.version),
        });
      case 'v2':
        return this.write(greeting.challenge);
    }
  }

  private write(challenge: string): Step {
    const bytes = encodeV2Frame({ ...this.vote, challenge }, this.token);
    if (bytes.length - V2_HEADER_BYTES > V2_BODY_MAX_BYTES) return end(V2_TOO_LONG);
    this.written = true;
    // A listener at its limit may have sent a refusal with its greeting; it is read when the connection closes.
    this.received = afterLine(this.received);
    return { kind: 'write', bytes };
  }

  private handleAnswer(): Step {
    const answer = readAnswer(this.received);
    if (answer.kind === 'need-more') return WAIT;
    return end(answer.kind === 'unreadable' ? this.unreadable() : endingOf(answer));
  }

  /** No more bytes will come, so an incomplete answer is unreadable. */
  private answerSoFar(): Ending | null {
    if (this.received.toString('latin1').trim() === '') return null;
    const answer = readAnswer(this.received);
    return answer.kind === 'ok' || answer.kind === 'error' ? endingOf(answer) : this.unreadable();
  }

  private unreadable(): Ending {
    return {
      code: 'unreadable-reply',
      detail: `it begins "${printable(this.received.toString('utf8', 0, 40))}"`,
    };
  }
}

/** Versions below 2, such as `1.9`, are old listeners; from 2 on, a listener that this sender does not know. */
const isLater = (version: string): boolean => Number.parseFloat(version) >= 2;
