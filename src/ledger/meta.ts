/** Single values of a ledger: the time zone, how many commands were ever claimed, up to where old data is removed. */
import type { Tx } from '../db/db.ts';

export type MetaNumber =
  /** How many commands have ever been claimed: a ledger that knows of fewer than its mark has lost its newest part. */
  | 'claims'
  /** Up to which vote what is only kept for a time was removed. */
  | 'removed-addresses'
  | 'removed-wire'
  /** Rule 9: the last vote before a config with a real game server first ran; and when the votes from this machine up to it were voided. */
  | 'practice-ended'
  | 'practice-voided'
  /** The newest receipt, by the time that was believed. */
  | 'newest-receipt'
  /** How often what is believed of the clock began anew. */
  | 'clock-era';

export type MetaText =
  /** In which days begin: an IANA name. */
  | 'zone'
  /** JSON: the doubt about this machine's clock; absent while it is trusted. */
  | 'clock-doubt'
  /** JSON: the last doubts that have ended, the latest first. */
  | 'clock-doubts'
  /** JSON: how far votes lag that were dated before a doubt ended, see windows.ts. */
  | 'clock-lags';

export async function metaNumber(tx: Tx, name: MetaNumber): Promise<number | null> {
  return (
    (await tx.get<{ number: number }>('SELECT number FROM meta WHERE name = $1', [name]))?.number ?? null
  );
}

export async function metaText(tx: Tx, name: MetaText): Promise<string | null> {
  return (await tx.get<{ text: string }>('SELECT text FROM meta WHERE name = $1', [name]))?.text ?? null;
}

export const setMetaNumber = (tx: Tx, name: MetaNumber, number: number): Promise<number> =>
  tx.run(
    'INSERT INTO meta (name, number) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET number = excluded.number',
    [name, number],
  );

export const setMetaText = (tx: Tx, name: MetaText, text: string): Promise<number> =>
  tx.run(
    'INSERT INTO meta (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text',
    [name, text],
  );

/** In which days begin: an IANA name. Of a ledger that no config has run on: UTC. */
export const timeZone = async (tx: Tx): Promise<string> => (await metaText(tx, 'zone')) ?? 'UTC';

/** One more. @returns how many there are now. */
export async function countUp(tx: Tx, name: MetaNumber): Promise<number> {
  const row = await tx.get<{ number: number }>(
    `INSERT INTO meta (name, number) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET number = meta.number + 1
     RETURNING number`,
    [name],
  );
  return row?.number ?? 0;
}
