import type { IncomingMessage, ServerResponse } from 'node:http';
import { SIGNATURE_HEADER } from '../../protocol/webhook/signature.ts';
import type { SiteConfig, SiteGame } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import type { Intake } from '../intake/intake.ts';
import type { VoteReport } from '../intake/vote-report.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import { type Body, readBody } from '../runtime/request-body.ts';
import { type AnswerCode, answerOf, isRefusal } from './answers.ts';
import { judgeDelivery, type SignedVote } from './delivery.ts';
import { hostOf, isListedHost } from './hosts.ts';
import { pathOf, type Route, routesOf } from './routes.ts';

/** What the config says of webhooks that come in. */
export interface ReceiverSettings {
  /** Those with a webhook are served. */
  readonly sites: ReadonlyMap<string, SiteConfig>;
  /** Names that it is reached by, besides addresses: in lower case, without a dot at the end. */
  readonly hosts: readonly string[];
  /** Why a vote of this site that was cast then is not rewarded, if it is not; without it none is ruled out. */
  readonly unrewardedReason?: (site: string, votedAt: number) => Promise<VoteReport['unrewarded']>;
}

export interface ReceiverParts extends ReceiverSettings {
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who brought a request. */
export interface Bringer {
  /** Its peer address; null where it is gone already. */
  readonly address: string | null;
  /** Called when its request has come whole, before it is judged. */
  hasRequest(): void;
}

interface Judgement {
  readonly code: AnswerCode;
  readonly detail?: string;
}

const SHOWN_CHARACTERS = 100;
const RETRY_AFTER_SECONDS = 30;

/** What is done with a request: read it, judge it, store the vote, answer. */
export class Receiver {
  private routes: ReadonlyMap<string, Route>;
  /** Sites whose webhook was said to be of another game than the config has. */
  private readonly doubted = new Set<string>();

  /** Throws the Problem `secret-missing`. */
  constructor(private parts: ReceiverParts) {
    this.routes = routesOf(parts.sites);
  }

  /** For the requests that are judged from now on. Throws the Problem `secret-missing`, and has changed nothing then. */
  apply(settings: ReceiverSettings): void {
    this.routes = routesOf(settings.sites);
    this.parts = { ...this.parts, ...settings };
    this.doubted.clear();
  }

  /** Never rejects. */
  async take(request: IncomingMessage, response: ServerResponse, bringer: Bringer): Promise<void> {
    response.on('error', () => {}); // whoever hung up is answered by nobody
    // Heard out whatever the answer is: a connection that is closed with bytes unread takes the answer with it.
    const body = await readBody(request);
    if (body === 'gone') return;
    bringer.hasRequest();
    const route = this.routes.get(pathOf(request.url ?? ''));
    const { code, detail = '' } = await this.judge(request, body, route, bringer.address);
    this.tell(code, route?.site ?? null, bringer.address ?? '', detail);
    reply(response, code);
  }

  private tell(code: AnswerCode, site: string | null, sender: string, detail: string): void {
    const { refusals, log } = this.parts;
    if (isRefusal(code)) refusals.count(`webhook-${code}`, site, sender, detail);
    if (code !== 'test') return;
    const sentence = `${shownService(site ?? '')}: a test delivery came, rightly signed; nothing is recorded for it`;
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
      // Scanners ask for every path; a signed delivery is somebody's, whose address is wrong.
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
      this.tellTrouble(error);
      return { code: 'unable' };
    }
  }

  /** A bug must not end the process, nor the event: after a 503 it comes again. */
  private tellTrouble(error: unknown): void {
    const { log } = this.parts;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    if (error instanceof Problem)
      log.error({ code: error.code }, `a delivery could not be judged: ${message}`);
    else log.error({ code: 'bug', stack }, `a delivery was not judged, by a bug in Teller: ${message}`);
  }

  /** The vote is taken as its listing says; but the API does not say it, and there the config is believed. */
  private compareGame(game: SiteGame, route: Route): void {
    if (game === route.game || this.doubted.has(route.site)) return;
    this.doubted.add(route.site);
    const site = shownService(route.site);
    const sentence = `${site}: its webhook says that the listing is for ${game}, and sites.${site}.game is ${route.game}: set it to "${game}", else votes that its API tells pay nobody`;
    this.parts.log.warn({ code: 'webhook-other-game', site: route.site, game }, sentence);
  }

  private async store(vote: SignedVote, address: string | null): Promise<AnswerCode> {
    const { intake, clock, unrewardedReason } = this.parts;
    const unrewarded = (await unrewardedReason?.(vote.site, vote.votedAt)) ?? null;
    // Rule 1: whatever is answered 200 is on disk; the service sends what was not answered again.
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

/** One that comes twice is joined by node into one text, which is the signature of nothing. */
function signatureOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[SIGNATURE_HEADER.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

function reply(response: ServerResponse, code: AnswerCode): void {
  const { status, hears } = answerOf(code);
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    // One delivery, one connection: one that is kept alive ends some day just as the next delivery is written to it,
    // which counts as a failure of this receiver; and what is closed at once can neither idle nor pile up requests.
    Connection: 'close',
    ...(code === 'not-post' ? { Allow: 'POST' } : {}),
    ...(code === 'unable' ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(`${hears} [${code}]\n`);
}
