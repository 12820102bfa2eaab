import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SCHEMA_FILE } from '../config/first-start.ts';
import { type Channel, STAND_IN_SERVICE } from '../core/vote.ts';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Teller's own credentials that no listing uses: a first start created them, and no vote has used them. Only these may be
 * replaced, because a listing that uses the old ones would be refused from then on.
 */
export interface Unused {
  readonly pair: (files: readonly string[]) => Promise<boolean>;
  readonly token: (file: string) => Promise<boolean>;
  /** Whether v1 votes were counted. */
  readonly hasV1Votes: boolean;
}

/** With this many votes the ledger is clearly in use, so older votes are not read. */
const VOTES_LOOKED_AT = 1_000;

/** @param ledger null if there is none, and so no vote either */
export async function unusedCredentials(configFile: string, ledger: Ledger | null): Promise<Unused> {
  const votes = (await ledger?.votes({ limit: VOTES_LOOKED_AT })) ?? [];
  const isBusy = votes.length === VOTES_LOOKED_AT;
  // `teller send` is the operator, not a listing.
  const fromListings = votes.filter(({ service }) => service !== STAND_IN_SERVICE);
  const wasUsed = (channel: Channel): boolean =>
    isBusy || fromListings.some((vote) => vote.channel === channel);
  const schema = path.join(path.dirname(configFile), SCHEMA_FILE);
  return {
    pair: async (files) => !wasUsed('listener-v1') && (await areFromFirstStart(files, schema)),
    token: async (file) => !wasUsed('listener-v2') && (await areFromFirstStart([file], schema)),
    hasV1Votes: wasUsed('listener-v1'),
  };
}

/** A first start writes its files in sequence, and generating an RSA pair takes seconds on a slow machine. */
const FIRST_START_MS = 60_000;

/** Only a first start writes the schema, so files that the operator put there have another time. */
async function areFromFirstStart(files: readonly string[], schema: string): Promise<boolean> {
  const [started, ...times] = await Promise.all([schema, ...files].map(writtenAt));
  if (started === null || started === undefined) return false;
  return times.every((time) => time === null || Math.abs(time - started) <= FIRST_START_MS);
}

const writtenAt = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
