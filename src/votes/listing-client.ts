/**
 * Asks the developer API of a listing for the votes that it knows: one request, within limits of time and size. What
 * comes back is either its votes or the fault why there are none, as a code and a sentence for the operator. The token
 * goes to the configured address only, and no sentence shows it.
 */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { type ApiErrorCode, apiErrors, ErrorBody, ReportedVotes } from '../../protocol/listing-api.ts';
import type { SiteApi } from '../config/config.ts';
import { type Clock, isClockSet, pause } from '../core/clock.ts';
import { DAY_MS, durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { readJsonBytes } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';
import type { Random } from '../core/random.ts';
import { retryDelayMs } from '../core/retry.ts';
import { shownService } from '../core/service-name.ts';
import type { NetworkFault } from '../platform/dial.ts';
import { type Answered, exchange } from '../platform/exchange.ts';

/** The votes to ask for; dates as in [API-8]. */
export interface VotesQuestion {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly limit: number;
}

interface VotesReported {
  readonly kind: 'ok';
  /** Newest first [API-9]. */
  readonly votes: ReportedVotes;
  /** The time of the service’s clock when it answered, in milliseconds but only to the second; null: not stated. */
  readonly serviceTime: number | null;
}

/** What keeps Teller from reading a listing's votes. */
export interface ListingFault<Code extends string = FailureCode> {
  readonly kind: 'failed';
  readonly code: Code;
  /** What happened, and what the operator can do about it. */
  readonly sentence: string;
  /** Whether it may go away without a fix, so that it is worth retrying soon. */
  readonly mayPass: boolean;
  /** How long the service asked to wait; 0: it did not. Always more with RATE_LIMITED. */
  readonly retryAfterMs: number;
}

/** From the start of a request until its answer is complete. */
const WHOLE_MS = 10_000;
/** Of an answer, after decompression. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;
/** The wait after a RATE_LIMITED that does not state one. Every limit of the API is per minute, so it has passed by then. */
const RETRY_AFTER_DEFAULT_SECONDS = 60;
/** The longest wait, whatever a service asks for. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/** Rejects only if the signal aborts, and with a Problem if the token is missing: `secret-missing`. */
export async function askForVotes(
  site: string,
  { baseUrl, token: secret }: Pick<SiteApi, 'baseUrl' | 'token'>,
  question: VotesQuestion,
  clock: Clock,
  signal?: AbortSignal,
): Promise<VotesReported | ListingFault> {
  const token = secret.reveal();
  const root = apiRoot(baseUrl);
  const answer = await answerTo(root, token, question, clock, signal);
  if (answer.kind === 'ok') return answer;
  const { code, detail, seconds } = answer;
  const redact = redacting(token);
  const key = `sites.${JSON.stringify(site)}.api`;
  const sentence = failures[code](redact(root ?? ''), redact(detail), key);
  const retryAfterMs = Math.min(seconds * 1000, RETRY_AFTER_MAX_MS);
  return { ...faultWith(code, sentence, code in passing), retryAfterMs };
}

/** Attempts of one call. Answers with RATE_LIMITED do not count, because they say when to come back. */
const ATTEMPTS = 4;
const RETRY = { firstMs: 1_000, longestMs: 8_000 } as const;

/** The same, but asks again while the answer may change; a retry that would start later than `forMs` is not made. */
export async function askForVotesAgain(
  site: string,
  api: Pick<SiteApi, 'baseUrl' | 'token'>,
  question: VotesQuestion,
  forMs: number,
  clock: Clock,
  random: Random,
): Promise<VotesReported | ListingFault> {
  const givesUpAt = clock.monotonic() + forMs;
  let attempts = 0;
  for (;;) {
    const answer = await askForVotes(site, api, question, clock);
    if (answer.kind === 'ok' || !answer.mayPass) return answer;
    if (answer.code !== 'RATE_LIMITED') attempts++;
    if (attempts === ATTEMPTS) return answer;
    const delayMs = answer.retryAfterMs || retryDelayMs(RETRY, attempts, random);
    if (clock.monotonic() + delayMs > givesUpAt) return answer;
    await pause(clock, delayMs);
  }
}

/**
 * Why there are no votes, before it is a sentence.
 *
 * @param detail from outside: what was received instead, or the system’s name of the fault. May contain secrets.
 * @param seconds how long the service asked to wait; 0: it did not.
 */
const failed = (code: FailureCode, detail = '', seconds = 0) =>
  ({ kind: 'failed', code, detail, seconds }) as const;

type Failed = ReturnType<typeof failed>;

async function answerTo(
  root: string | null,
  token: string,
  question: VotesQuestion,
  clock: Clock,
  signal?: AbortSignal,
): Promise<VotesReported | Failed> {
  if (root === null) return failed('address-unusable');
  // With any other character, such as a line break at the end of its file, no header can hold it.
  if (!/^[\x21-\x7e]+$/.test(token)) return failed('token-unusable');
  // The question is sent as given, because only the service can judge it.
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) query.set(name, String(value));
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'Accept-Encoding': Object.keys(DECODERS).join(', '),
    'User-Agent': 'Teller',
  };
  const request = { url: new URL(`${root}/webhooks/votes?${query}`), method: 'GET', headers } as const;
  const size = { keepBytes: BODY_MAX_BYTES, readBytes: BODY_MAX_BYTES + 1 };
  const limits = { clock, signal, limitMs: WHOLE_MS, ...size };
  const answer = await exchange(request, { ...limits, readsBodyOf: (status) => !isRedirect(status) });
  if (answer.kind === 'answered') {
    const body = await bodyOf(answer);
    return Buffer.isBuffer(body) ? judge(answer, body) : body;
  }
  signal?.throwIfAborted();
  return failed(...unanswered(answer.fault));
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

function unanswered({ code, phase, detail }: NetworkFault): [FailureCode, string] {
  if (code === 'timeout') return ['deadline', durationText(WHOLE_MS)];
  if (code === 'refused') return ['port-refused', detail];
  if (code === 'unresolvable') return ['host-unresolvable', detail];
  if (phase === 'connecting') return ['no-connection', detail];
  if (code === 'tls') return ['tls-failed', detail];
  return [code === 'not-http' ? 'not-the-api' : 'connection-lost', detail];
}

/** The API root that an operator wrote, without a slash at its end; null if it cannot be one. */
function apiRoot(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, port, pathname, username, password, search, hash } = new URL(text);
  if ((protocol !== 'http:' && protocol !== 'https:') || OTHER_PORTS.includes(port)) return null;
  // Failures show the address, so no password may be in it; `?` or `#` would swallow the paths.
  if (`${username}${password}${search}${hash}` !== '') return null;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/**
 * Makes text from outside one printable line without this secret: a proxy, or a service in debug mode, may repeat what
 * it was sent.
 */
export function redacting(secret: string): (text: string) => string {
  const hide = (text: string): string => (secret === '' ? text : text.replaceAll(secret, '[secret]'));
  // Shortened last, because a cut could leave a part of a secret that is not recognized.
  return (text) => printable(hide(printable(hide(text), Number.POSITIVE_INFINITY)));
}

/** Ports of other protocols, which browsers do not connect to (Fetch standard, "port blocking"). */
const OTHER_PORTS: readonly string[] = (
  '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 ' +
  '123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 ' +
  '990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
).split(' ');

/** The body of an answer without its encoding, or why it is not used. */
async function bodyOf({ status, headers, body, bytes }: Answered): Promise<Buffer | Failed> {
  // Following a redirect would send the token wherever the answer points.
  if (isRedirect(status)) return failed('redirected', headers.location ?? 'nowhere');
  const tooLarge = failed('answer-too-large', `${BODY_MAX_BYTES} bytes`);
  if (bytes > BODY_MAX_BYTES) return tooLarge;
  const { 'content-encoding': encoding } = headers;
  if ((encoding !== 'gzip' && encoding !== 'br') || bytes === 0) return body;
  try {
    return await DECODERS[encoding](body, { maxOutputLength: BODY_MAX_BYTES });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : failed('not-the-api', code);
  }
}

const DECODERS = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/** What an answer means. */
function judge({ status, headers }: Answered, body: Buffer): VotesReported | Failed {
  // A cached answer has the date when it was stored (RFC 9111 §5.1).
  const serviceTime = headers.age === undefined ? timeOf(headers.date) : null;
  const json = readJsonBytes(body);
  if (status === 200 && json !== undefined) {
    const read = ReportedVotes.safeParse(json);
    if (read.success) return { kind: 'ok', votes: read.data, serviceTime };
    return failed('unfit', read.error.issues[0]?.message);
  }
  const stated = retryAfterSeconds(headers['retry-after'] ?? '', serviceTime);
  const error = ErrorBody.safeParse(json);
  // [API-2] Code and status have to agree; if they do not, something else than the API answered.
  if (!error.success || apiErrors[error.data.code].status !== status) {
    const what = json === undefined ? 'not JSON' : 'not an error of the API';
    return failed('not-the-api', `status ${status}, and a body that is ${what}`, stated);
  }
  const { code, message } = error.data;
  const otherwise = code === 'RATE_LIMITED' ? RETRY_AFTER_DEFAULT_SECONDS : 0;
  return failed(code, message, stated || (error.data.retryAfterSeconds ?? otherwise));
}

/** RFC 9110 §6.6.1; null if it is not a time. */
function timeOf(date: string | undefined): number | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

/** RFC 9110 §10.2.3: a number, or a date that is compared with the answer's Date header. 0 for anything else. */
function retryAfterSeconds(text: string, serviceTime: number | null): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const until = text.endsWith(' GMT') ? timeOf(text) : null;
  return until === null || serviceTime === null ? 0 : Math.max(0, Math.ceil((until - serviceTime) / 1000));
}

/** `where` is the API root in display form; neither it nor `detail` holds a secret. `key` is that of the config that says how it is called. */
type FailureSentence = (where: string, detail: string, key: string) => string;
type Failures = Readonly<Record<string, FailureSentence>>;

/**
 * @param advice what the person who set up the client can do about it.
 * @param remedy what the operator of a listener can do beyond that.
 */
const refusal =
  (advice: string, remedy: (key: string) => string = () => ''): FailureSentence =>
  (where, said, key) =>
    `${where} refused this: ${advice}. It said: ${said} ${remedy(key)}`.trim();

/** Reasons for getting no votes that may go away without a fix, in the order in which they can happen; [API-3] names those of the API. */
const passing = {
  'host-unresolvable': (where, detail) =>
    `The host name of ${where} cannot be resolved (${detail}): check its spelling and this machine’s network.`,
  'port-refused': (where) =>
    `Nothing listens at ${where} (connection refused): is the listing service running, and is this its port?`,
  'no-connection': (where, detail) =>
    `Could not connect to ${where} (${detail}): check the address and this machine’s network.`,
  'connection-lost': (where, detail) =>
    `The connection to ${where} was lost before the answer was complete (${detail}).`,
  deadline: (where, detail) => `${where} did not answer completely within ${detail}.`,
  'not-the-api': (where, detail) =>
    `${where} did not answer like the listing’s API (${detail}): a proxy in front of it may have answered, or another service.`,
  RATE_LIMITED: refusal('there were too many requests in a short time'),
  INTERNAL_ERROR: refusal('it had an internal error, and whether it carried out the request is unknown'),
} as const satisfies Failures;

/** Those that stay until someone acts, in the same order. */
const lasting = {
  'address-unusable': () =>
    'The address of the listing’s API cannot be used: write http:// or https://, a host, optionally a port that browsers allow, and a path such as /api/v1, without a password, ? or #.',
  'token-unusable': () =>
    'The API token cannot be sent: it is empty, or contains a space, a line break or another character that no token has.',
  'tls-failed': (where, detail) =>
    `The TLS handshake with ${where} failed (${detail}), so the token was not sent: check https, the host name and its certificate.`,
  redirected: (where, detail) =>
    `${where} redirects to ${detail}. Teller does not follow it, because the token is only for this address: check the address, and whether it should be https.`,
  'answer-too-large': (where, detail) => `The answer of ${where} has more than ${detail}, so it was ignored.`,
  unfit: (where, detail) =>
    `${where} sent an answer that does not match the API’s specification (${detail}), so it is ignored: is this Teller too old for the service, or is it another service?`,
  VALIDATION_FAILED: refusal('the request is not valid'),
  WEBHOOK_URL_INVALID: refusal('the webhook’s URL is not an http:// or https:// address'),
  WEBHOOK_URL_NOT_PUBLIC: refusal(
    'the webhook’s URL points to a private network, and the listing delivers only to public addresses',
  ),
  INVALID_TOKEN: refusal(
    'it does not know the API token; copy the current one from the listing’s dashboard',
    (key) =>
      `Put this listing’s current API token where ${key}.token is read from, and run \`teller reload\`.`,
  ),
  MISSING_SCOPE: refusal(
    'the API token may not do this; create one with the scope in the listing’s dashboard',
    (key) =>
      `The token lacks the scope votes:read: create one that has it in the listing’s dashboard, put it where ${key}.token is read from, and run \`teller reload\`.`,
  ),
  FORBIDDEN: refusal('the API token belongs to another listing, or to another kind of listing'),
  NOT_FOUND: refusal(
    'the listing was removed, or the address is not the root of its API',
    (key) => `Check ${key}.baseUrl.`,
  ),
} as const satisfies Failures;

const failures = { ...passing, ...lasting } satisfies Record<ApiErrorCode, FailureSentence>;

type FailureCode = keyof typeof failures;

export const faultWith = <Code extends string>(
  code: Code,
  sentence: string,
  mayPass: boolean,
): ListingFault<Code> => ({ kind: 'failed', code, sentence, mayPass, retryAfterMs: 0 });

/** The answer is a list, but no record in it is a vote. */
export const unfitFault = (why: string) =>
  faultWith('unfit', lasting.unfit('The listing’s API', printable(why)), false);

/** A service states its time in whole seconds, and its answer takes time to arrive: smaller differences are ignored. */
const CLOCKS_APART_MS = 60_000;

/**
 * Describes the difference between the two clocks, or null if they agree. If ours is behind, votes seem to be cast in
 * the future and have to wait; if it is ahead, the times that votes to the listener claim are not believed.
 */
export function clocksApart(serviceTime: number | null, now: number): string | null {
  if (serviceTime === null || Math.abs(serviceTime - now) < CLOCKS_APART_MS) return null;
  const side = now > serviceTime ? 'ahead of it' : 'behind it';
  const apart = durationText(Math.abs(now - serviceTime));
  return `its clock shows ${isoTime(serviceTime)}, and this machine’s is ${apart} ${side}`;
}

/** The clock of a site's listing, which its API reports in the Date header of every answer. */
export class ListingClock {
  private isDifferenceLogged = false;
  /** What that clock showed, and when in monotonic time; null until an answer reports it. */
  private shown: { readonly time: number; readonly heardAt: number } | null = null;

  constructor(
    private readonly site: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The present time by the listing's clock or ours, whichever is earlier, because ours may be ahead. */
  earlier(): number {
    const { clock, shown } = this;
    if (shown === null) return clock.now();
    return Math.min(clock.now(), Math.floor(shown.time + clock.monotonic() - shown.heardAt));
  }

  /** Logs once that the two clocks disagree, and again if they have agreed in between. */
  compare(serviceTime: number | null): void {
    const { clock, site, log } = this;
    if (serviceTime !== null && isClockSet(serviceTime))
      this.shown = { time: serviceTime, heardAt: clock.monotonic() };
    const apart = clocksApart(serviceTime, clock.now());
    if (apart !== null && !this.isDifferenceLogged) {
      const sentence = `the API of ${shownService(site)}: ${apart}; set this machine’s clock by NTP, because vote windows depend on both clocks`;
      log.warn({ code: 'clocks-apart', site }, sentence);
    }
    this.isDifferenceLogged = apart !== null;
  }
}
