import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook.ts';
import type { Clock } from '../../core/clock.ts';
import { Refusals, reply, sendAfter } from './answering.ts';
import { type CommandFacts, type CommandOutcome, readAsked } from './commands.ts';
import type { OtherRequest, SignatureState } from './received.ts';
import { isForged } from './receiver.ts';
import { SeenEvents } from './seen-events.ts';

/** A command, as received and as answered. */
export interface ReceivedCommand extends CommandFacts {
  readonly kind: 'command';
  /** Wall time at which its body was complete. */
  readonly receivedAt: number;
  readonly signature: SignatureState;
  /** Whether its `commandId` ran already, so that it does not run again. */
  readonly again: boolean;
  /** Whether the same request was received before, which Teller never sends. */
  readonly replayed: boolean;
  /** null if the sender hung up before it was answered. */
  readonly answered: number | null;
  /** What a signed answer said; null if the status is the whole answer. */
  readonly outcome: CommandOutcome | null;
  readonly afterMs: number;
}

/** A question who is online. */
export interface AskedPlayers {
  readonly kind: 'players';
  readonly receivedAt: number;
  readonly id: string;
  readonly server: string;
  readonly signature: SignatureState;
  /** null if none were given. */
  readonly players: readonly string[] | null;
  readonly answered: number;
}

/** A request that is neither, and why. */
export interface NoCommand extends Omit<OtherRequest, 'kind' | 'reason'> {
  readonly kind: 'no-command';
  readonly reason: Exclude<OtherRequest['reason'], 'not-a-vote'> | 'not-a-command';
}

export interface CommandReceiverSettings {
  /** null: signatures are not checked, and answers are not signed. */
  readonly secret: string | null;
  /** Outcomes for successive commands that have not run yet; the last one repeats. Empty: 204 says that they ran. Needs `secret`. */
  readonly outcomes: readonly CommandOutcome[];
  /** Who is online; null: the question is refused. Needs `secret`. */
  readonly online: readonly string[] | null;
  /** The wait before each answer to a command. */
  readonly delayMs: number;
  readonly clock: Clock;
  /** Called when a command is answered or its sender has hung up. */
  readonly onCommand: (command: ReceivedCommand) => void;
  /** Called for other requests. */
  readonly onOther: (other: AskedPlayers | NoCommand) => void;
}

const SIGNATURE_REFUSED = 401;
const REPLAYED = 409;
const RAN = 204;

/** Reads, judges, answers and reports each request of a game server of kind `http`. It runs nothing. */
export class CommandReceiver {
  /** By `commandId`. A real receiver keeps them on disk, in the transaction that pays. */
  private readonly ran = new SeenEvents();
  private readonly requests = new SeenEvents();
  private readonly refusals: Refusals<'not-a-command'>;
  private turn = 0;

  constructor(private readonly parts: CommandReceiverSettings) {
    const { clock, onOther } = parts;
    this.refusals = new Refusals(clock, (refused) => onOther({ kind: 'no-command', ...refused }));
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.refusals.bodyOf(request, response);
    if (body === null) return;
    const asked = readAsked(body, request.headers, this.parts.secret);
    if (asked.kind === 'command') this.answerCommand(response, asked.facts, asked.signature);
    else if (asked.kind === 'players') this.answerPlayers(response, asked);
    else this.refusals.refuse(response, asked.reason, asked.signature, 400);
  }

  refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
    this.refusals.refuseBytes(error, socket);
  }

  private answerCommand(response: ServerResponse, facts: CommandFacts, signature: SignatureState): void {
    const receivedAt = this.parts.clock.now();
    const { status, outcome, again, replayed } = this.judge(facts, signature);
    const send = (): void => {
      if (outcome === null) reply(response, status, refusalOf(status, signature));
      else this.sign(response, facts.id, { outcome, reply: `the sink says ${outcome}` });
    };
    sendAfter(response, this.parts, send, (isAnswered, afterMs) => {
      const answered = isAnswered ? status : null;
      const judged = { signature, again, replayed, answered, outcome, afterMs };
      this.parts.onCommand({ kind: 'command', receivedAt, ...facts, ...judged });
    });
  }

  /** A forged request changes nothing, so that the real one is not taken for a repeat. */
  private judge({ id, commandId }: CommandFacts, signature: SignatureState) {
    const fresh = { again: false, replayed: false, outcome: null };
    if (isForged(signature)) return { ...fresh, status: SIGNATURE_REFUSED };
    if (this.requests.add(id)) return { ...fresh, replayed: true, status: REPLAYED };
    const again = commandId !== null && this.ran.has(commandId);
    const outcome = again && this.parts.outcomes.length > 0 ? 'delivered' : this.nextOutcome();
    if (commandId !== null && (outcome ?? 'delivered') === 'delivered') this.ran.add(commandId);
    return { ...fresh, again, outcome, status: outcome === null ? RAN : 200 };
  }

  private nextOutcome(): CommandOutcome | null {
    const { outcomes } = this.parts;
    return outcomes[Math.min(this.turn++, outcomes.length - 1)] ?? null;
  }

  private answerPlayers(
    response: ServerResponse,
    { id, server, signature }: { id: string; server: string; signature: SignatureState },
  ): void {
    const { clock, online, onOther } = this.parts;
    const answered = isForged(signature) ? SIGNATURE_REFUSED : online === null ? 400 : 200;
    if (answered === 200) this.sign(response, id, { players: (online ?? []).map((name) => ({ name })) });
    else reply(response, answered, refusalOf(answered, signature));
    onOther({ kind: 'players', receivedAt: clock.now(), id, server, signature, players: online, answered });
  }

  /** The signature covers the request's ID, so that the answer fits no other request. */
  private sign(response: ServerResponse, id: string, answer: object): void {
    const text = JSON.stringify(answer);
    const signature = signBody(Buffer.from(`${id}.${text}`), this.parts.secret ?? '');
    reply(response, 200, text, { 'Content-Type': 'application/json', [SIGNATURE_HEADER]: signature });
  }
}

function refusalOf(status: number, signature: SignatureState): string {
  if (status === SIGNATURE_REFUSED) return `refused: the signature is ${signature}`;
  return status === REPLAYED
    ? 'refused: this request was received before'
    : 'refused: nobody said who is online; start the sink with --online';
}
