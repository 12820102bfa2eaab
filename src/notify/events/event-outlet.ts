import type { Clock } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { Random } from '../../core/random.ts';
import { uuid4 } from '../../core/uuid.ts';
import type { EndedPost, EventPost, Ledger, PostEnd } from '../../ledger/ledger.ts';
import type { EndedJob, Job, Outlet, Turn, TurnWanted } from '../outbox/outlet.ts';
import { readRetryAfter, retryWaitMs } from '../webhook/outcome.ts';
import type { Post } from '../webhook/post.ts';
import { failureText, type PostFailed, type PostResult, resultOf } from '../webhook/post-result.ts';
import { postingOf } from './body.ts';
import type { EventSource } from './kind.ts';
import { payloadOf } from './payload.ts';
import type { Receiver } from './receiver.ts';

/** Events that are posted in one request: one to a program, several as one chat message. */
export interface EventJob extends Job {
  readonly receiver: Receiver;
  readonly posts: readonly EventPost[];
}

/** `unsent`: nothing could be sent, for a reason that says nothing about the receiver. */
export type EventAnswer = PostResult | { readonly kind: 'unsent'; readonly problem: Problem };

export interface OutletParts {
  readonly ledger: Pick<Ledger, 'nextPostAt' | 'takePosts'> & EventSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly post: Post;
}

/** Requests in progress for one program. */
const JOBS_MAX = 8;
/** Events in one chat message. Chats limit messages per minute, and votes come in bursts. */
const CHAT_EVENTS_MAX = 20;

/** The pauses after failed attempts: 43 hours in total. Events are kept for seven days. */
const RETRIES_MS = [
  ...[10_000, MINUTE_MS, 10 * MINUTE_MS],
  ...[HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
];
/** The pause after a fault of this machine. */
const OWN_FAULT_MS = 5_000;

/** Posts stored events to the receivers of the config, each at least once. */
export class EventOutlet implements Outlet<EventJob, EventAnswer, PostEnd['state']> {
  receivers: readonly Receiver[] = [];
  /** By receiver that events do not reach: what was logged of it since. */
  private readonly logged = new Map<string, ReadonlySet<PostEnd['state']>>();

  constructor(private readonly parts: OutletParts) {}

  async turn({ ended, inProgress, isClaiming, now }: TurnWanted<EventJob, EventAnswer>) {
    const { ledger } = this.parts;
    if (ended.length === 0) {
      const nextAt = this.receivers.length === 0 ? null : await ledger.nextPostAt();
      if (nextAt === null || nextAt > now) return { recorded: [], claimed: [], nextDueAt: nextAt };
    }
    const free = isClaiming ? this.receivers.map((receiver) => freeFor(receiver, inProgress)) : [];
    const posts = ended.map((job) => this.endedPosts(job, now));
    const { claimed, nextDueAt } = await ledger.takePosts({ ended: posts.flat(), free, now });
    const recorded = posts.map(([first]) => first?.end.state ?? 'delivered');
    return { recorded, claimed: this.jobsOf(claimed), nextDueAt } satisfies Turn<EventJob, PostEnd['state']>;
  }

  async send({ receiver, posts }: EventJob, stop: AbortSignal): Promise<EventAnswer> {
    const { ledger, post, random } = this.parts;
    try {
      const payloads = await Promise.all(posts.map(({ event }) => payloadOf(event, ledger)));
      const attempt = { deliveryId: uuid4(random), number: 1 + (posts[0]?.failures ?? 0) };
      return resultOf(await post(postingOf(payloads, receiver, attempt), stop));
    } catch (problem) {
      if (problem instanceof Problem) return { kind: 'unsent', problem };
      throw problem;
    }
  }

  /**
   * A receiver that is down for a night is one line, however the reason changes, and one more if something of it is given up.
   * `teller events` shows the reason of the latest attempt.
   */
  report({ job: { receiver }, answer }: EndedJob<EventJob, EventAnswer>, recorded: PostEnd['state']): void {
    const { log } = this.parts;
    const { id, name, at } = receiver;
    if (answer.kind === 'arrived') {
      if (this.logged.delete(id))
        log.info({ code: 'events-sent', receiver: at }, `events reach ${name} again`);
      return;
    }
    const [reason, why] = reasonOf(answer);
    const logged = this.logged.get(id) ?? new Set();
    const isGivenUp = recorded === 'undelivered';
    if (reason === 'cut-off' || (isGivenUp ? logged.has(recorded) : logged.size > 0)) return;
    this.logged.set(id, new Set([...logged, recorded]));
    const then = isGivenUp ? 'not tried again; `teller events resend` does that' : 'tried again';
    log.warn(
      { code: 'events-unsent', receiver: at, reason },
      `an event could not be sent to ${name}, and is ${then}: ${why}`,
    );
  }

  reportPause(error: Error): void {
    const code = error instanceof Problem ? error.code : 'ledger-failed';
    this.parts.log.error({ code }, `events wait, because the ledger cannot be written: ${error.message}`);
  }

  private jobsOf(claimed: readonly EventPost[]): readonly EventJob[] {
    return this.receivers.flatMap((receiver) => {
      const own = claimed.filter((post) => post.receiver === receiver.id);
      if (receiver.form !== 'json') return own.length === 0 ? [] : [jobOf(receiver, own)];
      return own.map((post) => jobOf(receiver, [post]));
    });
  }

  private endedPosts({ job, answer }: EndedJob<EventJob, EventAnswer>, now: number): readonly EndedPost[] {
    return job.posts.map(({ event, failures }) => ({
      ...{ receiver: job.receiver.id, event: event.id },
      end: this.endOf(answer, failures, now),
    }));
  }

  private endOf(answer: EventAnswer, failures: number, now: number): PostEnd {
    if (answer.kind === 'arrived') return { state: 'delivered', status: answer.status, reason: null };
    if (answer.kind === 'unsent') {
      const reason = answer.problem.code;
      return { state: 'again', dueAt: now + OWN_FAULT_MS, status: null, reason };
    }
    const { code, status } = answer;
    if (code === 'cut-off') return { state: 'again', dueAt: 0, status, reason: code };
    if (code === 'out-of-sockets') return { state: 'again', dueAt: now + OWN_FAULT_MS, status, reason: code };
    const waitMs = isFinal(answer) ? null : this.waitMs(answer, failures + 1, now);
    if (waitMs === null) return { state: 'undelivered', status, reason: code };
    return { state: 'waiting', dueAt: now + waitMs, status, reason: code };
  }

  private waitMs({ retryAfter }: PostFailed, failures: number, now: number): number | null {
    return retryWaitMs(RETRIES_MS, failures, readRetryAfter(retryAfter, now), this.parts.random.next());
  }
}

const reasonOf = (answer: Exclude<EventAnswer, { kind: 'arrived' }>): readonly [code: string, why: string] =>
  answer.kind === 'unsent'
    ? [answer.problem.code, answer.problem.message]
    : [answer.code, failureText(answer)];

/** The receiver would answer the same until somebody changes something. */
const isFinal = ({ code }: PostFailed): boolean =>
  code === 'url-not-found' || code === 'not-let-in' || code === 'message-refused';

const jobOf = (receiver: Receiver, posts: readonly EventPost[]): EventJob => ({
  id: `${receiver.id} ${posts[0]?.event.id}`,
  receiver,
  posts,
});

function freeFor({ id, form }: Receiver, inProgress: readonly EventJob[]) {
  const jobs = inProgress.filter(({ receiver }) => receiver.id === id).length;
  if (form === 'json') return { receiver: id, most: Math.max(0, JOBS_MAX - jobs) };
  return { receiver: id, most: jobs === 0 ? CHAT_EVENTS_MAX : 0 };
}
