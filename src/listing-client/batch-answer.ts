import { VoteCheck, VoteCheckBatchResult } from '../../protocol/listing-api/schemas.ts';
import type { OutputOf, Reader } from './schema-types.ts';

type Checks = ReadonlyMap<string, OutputOf<typeof VoteCheck>>;

/**
 * The answer to a batch, by name or user ID. It has to be complete: a missing entry does not mean "has not voted". It is
 * a Map, because players may be called `constructor` or `__proto__`: zod's records drop the second, and looking up the
 * first in an object finds a function.
 */
export const batchAnswer = (asked: readonly string[]): Reader<Checks> => ({
  safeParse(json) {
    const shape = VoteCheckBatchResult.safeParse(json);
    if (!shape.success) return shape;
    const answered = new Map(Object.entries((json as { votes: Record<string, unknown> }).votes));
    const checks = new Map<string, OutputOf<typeof VoteCheck>>();
    for (const key of asked) {
      const check = VoteCheck.safeParse(answered.get(key));
      if (!check.success) return unanswered(key);
      checks.set(key, check.data);
    }
    return { success: true, data: checks };
  },
});

const unanswered = (key: string) => ({
  success: false as const,
  error: { issues: [{ path: ['votes', key], message: 'is missing from the answer' }] },
});
