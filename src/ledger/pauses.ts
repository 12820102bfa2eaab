/** The operator's pauses. They are kept when they are over, because grants do not expire meanwhile. */
import type { Pause, PauseScope } from '../core/pause.ts';
import type { Tx } from '../db/db.ts';

/** `already-paused`: nothing was changed; `pause` is the one that lasts. */
export interface Paused {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/** `pause`: the one that is over now. */
export type Resumed = { readonly kind: 'resumed'; readonly pause: Pause } | { readonly kind: 'not-paused' };

const PAUSES = 'pauses';

/** Those that last, oldest first. Nothing that they stop is read as payable or claimed. */
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
  await tx.run('INSERT INTO pauses (server, reward, paused_at, paused_by) VALUES ($1, $2, $3, $4)', [
    ...[server, reward, now, by],
  ]);
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
