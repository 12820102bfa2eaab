import { Problem, type ProblemCode } from '../../core/problem.ts';
import type { Request } from './calls.ts';

/** To the thread of a database: first what it opens, in plain values, then batches, then `close`. */
export type ToThread = { readonly open: unknown } | { readonly requests: readonly Request[] } | 'close';

/** From it. It begins with `opened` or `refused`, and answers each batch. */
export type FromThread =
  | { readonly kind: 'opened'; readonly facts: unknown }
  | { readonly kind: 'refused'; readonly fault: Fault }
  | { readonly kind: 'answered'; readonly answers: readonly SentAnswer[]; readonly news: readonly unknown[] }
  | { readonly kind: 'closed' };

export type SentAnswer = { readonly value: unknown } | { readonly fault: Fault };

/** An error without its class, which is lost between threads. */
export interface Fault {
  /** null for a bug. */
  readonly code: ProblemCode | null;
  readonly message: string;
  readonly stack: string | undefined;
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { code: null, message: String(error), stack: undefined };
  const { message, stack } = error;
  return { code: error instanceof Problem ? error.code : null, message, stack };
}

export function errorOf({ code, message, stack }: Fault): Error {
  const error = code === null ? new Error(message) : new Problem(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
