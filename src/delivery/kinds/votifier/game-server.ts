import type { Clock } from '../../../core/clock.ts';
import { type ForwardedVote, readForward } from '../../../core/forward.ts';
import type { Log } from '../../../core/log.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { printable } from '../../../core/printable.ts';
import type { Random } from '../../../core/random.ts';
import type { SendResult } from '../../../sender/result.ts';
import { type Auth, type Link, openLink } from '../../../sender/send.ts';
import type { Answered, GameServer, Opening, Presence } from '../../game-server.ts';
import { SingleRequests } from '../../single-requests.ts';
import { authOf } from './auth.ts';
import type { VotifierNotSentReason } from './codes.ts';
import { type Forwarded, forwardedBy } from './outcome.ts';
import { RefusedVotes } from './refused-votes.ts';
import type { VotifierConfig } from './schema.ts';

type FromConfig =
  | 'host'
  | 'port'
  | 'protocol'
  | 'token'
  | 'publicKey'
  | 'commandPauseMs'
  | 'commandTimeoutMs';

export interface VotifierSettings extends Pick<VotifierConfig, FromConfig> {
  /** Its name in the config. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Another listener, to which votes are forwarded. Throws the Problem `secret-missing`. */
export const votifierGameServer = (settings: VotifierSettings): GameServer =>
  new VotifierGameServer(settings);

type NotSent = Extract<Outcome, { kind: 'not-sent' }>;

/**
 * Each vote has a connection of its own, as the protocol wants it. It is opened, and its greeting read, before the vote is
 * claimed: while the other listener is down, a process that dies leaves no vote behind that may have been forwarded.
 */
class VotifierGameServer implements GameServer {
  private readonly requests: SingleRequests;
  private readonly refusedVotes: RefusedVotes;
  private auth: Auth | null = null;
  /** Greeted, and not used yet. */
  private link: Link | null = null;
  /** The error answer that was logged last. */
  private logged = '';

  constructor(private readonly settings: VotifierSettings) {
    const { clock, protocol, token } = settings;
    if (protocol === 'v2') token.reveal();
    this.requests = new SingleRequests(settings);
    this.refusedVotes = new RefusedVotes(clock);
  }

  get retryAt(): number | null {
    return this.requests.retryAt;
  }

  open(): Promise<Opening> {
    return this.requests.open();
  }

  ready(): Promise<Opening> {
    return this.requests.take(() => this.connected());
  }

  /** Each vote waits for a connection of its own. */
  sendsAtOnce(): boolean {
    return false;
  }

  async run(command: string): Promise<Outcome> {
    const vote = readForward(command);
    if (vote === null) return { kind: 'refused', reply: null, reason: 'votifier.not-a-vote' };
    return this.requests.take(() => this.forward(vote, command));
  }

  async ask(): Promise<Answered> {
    return { kind: 'unanswered', reason: 'votifier.shows-nobody' };
  }

  async presence(): Promise<Presence> {
    return { kind: 'cannot-tell', reason: 'votifier.shows-nobody' };
  }

  async close(): Promise<void> {
    const ended = this.requests.close();
    this.link?.close();
    await ended;
  }

  private async connected(): Promise<Opening> {
    const opening = this.requests.opening();
    if (opening.kind === 'resting' || this.link?.isOpen) return opening;
    this.link = null;
    const failure = await this.connect();
    if (failure !== null) this.requests.failed(failure);
    return this.requests.opening();
  }

  /** @returns why there is no connection; null if there is one. */
  private async connect(): Promise<VotifierNotSentReason | null> {
    const { host, port, protocol, clock, commandTimeoutMs } = this.settings;
    this.auth ??= await authOf(this.settings);
    if (this.auth === null) return 'votifier.key-unusable';
    const limits = { connectMs: commandTimeoutMs, v1GreetingMs: commandTimeoutMs, wholeMs: commandTimeoutMs };
    const opened = await openLink({ host, port }, { clock, limits });
    if (opened.kind === 'failed') return reasonOf(opened.result);
    const { link } = opened;
    if (this.requests.signal.aborted || (protocol === 'v2' && link.greeting.kind !== 'v2')) {
      link.close();
      return this.requests.signal.aborted ? 'shut-down' : 'votifier.other-version';
    }
    this.link = link;
    return null;
  }

  private async forward(vote: ForwardedVote, command: string): Promise<Outcome> {
    // Not connected again: a listener that closes connections would get the vote before its close can be read.
    if (this.link?.isOpen === false) return this.lost();
    const opening = await this.connected();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { link, auth } = this;
    if (link === null || auth === null) throw new Error('there is no connection, although it is open');
    const { service, player, address, at } = vote;
    const wire = { serviceName: service, username: player, address, timestamp: String(at) };
    const forwarded = forwardedBy(await link.send(wire, auth));
    this.link = null;
    this.requests.pause(this.settings.commandPauseMs);
    return this.judged(forwarded, vote, command);
  }

  private lost(): NotSent {
    this.link = null;
    return this.notSent('votifier.closed-early');
  }

  private judged(forwarded: Forwarded, { service }: ForwardedVote, command: string): Outcome {
    switch (forwarded.kind) {
      case 'error-answer':
        return this.afterError(forwarded, service, command);
      case 'not-sent':
        return this.notSent(forwarded.reason);
      case 'unknown':
        // What happened to this vote is no reason for the next one.
        this.requests.failed('between-connections');
        return forwarded;
      case 'delivered':
        this.refusedVotes.accepted(service);
        this.logged = '';
        break;
    }
    this.requests.succeeded();
    return forwarded;
  }

  private afterError(
    { reason, said }: Extract<Forwarded, { kind: 'error-answer' }>,
    service: string,
    command: string,
  ): Outcome {
    if (this.refusedVotes.refused(command, service, reason)) {
      this.requests.succeeded();
      return { kind: 'refused', reply: said };
    }
    this.log(reason, said);
    return this.notSent(reason);
  }

  private notSent(reason: VotifierNotSentReason): NotSent {
    this.requests.failed(reason);
    return { kind: 'not-sent', reason };
  }

  /** Once, until it accepts a vote or answers with something else. */
  private log(reason: VotifierNotSentReason, said: string): void {
    const { log, name } = this.settings;
    if (this.logged === said) return;
    this.logged = said;
    const sentence = `${name} answered a forwarded vote with an error, and Teller tries again: ${printable(said)}`;
    log.warn({ code: reason, server: name }, sentence);
  }
}

function reasonOf(result: SendResult): VotifierNotSentReason {
  const forwarded = forwardedBy(result);
  const isKnown = forwarded.kind === 'not-sent' || forwarded.kind === 'error-answer';
  return isKnown ? forwarded.reason : 'votifier.unreachable';
}
