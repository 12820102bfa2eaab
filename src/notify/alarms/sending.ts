import type { AlarmsConfig } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { retryDelayMs } from '../../core/retry.ts';
import { uuid4 } from '../../core/uuid.ts';
import { readRetryAfter } from '../webhook/outcome.ts';
import type { Post } from '../webhook/post.ts';
import { failureText, type PostFailed, type PostResult, resultOf } from '../webhook/post-result.ts';
import { type Message, postingOf } from './body.ts';

export interface SendingParts {
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
}

/** Posts a message once. Throws the Problem `secret-missing`. */
async function postOnce(
  message: Message,
  config: AlarmsConfig,
  attempt: number,
  { post, random }: Pick<SendingParts, 'post' | 'random'>,
  stop: AbortSignal,
): Promise<PostResult> {
  const posting = postingOf(message, config, { deliveryId: uuid4(random), number: attempt });
  return resultOf(await post(posting, stop));
}

const RETRIES = { firstMs: 10_000, longestMs: 10 * 60_000 };
/** After an answer that will probably be the same until the operator changes something. */
const REFUSED_MS = HOUR_MS;
const ASKED_MAX_MS = HOUR_MS;
/**
 * A message that has not arrived by then is given up, unless wall time only jumped. What still holds is told by the next
 * one.
 */
const GIVEN_UP_MS = DAY_MS;
const GIVEN_UP_ATTEMPTS = 10;

export const isGivenUp = (composedAt: number, now: number, attempts: number): boolean =>
  now - composedAt >= GIVEN_UP_MS && attempts >= GIVEN_UP_ATTEMPTS;

/** Sends messages, each until it has arrived. */
export class Sending {
  /** In monotonic time. */
  private nextAt = Number.NEGATIVE_INFINITY;
  private readonly stop = new AbortController();
  /** The code that was logged last; null: the last message arrived. */
  private logged: string | null = null;

  constructor(private readonly parts: SendingParts & { readonly log: Log }) {}

  /** Whether it is time for an attempt. */
  get isDue(): boolean {
    return !this.stop.signal.aborted && this.parts.clock.monotonic() >= this.nextAt;
  }

  /** Call this when the config has changed: an attempt is due now. */
  startOver(): void {
    this.nextAt = Number.NEGATIVE_INFINITY;
    this.logged = null;
  }

  /** One attempt. @param failures attempts that have failed. */
  async send(message: Message, config: AlarmsConfig, failures: number): Promise<PostResult> {
    const result = await postOnce(message, config, failures + 1, this.parts, this.stop.signal);
    if (result.kind === 'failed') this.pause(result, failures + 1);
    else this.nextAt = Number.NEGATIVE_INFINITY;
    this.logResult(result, message);
    return result;
  }

  /** Cuts off an attempt in progress. */
  close(): void {
    this.stop.abort();
  }

  private pause(failed: PostFailed, failures: number): void {
    const { clock, random } = this.parts;
    const ownMs = isRefusal(failed) ? REFUSED_MS : retryDelayMs(RETRIES, failures, random);
    const askedMs = readRetryAfter(failed.retryAfter, clock.now()) ?? 0;
    this.nextAt = clock.monotonic() + Math.max(ownMs, Math.min(askedMs, ASKED_MAX_MS));
  }

  /** Once for each reason, so that a receiver that is down for a night is one line. */
  private logResult(result: PostResult, { began, ended }: Message): void {
    const { log } = this.parts;
    if (result.kind === 'arrived') {
      const alarms = [...began, ...ended].map(({ alarm }) => alarm.code);
      log.info(
        { code: 'alarms-sent', alarms },
        `notified the operator: ${countText(began.length, ended.length)}`,
      );
      this.logged = null;
      return;
    }
    if (result.code === this.logged || result.code === 'cut-off') return;
    this.logged = result.code;
    const sentence = `a message about alarms could not be sent, and is tried again: ${failureText(result)}`;
    log.warn({ code: 'alarms-unsent', reason: result.code, status: result.status }, sentence);
  }
}

const isRefusal = ({ code }: PostFailed): boolean =>
  code === 'url-not-found' || code === 'not-let-in' || code === 'message-refused' || code === 'redirected';

const countText = (began: number, ended: number): string =>
  [
    ...(began === 0 ? [] : [`${began} ${began === 1 ? 'alarm' : 'alarms'}`]),
    ...(ended === 0 ? [] : [`${ended} over`]),
  ].join(', ');
