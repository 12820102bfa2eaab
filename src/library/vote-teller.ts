import type { CreateListener, CreateTeller, SendVote } from './api.ts';

export type * from './api.ts';

/*
 * Each is loaded when it is first called: a program that only sends votes needs neither the listener nor the driver of the
 * ledger.
 */

export const createListener: CreateListener = async (options) =>
  (await import('./listener.ts')).openListener(options);

export const createTeller: CreateTeller = async (options) =>
  (await import('./teller.ts')).openTeller(options);

export const sendVote: SendVote = async (vote, to) => (await import('./send.ts')).send(vote, to);
