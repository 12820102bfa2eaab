/** What a ledger keeps of itself: single values such as its time zone, the operator's pauses, and who changed what by hand. */
import type { Pause, PauseScope } from '../core/pause.ts';
import { insertRows, type Tx, valueFrom } from '../db/db.ts';
import { idOf } from './facts.ts';

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
  /** How often the clock began to be doubted, or to be trusted again. */
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

export const metaNumber = (tx: Tx, name: MetaNumber): Promise<number | null> =>
  valueFrom<number>(tx, 'SELECT number AS value FROM meta WHERE name = $1', [name]);

export const metaText = (tx: Tx, name: MetaText): Promise<string | null> =>
  valueFrom<string>(tx, 'SELECT text AS value FROM meta WHERE name = $1', [name]);

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
  const sql = `INSERT INTO meta (name, number) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET number = meta.number + 1
    RETURNING number AS value`;
  return (await valueFrom<number>(tx, sql, [name])) ?? 0;
}

/** A change by an operator, an import or a game server. */
interface Action {
  readonly kind: string;
  readonly at: number;
  /** Empty where only Teller itself does so. */
  readonly by: string;
  readonly voteId?: number;
  readonly grantId?: number;
  readonly playerId?: number;
  readonly nameId?: number;
  readonly facts?: string;
}

/** @returns the ID of the action. */
export async function noteAction(tx: Tx, action: Action): Promise<number> {
  const { kind, at, by, voteId, grantId, playerId, nameId, facts } = action;
  const about = [voteId, grantId, playerId, nameId, facts].map((each) => each ?? null);
  const insert =
    'INSERT INTO actions (kind, at, by, vote_id, grant_id, player_id, name_id, facts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)';
  return await idOf(tx, insert, [kind, at, by, ...about]);
}

/** `already-paused`: nothing was changed; `pause` is the one that lasts. */
export interface Paused {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/** `pause`: the one that is over now. */
export type Resumed = { readonly kind: 'resumed'; readonly pause: Pause } | { readonly kind: 'not-paused' };

const PAUSES = 'pauses';

/**
 * Those that last, oldest first. Nothing that they stop is read as payable or claimed. They are kept when they are over, because grants
 * do not expire meanwhile.
 */
export const pauses = (tx: Tx): Promise<readonly Pause[]> =>
  tx.memo(PAUSES, () =>
    tx.all<Pause>(
      'SELECT server, reward, paused_at AS at, paused_by AS by FROM pauses WHERE resumed_at IS NULL ORDER BY id',
    ),
  );

const ofScope = async (tx: Tx, { server, reward }: PauseScope): Promise<Pause | undefined> =>
  (await pauses(tx)).find((each) => each.server === server && each.reward === reward);

/** From now on no command is claimed in this scope; one that is being sent ends as any other. */
export async function pause(tx: Tx, scope: PauseScope, by: string, now: number): Promise<Paused> {
  const lasting = await ofScope(tx, scope);
  if (lasting !== undefined) return { kind: 'already-paused', pause: lasting };
  const { server, reward } = scope;
  await insertRows(tx, 'pauses (server, reward, paused_at, paused_by)', [[server, reward, now, by]]);
  tx.forget(PAUSES);
  return { kind: 'paused', pause: { server, reward, at: now, by } };
}

/** Ends the pause of exactly this scope. */
export async function resume(tx: Tx, scope: PauseScope, now: number): Promise<Resumed> {
  const lasting = await ofScope(tx, scope);
  if (lasting === undefined) return { kind: 'not-paused' };
  // A clock that was set back meanwhile must not end a pause before it began.
  await tx.run(
    `UPDATE pauses SET resumed_at = $1
     WHERE resumed_at IS NULL AND coalesce(server, '') = $2 AND coalesce(reward, '') = $3`,
    [Math.max(now, lasting.at), scope.server ?? '', scope.reward ?? ''],
  );
  tx.forget(PAUSES);
  return { kind: 'resumed', pause: lasting };
}
