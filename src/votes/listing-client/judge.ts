import { apiErrors, ErrorBody } from '../../../protocol/listing-api/errors.ts';
import { readJsonBytes } from '../../core/json.ts';
import type { Exchange } from './exchange.ts';
import type { CallResult, Refused, Unreachable } from './result.ts';
import type { Reader } from './schema-types.ts';
import type { Wording } from './wording.ts';

type Answered = Extract<Exchange, { kind: 'answered' }>;

/**
 * The wait after a RATE_LIMITED that does not state one. Every limit of the API is per minute, so it has passed by then.
 */
const RETRY_AFTER_DEFAULT_SECONDS = 60;

/** What an exchange means for the caller. */
export function judge<Value>(exchange: Exchange, answer: Reader<Value>, wording: Wording): CallResult<Value> {
  if (exchange.kind === 'aborted') return wording.aborted();
  if (exchange.kind === 'failed') return wording.unreachable(exchange.fault);
  const json = readJsonBytes(exchange.body);
  const isSuccess = exchange.status === 200 && json !== undefined;
  return isSuccess ? success(exchange, json, answer, wording) : refusal(exchange, json, wording);
}

function success<Value>(
  { date }: Answered,
  json: unknown,
  answer: Reader<Value>,
  wording: Wording,
): CallResult<Value> {
  const read = answer.safeParse(json);
  if (read.success) return { kind: 'ok', value: read.data, serviceTime: timeOf(date) };
  const { path = [], message = '' } = read.error.issues[0] ?? {};
  return wording.unfit(path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`);
}

function refusal(answered: Answered, json: unknown, wording: Wording): Refused | Unreachable {
  const { status } = answered;
  const stated = secondsOf(answered);
  const envelope = ErrorBody.safeParse(json);
  // [API-2] Code and status have to agree; if they do not, something else than the API answered.
  if (!envelope.success || apiErrors[envelope.data.code].status !== status) {
    const detail = `status ${status}, and a body that is ${json === undefined ? 'not JSON' : 'not an error of the API'}`;
    return wording.unreachable({ code: 'not-the-api', detail, retryAfterSeconds: stated });
  }
  const wait = stated ?? envelope.data.retryAfterSeconds ?? null;
  const isLimit = envelope.data.code === 'RATE_LIMITED';
  return wording.refused(envelope.data, isLimit ? (wait ?? RETRY_AFTER_DEFAULT_SECONDS) : wait);
}

/** RFC 9110 §6.6.1; null if it is not a time. */
const timeOf = (date: string | null): number | null => {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
};

/** RFC 9110 §10.2.3, in seconds: a number, or a date that is compared with the answer's Date header. null for anything else. */
function secondsOf({ retryAfter, date }: Answered): number | null {
  const text = retryAfter ?? '';
  const isDate = text.endsWith(' GMT');
  const untilMs = isDate ? (timeOf(text) ?? 0) - (timeOf(date) ?? Number.POSITIVE_INFINITY) : 0;
  const seconds = /^\d{1,15}$/.test(text) ? Number(text) : Math.ceil(untilMs / 1000);
  return seconds > 0 ? seconds : null;
}
