import type { Config } from '../../config/config.ts';
import { localDay } from '../../core/local-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Party } from '../../rewards/reward.ts';
import { leftUntil } from '../../rewards/together.ts';

/** How far a party of the config is. */
export interface PartyState {
  readonly party: string;
  /** Of the party that is reached next. */
  readonly number: number;
  /** Votes that have counted for it. */
  readonly votes: number;
  readonly left: number;
  readonly every: number;
  /** Who is paid. */
  readonly for: Party['for'];
  /** The count starts again with each of these periods; null: never. */
  readonly reset: Party['reset'];
}

export async function partyStates(
  ledger: Pick<Ledger, 'partyProgress' | 'timeZone'>,
  { party }: Pick<Config, 'party'>,
  now: number,
): Promise<readonly PartyState[]> {
  const today = localDay(now, await ledger.timeZone());
  const progress = await ledger.partyProgress();
  return party.map((each) => {
    const stored = progress.find((one) => one.party === each.name) ?? null;
    const left = leftUntil(each, stored, today);
    const { name, every, reset } = each;
    return {
      party: name,
      number: stored?.number ?? 1,
      votes: Math.max(0, every - left),
      left,
      every,
      for: each.for,
      reset,
    };
  });
}
