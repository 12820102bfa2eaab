import type { Kinds } from './calls.ts';
import type { Gathering } from './gathering.ts';

/** The calls of a database as callers see them: each is gathered into a batch and answered when that is on disk. */
export const asyncCalls = <Of>(kinds: Kinds<Of>, writer: Gathering, reader: Gathering): Of =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      (...args: readonly unknown[]) => (kind === 'read' ? reader : writer).call(name, args),
    ]),
  ) as Of;
