import type { RewardReasons } from '../../core/decide.ts';
import type { Reason } from '../../core/reason.ts';

/** Why each reward was granted or not, as it is stored; null if the config had no reward. */
export function reasonsJson(reasons: RewardReasons): string | null {
  let json = '';
  for (const [reward, reason] of reasons)
    json += `${json === '' ? '{' : ','}${quoted(reward)}:${reasonJson(reason)}`;
  return json === '' ? null : `${json}}`;
}

export const readReasons = (stored: string | null): RewardReasons =>
  new Map(Object.entries(JSON.parse(stored ?? '{}') as Record<string, Reason>));

const reasonJson = (reason: Reason): string =>
  reason.facts === undefined ? `{"code":${quoted(reason.code)}}` : JSON.stringify(reason);

const known = new Map<string, string>();

/** Names of rewards and codes are the same for every vote, and with 30 rewards quoting them again takes most of the time. */
function quoted(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const json = JSON.stringify(text);
  known.set(text, json);
  return json;
}
