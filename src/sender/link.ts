import type { Socket } from 'node:net';
import { decodeGreeting, type Greeting } from '../../protocol/votifier/greeting.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import { connectAnywhere, connectEnding } from './connection.ts';
import { type Conversation, end, type Step, WAIT } from './conversation.ts';
import { Exchange, SEND_LIMITS } from './exchange.ts';
import { looksLike } from './foreign.ts';
import { type Ending, resultOf, type SendResult } from './result.ts';
import { type Auth, addressOf, conversationFor, type Place, type SendOptions } from './send-vote.ts';

/**
 * A connection whose listener has sent its greeting, and to which nothing was written yet. It closes by itself when the
 * time for the whole exchange is over, or if the listener closes it.
 */
export interface Link {
  /** What the listener greeted with. */
  readonly greeting: Extract<Greeting, { kind: 'v2' | 'v1-only' }>;
  readonly isOpen: boolean;
  /** Sends the one vote that a connection can carry. Never rejects. */
  send(vote: WireVote, auth: Auth): Promise<SendResult>;
  /** Ends the exchange; a vote that was written may have arrived. */
  close(): void;
}

export type Opened =
  | { readonly kind: 'open'; readonly link: Link }
  | { readonly kind: 'failed'; readonly result: SendResult };

/**
 * Connects to a listener and waits for its greeting, without a vote. So a vote that cannot be sent is not begun, and what
 * listens there can be looked at. Never rejects.
 */
export async function openLink(place: Place, options: SendOptions): Promise<Opened> {
  const { clock, connect = connectAnywhere, limits = SEND_LIMITS } = options;
  const where = addressOf(place);
  let socket: Socket;
  try {
    socket = connect(place.host, place.port);
  } catch (error) {
    return { kind: 'failed', result: resultOf(connectEnding(error), where) };
  }
  return new Promise((resolve) => {
    const conversation = new Greeted((greeting) => {
      const link = new OpenLink(greeting, conversation, exchange, ended, where);
      // A listener that refuses a connection may close it together with the greeting: that has to be read first.
      clock.nextTurn(() => resolve({ kind: 'open', link }));
    });
    const exchange = new Exchange(socket, conversation, clock, limits);
    const ended = exchange.run();
    void ended.then((ending) => resolve({ kind: 'failed', result: resultOf(ending, where) }));
  });
}

class OpenLink implements Link {
  isOpen = true;

  constructor(
    readonly greeting: Link['greeting'],
    private readonly conversation: Greeted,
    private readonly exchange: Exchange,
    private readonly ended: Promise<Ending>,
    private readonly where: string,
  ) {
    void ended.then(() => {
      this.isOpen = false;
    });
  }

  async send(vote: WireVote, auth: Auth): Promise<SendResult> {
    const opening = await conversationFor(vote, auth);
    if ('code' in opening) {
      this.close();
      return resultOf(opening, this.where);
    }
    if (this.isOpen) this.exchange.proceed(this.conversation.continueWith(opening));
    return resultOf(await this.ended, this.where);
  }

  close(): void {
    this.exchange.stop();
  }
}

/** Waits for the greeting, and then for the conversation that it is the beginning of. */
class Greeted implements Conversation {
  private received: Buffer = Buffer.alloc(0);
  private isGreeted = false;
  private rest: Conversation | null = null;

  constructor(private readonly onGreeting: (greeting: Link['greeting']) => void) {}

  push(chunk: Buffer): Step {
    if (this.rest !== null) return this.rest.push(chunk);
    this.received = Buffer.concat([this.received, chunk]);
    const greeting = decodeGreeting(this.received.toString('latin1'));
    if (greeting.kind === 'need-more') return WAIT;
    if (greeting.kind === 'not-votifier')
      return end({ code: 'not-votifier', detail: looksLike(this.received) });
    if (!this.isGreeted) this.onGreeting(greeting);
    this.isGreeted = true;
    return WAIT;
  }

  continueWith(rest: Conversation): Step {
    this.rest = rest;
    return rest.push(this.received);
  }

  /** Nothing is written without a greeting. */
  greetingOverdue(): Step {
    return WAIT;
  }

  closed(): Ending {
    return this.rest?.closed() ?? { code: this.isGreeted ? 'closed-before-vote' : 'closed-without-greeting' };
  }

  timedOut(): Ending {
    return this.rest?.timedOut() ?? { code: this.isGreeted ? 'closed-before-vote' : 'no-greeting' };
  }
}
