import type { IncomingMessage, ServerResponse } from 'node:http';
import { SIGNATURE_HEADER } from '../../../protocol/webhook/signature.ts';
import type { SiteConfig, SiteGame } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { printable } from '../../core/printable.ts';
import { Problem } from '../../core/problem.ts';
import { shownService } from '../../core/service-name.ts';
import { type Body, readBody } from '../../platform/request-body.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import type { VoteReport } from '../intake/vote-report.ts';
import { type AnswerCode, answerOf, isRefusal } from './answers.ts';
import { judgeDelivery, type SignedVote } from './delivery.ts';
import { hostOf, isListedHost } from './hosts.ts';
import { pathOf, type Route, routesOf } from './routes.ts';

/** What the config says about incoming webhooks. */
export interface ReceiverSettings {
  /** Only sites with a webhook are served. */
  readonly sites: ReadonlyMap<string, SiteConfig>;
  /** Allowed host names (addresses are always allowed), in lower case and without a dot at the end. */
  readonly hosts: readonly string[];
  /** Why a vote of this site cast at this time cannot be rewarded, or null. If absent, all can be. */
  readonly unrewardedReason?: (site: string, votedAt: number) => Promise<VoteReport['unrewarded']>;
}

export interface ReceiverParts extends ReceiverSettings {
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly log: Log;
}

/** The sender of a request. */
export interface Peer {
  /** Its address; null if it has disconnected already. */
  readonly address: string | null;
  /** Called when its request is complete, before it is judged. */
  onRequest(): void;
}

interface Judgement {
  readonly code: AnswerCode;
  readonly detail?: string;
}

const SHOWN_CHARACTERS = 100;
const RETRY_AFTER_SECONDS = 30;

/** Reads a request, judges it, stores the vote and answers. */
export class Receiver {
  private routes: ReadonlyMap<string, Route>;
  /** Sites for which we have logged that the webhook names another game than the config. */
  private readonly otherGameLogged = new Set<string>();

  /** Throws the Problem `secret-missing`. */
  constructor(private parts: ReceiverParts) {
    this.routes = routesOf(parts.sites);
  }

  /** Applies to requests that are judged from now on. Throws the Problem `secret-missing` without changing anything. */
  apply(settings: ReceiverSettings): void {
    this.routes = routesOf(settings.sites);
    this.parts = { ...this.parts, ...settings };
    this.otherGameLogged.clear();
  }

  /** Never rejects. */
  async take(request: IncomingMessage, response: ServerResponse, peer: Peer): Promise<void> {
    response.on('error', () => {}); // a sender that has hung up gets no answer
    // The body is always read to its end: closing a connection with unread bytes would lose the answer.
    const body = await readBody(request);
    if (body === 'gone') return;
    peer.onRequest();
    const route = this.routes.get(pathOf(request.url ?? ''));
    const { code, detail = '' } = await this.judge(request, body, route, peer.address);
    this.report(code, route?.site ?? null, peer.address ?? '', detail);
    reply(response, code);
  }

  private report(code: AnswerCode, site: string | null, sender: string, detail: string): void {
    const { refusals, log } = this.parts;
    if (isRefusal(code)) refusals.count(`webhook-${code}`, site, sender, detail);
    if (code !== 'test') return;
    const sentence = `${shownService(site ?? '')}: received a test delivery with a valid signature; nothing is recorded for it`;
    log.info({ code: 'webhook-test', site, sender }, sentence);
  }

  private async judge(
    request: IncomingMessage,
    body: Exclude<Body, 'gone'>,
    route: Route | undefined,
    address: string | null,
  ): Promise<Judgement> {
    const { hosts } = this.parts;
    const { host } = request.headers;
    if (!isListedHost(host, hosts))
      return { code: 'host-not-listed', detail: shown(hostOf(host)) || 'it named none' };
    if (route === undefined) {
      // Scanners ask for every path, but a signed delivery comes from a listing with a wrong URL.
      const code = signatureOf(request) === undefined ? 'not-found' : 'path-unknown';
      return { code, detail: shown(pathOf(request.url ?? '')) };
    }
    if (request.method !== 'POST') return { code: 'not-post' };
    if (body === 'too-large') return { code: 'too-large' };
    try {
      const judged = judgeDelivery(body, signatureOf(request), route);
      if (judged.kind === 'other') return judged;
      this.compareGame(judged.vote.game, route);
      return { code: await this.store(judged.vote, address) };
    } catch (error) {
      this.logError(error);
      return { code: 'unable' };
    }
  }

  /** A bug must neither stop the process nor lose the event: after a 503 the listing sends it again. */
  private logError(error: unknown): void {
    const { log } = this.parts;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    if (error instanceof Problem)
      log.error({ code: error.code }, `a delivery could not be judged: ${message}`);
    else
      log.error({ code: 'bug', stack }, `a delivery was not judged because of a bug in Teller: ${message}`);
  }

  /** The webhook names the vote's game, and that one applies. The API does not name it, so there the config applies. */
  private compareGame(game: SiteGame, route: Route): void {
    if (game === route.game || this.otherGameLogged.has(route.site)) return;
    this.otherGameLogged.add(route.site);
    const site = shownService(route.site);
    const sentence = `${site}: its webhook says that the listing is for ${game}, but sites.${site}.game is ${route.game}: set it to "${game}", otherwise votes that its API reports are not paid`;
    this.parts.log.warn({ code: 'webhook-other-game', site: route.site, game }, sentence);
  }

  private async store(vote: SignedVote, address: string | null): Promise<AnswerCode> {
    const { intake, clock, unrewardedReason } = this.parts;
    const unrewarded = (await unrewardedReason?.(vote.site, vote.votedAt)) ?? null;
    // Rule 1: a vote that is answered 200 is on disk; the listing sends the others again.
    const answer = await intake.acceptReport({ ...vote, unrewarded, address, receivedAt: clock.now() });
    switch (answer.kind) {
      case 'recorded':
        return answer.recorded.kind === 'new' ? 'recorded' : 'same-vote';
      case 'refused':
        return answer.code;
      case 'unable':
        return 'unable';
    }
  }
}

const shown = (text: string): string => printable(text, SHOWN_CHARACTERS);

/** Node joins two signature headers into one text, which is never a valid signature. */
function signatureOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[SIGNATURE_HEADER.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

function reply(response: ServerResponse, code: AnswerCode): void {
  const { status, hears } = answerOf(code);
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    // One connection per delivery: a kept-alive connection can close just as the next delivery is written to it, which
    // the listing counts as our failure. Connections that are closed at once can neither idle nor pipeline requests.
    Connection: 'close',
    ...(code === 'not-post' ? { Allow: 'POST' } : {}),
    ...(code === 'unable' ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(`${hears} [${code}]\n`);
}
