import type { Clock } from '../core/clock.ts';
import type { Post, Posting } from '../notify/webhook/post.ts';
import { failureText, type PostFailure, postFailures, resultOf } from '../notify/webhook/post-result.ts';
import { withoutUrl } from '../notify/webhook/without-url.ts';

/** What came back of a test message. */
export type TestPost = Posted &
  (
    | { readonly kind: 'arrived' }
    | {
        readonly kind: 'failed';
        readonly code: PostFailure;
        readonly sentence: string;
        readonly toDo: string;
      }
  );

interface Posted {
  /** null: no complete answer came. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The beginning of the answer's body, without the URL; empty if there was none. */
  readonly response: string;
}

/** Posts a test message once. @param at the receiver's place in the config, such as `alarms` */
export async function postTest(posting: Posting, at: string, post: Post, clock: Clock): Promise<TestPost> {
  const startedAt = clock.monotonic();
  const result = resultOf(await post(posting, new AbortController().signal));
  const posted = {
    status: result.status,
    durationMs: Math.round(clock.monotonic() - startedAt),
    response: withoutUrl(result.response, posting.url),
  };
  if (result.kind === 'arrived') return { kind: 'arrived', ...posted };
  const { code } = result;
  return {
    kind: 'failed',
    ...posted,
    code,
    sentence: failureText(result),
    toDo: postFailures[code].toDo(at),
  };
}
