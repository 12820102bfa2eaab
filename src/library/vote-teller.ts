import type { CreateListener, SendVote } from './api.ts';

export type * from './api.ts';

/*
 * Each is loaded when it is first called: a program that only sends votes does not need the listener.
 */

export const createListener: CreateListener = async (options) =>
  (await import('./listener.ts')).openListener(options);

export const sendVote: SendVote = async (vote, to) => (await import('./send.ts')).send(vote, to);
