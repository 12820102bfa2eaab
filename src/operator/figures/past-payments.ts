import { DAY_MS } from '../../core/duration.ts';
import { countText } from '../../core/list-text.ts';
import type { Ledger, RewardSum } from '../../ledger/ledger.ts';

/** What rewards, parties and tops were granted in the last four weeks, by their names. */
export type PastPayments = ReadonlyMap<string, Omit<RewardSum, 'reward'>>;

const NOTHING = { grants: 0, delivered: 0 };

const PAST_DAYS = 28;
/** Reading so many takes some ms. */
const GRANTS_AT_ONCE = 5_000;

export async function pastPayments(
  ledger: Pick<Ledger, 'firstGrants' | 'rewardSums'>,
  now: number,
): Promise<PastPayments> {
  const times = [now - PAST_DAYS * DAY_MS, Number.MAX_SAFE_INTEGER];
  const [first = 1, next = 1] = await ledger.firstGrants(times);
  const sums = new Map<string, Omit<RewardSum, 'reward'>>();
  for (let from = first; from < next; from += GRANTS_AT_ONCE) {
    const range = { from, to: Math.min(from + GRANTS_AT_ONCE, next) - 1 };
    for (const { reward, grants, delivered } of await ledger.rewardSums(range)) {
      const before = pastOf(sums, reward);
      sums.set(reward, { grants: before.grants + grants, delivered: before.delivered + delivered });
    }
  }
  return sums;
}

export const pastOf = (past: PastPayments, reward: string): Omit<RewardSum, 'reward'> =>
  past.get(reward) ?? NOTHING;

const timesText = (times: number): string => (times === 1 ? 'once' : countText(times, 'time'));

/** `paid 1,204 times in the past 28 days, of 1,210 grants` */
export function pastText(past: PastPayments, reward: string): string {
  const { grants, delivered } = pastOf(past, reward);
  const times = `paid ${timesText(delivered)} in the past ${PAST_DAYS} days`;
  return delivered === grants ? times : `${times}, of ${countText(grants, 'grant')}`;
}
