/**
 * Receives the signed webhooks of listings: an HTTP server with a path for each site. A delivery is one request on a
 * connection of its own. Its body is read, its signature checked, and its vote stored before it is answered. The
 * listing sends again after a 5xx and after a connection that was closed without an answer, and never after a 4xx: so a
 * 4xx means that the same delivery would be refused again [WH-9].
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  CountableVote,
  SIGNATURE_HEADER,
  TEST_EVENT_ID,
  verifySignature,
  type WebhookClosingCode,
  type WebhookRefusalCode,
  webhookRefusals,
} from '../../protocol/webhook.ts';
import type { SiteConfig, SiteGame, SiteWebhook } from '../config/config.ts';
import { plainAddress } from '../core/address.ts';
import type { Cancel } from '../core/clock.ts';
import { readJsonBytes } from '../core/json.ts';
import { type OpenConnection, OpenConnections } from '../core/open-connections.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import { timeLimit } from '../core/time-limit.ts';
import { type ListeningAddress, listen } from '../platform/listen.ts';
import { type Body, readBody } from '../platform/request-body.ts';
import type { ChannelParts } from './intake.ts';
import type { VoteReport } from './judge-vote.ts';

/** What the config says about incoming webhooks. */
export interface WebhookSettings {
  /** Only sites with a webhook are served. */
  readonly sites: ReadonlyMap<string, SiteConfig>;
  /** Allowed host names (addresses are always allowed), in lower case and without a dot at the end. */
  readonly hosts: readonly string[];
  /** Why a vote of this site cast at this time cannot be rewarded, or null. */
  readonly unrewardedReason: (site: string, votedAt: number) => Promise<VoteReport['unrewarded']>;
}

/** From the connection to the end of the request; listing services give up by then. */
const REQUEST_LIMIT_MS = 10_000;
/** How long requests in progress may continue when the process stops. */
const CLOSE_GRACE_MS = 1_000;
const CONNECTIONS_PER_ADDRESS_MAX = 128;
/** Node's own limits use timers that tests cannot control, so one limit of ours replaces them. */
const SERVER = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 16 * 1024 };
const RETRY_AFTER_SECONDS = 30;
/** How much of the received text is kept for the trace: ten times the length of a usual delivery. */
const TEXT_MAX_CHARACTERS = 4_096;

interface Connection extends OpenConnection {
  readonly socket: Socket;
  /** The only request on this connection; null until its headers have come. */
  request: IncomingMessage | null;
  /** Whether the request is complete, so that it is being judged and answered. */
  isComplete: boolean;
  cancelLimit: Cancel;
}

export class WebhookIn {
  private readonly server: Server;
  private readonly open: OpenConnections;
  private readonly connections = new WeakMap<Duplex, Connection>();
  private readonly inProgress = new Set<Promise<void>>();
  private routes: ReadonlyMap<string, Route>;
  /** Sites for which we have logged that the webhook names another game than the config. */
  private readonly otherGameLogged = new Set<string>();

  /** Throws the Problem `secret-missing`. */
  constructor(
    private settings: WebhookSettings,
    private readonly parts: ChannelParts,
    maxConnections: number,
  ) {
    this.routes = routesOf(settings.sites);
    const limits = { maxConnections, maxConnectionsPerAddress: CONNECTIONS_PER_ADDRESS_MAX };
    this.open = new OpenConnections(limits, parts.clock);
    const serve = (request: IncomingMessage, response: ServerResponse) => this.serve(request, response);
    this.server = createServer(SERVER, serve);
    this.server.on('checkExpectation', serve); // requests with an Expect header are answered like others
    this.server.maxRequestsPerSocket = 1;
    this.server.on('connection', (socket) => this.accept(socket));
    this.server.on('clientError', (error, socket) => this.refuseBytes(error, socket));
  }

  /**
   * Throws a Problem: `port-in-use`, `port-not-allowed`.
   *
   * @param port 0 for a free one.
   */
  listen(host: string, port: number): Promise<ListeningAddress> {
    return listen(this.server, {
      host,
      port,
      key: 'webhook.port in the config',
      likelyHolder: 'another Teller, or another web server',
      bothFamilies: true,
    });
  }

  /**
   * Applies to requests that are judged from now on. Throws the Problem `secret-missing` without changing anything.
   */
  apply(settings: WebhookSettings): void {
    this.routes = routesOf(settings.sites);
    this.settings = settings;
    this.otherGameLogged.clear();
  }

  /** Stops accepting, finishes the votes that are being stored, and closes the rest after a moment. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const cancelGrace = timeLimit(this.parts.clock, CLOSE_GRACE_MS, () => {
      for (const connection of this.open.all) (connection as Connection).socket.destroy();
    });
    await closed;
    cancelGrace();
    this.open.end();
    await Promise.all(this.inProgress);
  }

  private accept(socket: Socket): void {
    const connection: Connection = {
      address: plainAddress(socket.remoteAddress ?? ''),
      openedAt: this.parts.clock.monotonic(),
      socket,
      request: null,
      isComplete: false,
      cancelLimit: () => {},
      evict: () => this.closeUnanswered(connection, 'no-room'),
    };
    if (!this.open.add(connection)) {
      connection.evict();
      return;
    }
    this.connections.set(socket, connection);
    this.limit(connection);
    socket.once('close', () => {
      connection.cancelLimit();
      this.open.remove(connection);
    });
  }

  /** The timer restarts while a vote is being stored or its answer has not been read yet. */
  private limit(connection: Connection): void {
    connection.cancelLimit = timeLimit(this.parts.clock, REQUEST_LIMIT_MS, () => {
      if (!connection.isComplete) this.closeUnanswered(connection, 'too-slow');
      else if (connection.socket.writableEnded) connection.socket.destroy();
      else this.limit(connection);
    });
  }

  private closeUnanswered({ socket, address }: Connection, code: WebhookClosingCode): void {
    socket.destroy();
    this.parts.refusals.count(`webhook-${code}`, null, address);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) {
      request.socket.destroy(); // it was evicted while its bytes were on the way
      return;
    }
    connection.request = request;
    const work = this.take(request, response, connection);
    this.inProgress.add(work);
    void work.finally(() => this.inProgress.delete(work));
  }

  /** Reads a request, judges it, stores the vote and answers. Never rejects. */
  private async take(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    const { refusals, log } = this.parts;
    response.on('error', () => {}); // a sender that has hung up gets no answer
    // The body is always read to its end: closing a connection with unread bytes would lose the answer.
    const body = await readBody(request);
    if (body === 'gone') return;
    connection.isComplete = true;
    this.open.markDeciding(connection);
    const route = this.routes.get(pathOf(request));
    const sender = connection.address;
    const { code, detail = '' } = await this.judge(request, body, route, sender);
    const site = route?.site ?? null;
    if (isRefusal(code)) refusals.count(`webhook-${code}`, site, sender, detail);
    if (code === 'test') {
      const sentence = `${shownService(site ?? '')}: received a test delivery with a valid signature; nothing is recorded for it`;
      log.info({ code: 'webhook-test', site, sender }, sentence);
    }
    reply(response, code);
  }

  private async judge(
    request: IncomingMessage,
    body: Exclude<Body, 'gone'>,
    route: Route | undefined,
    sender: string,
  ): Promise<Judgement> {
    const host = hostOf(request.headers.host ?? '');
    if (!isListedHost(host, this.settings.hosts))
      return { code: 'host-not-listed', detail: shown(host) || 'it named none' };
    // Node joins two signature headers into one text, which is never a valid signature.
    const signature = request.headers[SIGNATURE_HEADER.toLowerCase()];
    // Scanners ask for every path, but a signed delivery comes from a listing with a wrong URL.
    if (route === undefined)
      return { code: signature === undefined ? 'not-found' : 'path-unknown', detail: shown(pathOf(request)) };
    if (request.method !== 'POST') return { code: 'not-post' };
    if (body === 'too-large') return { code: 'too-large' };
    try {
      const judged = judgeDelivery(body, signature, route);
      if ('code' in judged) return judged;
      this.compareGame(judged.game, route);
      return { code: await this.store(judged, sender) };
    } catch (error) {
      this.logError(error);
      return { code: 'unable' };
    }
  }

  private async store(vote: SignedVote, sender: string): Promise<AnswerCode> {
    const { intake, clock } = this.parts;
    const unrewarded = await this.settings.unrewardedReason(vote.site, vote.votedAt);
    const address = sender === '' ? null : sender; // its sender has disconnected already
    // Rule 1: a vote that is answered 200 is on disk; the listing sends the others again.
    const answer = await intake.acceptReport({ ...vote, unrewarded, address, receivedAt: clock.now() });
    if (answer.kind !== 'recorded') return answer.kind === 'refused' ? answer.code : answer.kind;
    return answer.recorded.kind === 'new' ? 'recorded' : 'same-vote';
  }

  /** The webhook names the vote's game, and that one applies. The API does not name it, so there the config applies. */
  private compareGame(game: SiteGame, route: Route): void {
    if (game === route.game || this.otherGameLogged.has(route.site)) return;
    this.otherGameLogged.add(route.site);
    const site = shownService(route.site);
    const sentence = `${site}: its webhook says that the listing is for ${game}, but sites.${site}.game is ${route.game}: set it to "${game}", otherwise votes that its API reports are not paid`;
    this.parts.log.warn({ code: 'webhook-other-game', site: route.site, game }, sentence);
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

  /** Called for bytes that are not HTTP, such as TLS, and for connections that were reset. */
  private refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.connections.get(socket);
    const isParserFault = code.startsWith('HPE_');
    const isComplete = connection?.isComplete === true || connection?.request?.complete === true;
    // Bytes after a complete request: an answer to them would be mistaken for the answer to the request.
    if (isParserFault && isComplete) return;
    // Nothing was sent: a load balancer that checks whether the port is open disconnects like this every few seconds.
    const isEmpty = connection?.socket.bytesRead === 0;
    if (connection === undefined || isComplete || isEmpty) {
      socket.destroy();
    } else if (!isParserFault || code === 'HPE_INVALID_EOF_STATE') {
      this.closeUnanswered(connection, 'incomplete');
    } else if (socket.writable) {
      this.answerBytes(connection, code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'not-http');
    }
  }

  /** Without a request there is no response object, so the answer is written to the socket. */
  private answerBytes({ socket, address }: Connection, code: WebhookRefusalCode): void {
    const { status, hears } = answers[code];
    const text = `${hears} [${code}]\n`;
    const head = `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8`;
    socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`, () =>
      socket.destroy(),
    );
    this.parts.refusals.count(`webhook-${code}`, null, address);
  }
}

/** What the deliveries to one path are checked against. */
interface Route extends SiteWebhook {
  /** Key of the entry in `sites`. */
  readonly site: string;
  /** The game according to the config. */
  readonly game: SiteGame;
}

/** By path. Throws the Problem `secret-missing`. */
function routesOf(sites: ReadonlyMap<string, SiteConfig>): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const [site, { webhook, game }] of sites) {
    if (webhook === null) continue;
    webhook.secret.reveal(); // fails at the start, instead of with the first vote, if the secret is missing
    routes.set(webhook.path, { ...webhook, site, game });
  }
  return routes;
}

/** The path without the query. Paths are compared as sent, without decoding. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] as string;

/** The name or address in a Host header, in lower case: without port, brackets, or the dot that ends a full name. */
function hostOf(header: string): string {
  const host = header.toLowerCase();
  return /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '').replace(/\.$/, '');
}

/**
 * Rule 12: host names that are not listed are refused, because anyone can point a name here (DNS rebinding). Addresses
 * are allowed, because listings may have been given one.
 */
const isListedHost = (host: string, names: readonly string[]): boolean =>
  isIP(host) !== 0 || host === 'localhost' || names.includes(host);

const shown = (text: string): string => printable(text, 100);

/** The vote in a delivery, without when and from where it was received, and whether it can be rewarded. */
type SignedVote = Omit<VoteReport, 'receivedAt' | 'address' | 'unrewarded'>;

interface Judgement {
  readonly code: AnswerCode;
  readonly detail?: string;
}

/** Checks the signature and reads the vote from the signed bytes; nothing comes from a header (RC-04). */
function judgeDelivery(
  body: Uint8Array,
  signature: string | readonly string[] | undefined,
  route: Route,
): SignedVote | Judgement {
  // [WH-7] Over the bytes, before they are parsed.
  if (signature === undefined) return { code: 'signature-missing' };
  if (!verifySignature(String(signature), body, route.secret.reveal())) return { code: 'signature-wrong' };
  const json = readJsonBytes(body);
  if (json === undefined) return { code: 'not-json' };
  const payload = CountableVote.safeParse(json);
  if (!payload.success) return { code: 'not-a-vote' };
  const { eventId, test, data } = payload.data;
  // If two entries have the same secret, one listing's votes must not be paid as the other's.
  if (data.listingId !== route.listingId)
    return { code: 'other-listing', detail: printable(data.listingId, 64) };
  // [WH-3] One mark of a test is enough: tests are never paid.
  if (test || eventId === TEST_EVENT_ID) return { code: 'test' };
  const text = JSON.stringify(json);
  return {
    channel: 'webhook',
    site: route.site,
    eventId,
    userId: data.userId,
    player: data.playerName ?? null,
    // [WH-4]
    game: data.listingType === 'bot' ? 'bot' : (data.game ?? route.game),
    votedAt: Date.parse(data.votedAt),
    text: text.length <= TEXT_MAX_CHARACTERS ? text : `${text.slice(0, TEXT_MAX_CHARACTERS - 1)}…`,
  };
}

const answers = {
  recorded: { status: 200, hears: 'recorded' },
  'same-vote': { status: 200, hears: 'recorded before; counted once' },
  test: { status: 200, hears: 'a test with a valid signature: nothing is recorded and nothing is paid' },
  ...webhookRefusals,
} as const;

type AnswerCode = keyof typeof answers;

const isRefusal = (code: AnswerCode): code is WebhookRefusalCode => code in webhookRefusals;

function reply(response: ServerResponse, code: AnswerCode): void {
  const { status, hears } = answers[code];
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
