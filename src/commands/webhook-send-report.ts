import { durationText } from '../core/duration.ts';
import { printable } from '../core/printable.ts';
import type { Composed } from '../notify/webhook/compose.ts';
import { type Outcome, outcomeOf } from '../notify/webhook/outcome.ts';
import type { Answer } from '../notify/webhook/post.ts';
import { judgeProbe, type ProbeResult } from '../notify/webhook/probe.ts';
import { reasonSentence } from '../notify/webhook/reasons.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Signing } from './webhook-send-options.ts';

/** The element of `--json`. */
export interface WebhookSendReport {
  readonly url: string;
  readonly eventId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly test: boolean;
  readonly signature: Signing;
  /** null if no complete answer came; `error` says why. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first 1 KiB of the answer's body. */
  readonly response: string | null;
  readonly error: string | null;
  readonly outcome: Outcome;
  /** What the receiver did with a bad signature; null if none was sent. */
  readonly badSignature: ProbeResult['kind'] | null;
  readonly sentence: string;
}

interface Sent {
  readonly composed: Composed;
  readonly url: URL;
  readonly isTest: boolean;
  readonly signature: Signing;
  readonly answer: Answer;
  readonly durationMs: number;
  readonly hidden: string | null;
}

const RESPONSE_SHOWN = 1024;
/** The first attempt and its retries. */
const AUTOMATIC_ATTEMPTS = 6;

export function reportOf({
  composed,
  url,
  isTest,
  signature,
  answer,
  durationMs,
  hidden,
}: Sent): WebhookSendReport {
  const { eventId, deliveryId, attempt } = composed;
  const { status, response, error } = facts(answer);
  const outcome = outcomeOf(status);
  const result = { deliveryId, delivered: outcome === 'delivered', httpStatus: status, durationMs, error };
  const probe = signature === 'bad' ? judgeProbe(result) : null;
  return {
    url: without(hidden, url.href),
    ...{ eventId, deliveryId, attempt, test: isTest, signature, status, durationMs },
    response: response === null ? null : without(hidden, response),
    error,
    outcome,
    badSignature: probe?.kind ?? null,
    sentence: probe?.sentence ?? sentenceOf(outcome, status, attempt, isTest),
  };
}

function facts(answer: Answer): Pick<WebhookSendReport, 'status' | 'response' | 'error'> {
  if (answer.kind === 'answered') return { status: answer.status, response: answer.response, error: null };
  return {
    status: null,
    response: null,
    error: answer.kind === 'failed' ? reasonSentence(answer.reason) : null,
  };
}

/** Hides the secret, which the receiver's answer or the URL may contain. */
const without = (secret: string | null, text: string): string =>
  secret === null ? text : text.replaceAll(secret, '[secret]');

function sentenceOf(outcome: Outcome, status: number | null, attempt: number, isTest: boolean): string {
  if (outcome === 'delivered') return 'The service counts this as delivered.';
  if (isTest)
    return 'The service counts this as failed. It sends a test only once, and a failed test does no harm.';
  if (outcome === 'permanent') {
    return 'The service does not retry this, because 4xx is final. Answer 5xx if a retry would help.';
  }
  const redirect = status !== null && status < 400 ? 'The service does not follow redirects. ' : '';
  return redirect + (attempt < AUTOMATIC_ATTEMPTS ? TRIED_AGAIN : spent(attempt));
}

const TRIED_AGAIN = 'The service retries this up to 5 times, with growing delays.';

const spent = (attempt: number): string =>
  `The service does not retry this: with attempt ${attempt} its 5 retries are used up.`;

export const isSuccess = ({ badSignature, outcome }: WebhookSendReport): boolean =>
  badSignature === null ? outcome === 'delivered' : badSignature === 'refused';

const SIGNED: Readonly<Record<Signing, string>> = {
  good: 'signed',
  bad: 'signed with a random secret',
  none: 'not signed (no --secret)',
};

export function printSending(terminal: Terminal, report: WebhookSendReport): void {
  const { url, eventId, deliveryId, attempt, test, signature, status, durationMs } = report;
  const took = durationText(durationMs);
  const lines = [
    ['to', printable(url, 2048)],
    ['event', `${eventId}${test ? ' (earns nothing)' : ''}`],
    ['delivery', `${deliveryId}, attempt ${attempt}`],
    ['signature', SIGNED[signature]],
    ['answer', status === null ? `none, after ${took}` : `${status}, after ${took}`],
    ...(report.response === null ? [] : [['response', shownResponse(report.response)]]),
  ];
  for (const [name = '', value = ''] of lines) terminal.out(`${name.padEnd(9)}  ${value}`);
  terminal.out('');
  if (report.error !== null && report.badSignature === null) terminal.out(report.error);
  terminal.out(report.sentence);
}

const shownResponse = (response: string): string =>
  response.trim() === '' ? '(empty)' : printable(response.trim(), RESPONSE_SHOWN);
