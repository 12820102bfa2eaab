/**
 * Another listener, to which votes are forwarded. Each vote has a connection of its own, as the protocol wants it. It is opened, and its
 * greeting read, before the vote is claimed: while the other listener is down, a process that dies leaves no vote behind that may have
 * been forwarded.
 */
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readPublicKey } from '../../../protocol/votifier/v1.ts';
import { placeText } from '../../core/address.ts';
import type { Clock } from '../../core/clock.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import { type ForwardedVote, readForward } from '../../core/forward.ts';
import type { NeverSentCode, UnknownCode } from '../../core/game-server-codes.ts';
import type { Outcome } from '../../core/outcome.ts';
import { printable } from '../../core/printable.ts';
import type { FailureCode, SendResult } from '../../sender/conversation.ts';
import { type Auth, type Link, openLink } from '../../sender/send.ts';
import type { Answered, CheckParts, ConnectParts, GameServer, Opening, Presence } from '../game-server.ts';
import { SingleRequests } from '../turns.ts';
import type { VotifierConfig, VotifierNotSent } from './votifier.ts';

export const connect = (config: VotifierConfig, parts: ConnectParts): GameServer =>
  new VotifierGameServer(config, parts);

/** Only connects and reads the greeting: a vote that is sent counts. */
export async function check(
  config: VotifierConfig,
  { name, clock, sentenceOf }: CheckParts,
): Promise<readonly Finding[]> {
  const where = `${name} (${placeText(config.host, config.port)})`;
  // Without its secret it has a finding already, and a key that is not there needs no connection.
  const isKeyless = config.protocol === 'v1' && (await authOf(config)) === null;
  const link = isKeyless ? 'votifier.key-unusable' : await greetedLink(config, clock);
  if (typeof link === 'string') return [problem(link, `${where}: ${sentenceOf(link)}`)];
  link.close();
  const { greeting } = link;
  const version =
    greeting.kind === 'v2'
      ? 'greets as a listener of version 2, and most of these take version 1 too'
      : `greets as a listener of version 1 alone (it says ${greeting.version})`;
  return [ok('game-server', `${where} ${version}; ${MEANINGS[config.protocol]}`)];
}

const MEANINGS = {
  v2: 'version 2 confirms each vote, and a forward whose answer never arrives is listed by `teller grants --state held` and not repeated',
  v1: 'version 1 confirms nothing: a forward counts as done when it is written and the connection is closed, whatever became of it there',
} as const;

class VotifierGameServer extends SingleRequests implements GameServer {
  private readonly refusedVotes: RefusedVotes;
  private auth: Auth | null = null;
  /** Greeted, and not used yet. */
  private link: Link | null = null;
  /** The error answer that was logged last. */
  private logged = '';

  constructor(
    private readonly config: VotifierConfig,
    private readonly around: ConnectParts,
  ) {
    super(around.clock, around.random);
    if (config.protocol === 'v2') config.token.reveal();
    this.refusedVotes = new RefusedVotes(around.clock);
  }

  override ready(): Promise<Opening> {
    return this.turns.take(() => this.connected());
  }

  async run(command: string): Promise<Outcome> {
    const vote = readForward(command);
    if (vote === null) return { kind: 'refused', reply: null, reason: 'votifier.not-a-vote' };
    return this.turns.take(() => this.forward(vote, command));
  }

  async ask(): Promise<Answered> {
    return { kind: 'unanswered', reason: 'votifier.shows-nobody' };
  }

  async presence(): Promise<Presence> {
    return { kind: 'cannot-tell', reason: 'votifier.shows-nobody' };
  }

  override async close(): Promise<void> {
    const ended = super.close();
    this.link?.close();
    await ended;
  }

  private async connected(): Promise<Opening> {
    const opening = this.opening();
    if (opening.kind === 'resting' || this.link?.isOpen) return opening;
    this.link = null;
    const connected = await this.connect();
    if (typeof connected === 'string') this.retryPause.failed(connected);
    else this.link = connected;
    return this.opening();
  }

  private async connect(): Promise<Link | VotifierNotSent | 'shut-down'> {
    this.auth ??= await authOf(this.config);
    if (this.auth === null) return 'votifier.key-unusable';
    const link = await greetedLink(this.config, this.around.clock);
    if (typeof link === 'string' || !this.signal.aborted) return link;
    link.close();
    return 'shut-down';
  }

  private async forward(vote: ForwardedVote, command: string): Promise<Outcome> {
    // Not connected again: a listener that closes connections would get the vote before its close can be read.
    if (this.link?.isOpen === false) {
      this.link = null;
      return this.notSent('votifier.closed-early');
    }
    const opening = await this.connected();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { link, auth } = this;
    if (link === null || auth === null) throw new Error('there is no connection, although it is open');
    const { service, player, address, at } = vote;
    const wire = { serviceName: service, username: player, address, timestamp: String(at) };
    const forwarded = forwardedBy(await link.send(wire, auth));
    this.link = null;
    this.turns.pause(this.config.commandPauseMs);
    switch (forwarded.kind) {
      case 'error-answer':
        if (!this.refusedVotes.refused(command, service, forwarded.reason)) {
          this.log(forwarded.reason, forwarded.said);
          return this.notSent(forwarded.reason);
        }
        this.retryPause.succeeded();
        return { kind: 'refused', reply: forwarded.said };
      case 'not-sent':
        return this.notSent(forwarded.reason);
      case 'delivered':
        this.refusedVotes.accepted(service);
        this.logged = '';
        break;
    }
    this.ended(forwarded);
    return forwarded;
  }

  private notSent(reason: VotifierNotSent): Outcome {
    this.retryPause.failed(reason);
    return { kind: 'not-sent', reason };
  }

  /** Once, until it accepts a vote or answers with something else. */
  private log(reason: VotifierNotSent, said: string): void {
    const { log, name } = this.around;
    if (this.logged === said) return;
    this.logged = said;
    const sentence = `${name} answered a forwarded vote with an error, and Teller tries again: ${printable(said)}`;
    log.warn({ code: reason, server: name }, sentence);
  }
}

/** null: the public key cannot be read. Throws the Problem `secret-missing`. */
async function authOf({ protocol, token, publicKey = '' }: VotifierConfig): Promise<Auth | null> {
  if (protocol === 'v2') return { version: 'v2', token: token.reveal() };
  const key = keyIn(publicKey) ?? (await readFile(publicKey, 'utf8').then(keyIn, () => null));
  return key === null ? null : { version: 'v1', publicKey: key };
}

function keyIn(text: string): KeyObject | null {
  const reading = readPublicKey(text);
  return reading.kind === 'key' ? reading.key : null;
}

/** Connects, or says why the listener does not greet with what its protocol needs. It gets nothing. */
async function greetedLink(
  { host, port, protocol, commandTimeoutMs: limitMs }: VotifierConfig,
  clock: Clock,
): Promise<Link | VotifierNotSent> {
  const opened = await openLink({ host, port }, { clock, limitMs });
  if (opened.kind === 'failed') {
    const forwarded = forwardedBy(opened.result);
    const isKnown = forwarded.kind === 'not-sent' || forwarded.kind === 'error-answer';
    return isKnown ? forwarded.reason : 'votifier.unreachable';
  }
  const { link } = opened;
  if (protocol !== 'v2' || link.greeting.kind === 'v2') return link;
  link.close();
  return 'votifier.other-version';
}

/** How a forward ended, or that the listener answered with an error: then the vote certainly does not count there. */
type Forwarded =
  | Exclude<Outcome, { kind: 'not-sent' }>
  | { readonly kind: 'not-sent'; readonly reason: VotifierNotSent }
  | { readonly kind: 'error-answer'; readonly reason: VotifierNotSent; readonly said: string };

/** Rule 5: what the end of an exchange means. */
function forwardedBy(result: SendResult): Forwarded {
  const { code, detail, over } = result;
  if (result.kind === 'accepted') return { kind: 'delivered', reply: 'ok' };
  if (result.kind === 'sent') {
    // [V1-6] Version 1 has no answer. A listener closes the connection when it has read the vote.
    return over === 'closed'
      ? { kind: 'delivered', reply: '' }
      : { kind: 'unknown', reason: UNCLOSED[over ?? 'reset'] };
  }
  if (result.reached === 'unknown') {
    const reason = over === 'stopped' ? 'shut-down' : UNANSWERED[result.code];
    return { kind: 'unknown', reason: reason ?? 'closed' };
  }
  // It is about this vote alone, and a later try gets the same answer.
  if (code === 'name-too-long') return { kind: 'refused', reply: detail };
  const never = NEVER_SENT[result.code];
  if (never !== undefined) return { kind: 'refused', reply: null, reason: never };
  const said = ERROR_ANSWERS[result.code];
  if (said !== undefined) return { kind: 'error-answer', reason: said, said: detail };
  return { kind: 'not-sent', reason: NOT_SENT[result.code] ?? 'votifier.unreachable' };
}

const UNCLOSED = {
  reset: 'votifier.reset',
  'time-limit': 'votifier.not-closed',
  stopped: 'shut-down',
} as const satisfies Record<string, UnknownCode>;

const UNANSWERED: Partial<Record<FailureCode, UnknownCode>> = {
  'unreadable-reply': 'votifier.bad-answer',
  'no-answer': 'timeout',
};

const NEVER_SENT: Partial<Record<FailureCode, NeverSentCode>> = {
  'line-break': 'votifier.line-break',
  'vote-too-long': 'votifier.too-long',
};

const ERROR_ANSWERS: Partial<Record<FailureCode, VotifierNotSent>> = {
  'wrong-token': 'votifier.wrong-token',
  'unknown-service': 'votifier.unknown-service',
  'challenge-refused': 'votifier.error-answer',
  'error-reply': 'votifier.error-answer',
};

/** Everything else is a way in which connecting fails. */
const NOT_SENT: Partial<Record<FailureCode, VotifierNotSent>> = {
  'key-unusable': 'votifier.key-unusable',
  'host-unresolvable': 'votifier.host-unknown',
  'connection-reset': 'votifier.no-greeting',
  'closed-without-greeting': 'votifier.no-greeting',
  'no-greeting': 'votifier.no-greeting',
  'not-votifier': 'votifier.foreign-greeting',
  'v1-only': 'votifier.other-version',
  'version-unknown': 'votifier.other-version',
  'closed-before-vote': 'votifier.closed-early',
};

/** A vote is given up after so many error answers, and not before so much time. */
const ANSWERS_LEAST = 6;
const REFUSED_LEAST_MS = 5 * 60_000;
/** Senders choose service names, so no more of them are remembered. */
const SERVICES_MAX = 100;

/**
 * Decides when a vote that a listener answers with errors is given up. Until then the votes after it wait: errors are
 * mostly trouble of the whole listener, and order is kept. If it accepts votes of other services after one was given up,
 * its error is about the service. The next votes of that service are then given up at their first such error, so that a
 * service without a token there does not hold up all others.
 */
class RefusedVotes {
  private vote = '';
  private answers = 0;
  private since = 0;
  /** By service: the error, and whether the listener has accepted a vote of another service since. */
  private readonly givenUp = new Map<string, { readonly reason: string; isOfService: boolean }>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  accepted(service: string): void {
    this.vote = '';
    this.givenUp.delete(service);
    for (const each of this.givenUp.values()) each.isOfService = true;
  }

  /** @returns whether the vote is given up. */
  refused(vote: string, service: string, reason: string): boolean {
    const known = this.givenUp.get(service);
    if (known?.isOfService && known.reason === reason) return true;
    const now = this.clock.monotonic();
    if (this.vote !== vote) {
      this.vote = vote;
      this.answers = 0;
      this.since = now;
    }
    this.answers += 1;
    if (this.answers < ANSWERS_LEAST || now - this.since < REFUSED_LEAST_MS) return false;
    this.vote = '';
    if (this.givenUp.size < SERVICES_MAX) this.givenUp.set(service, { reason, isOfService: false });
    return true;
  }
}
