import type { Roll } from '../core/decide.ts';
import type { Reason } from '../core/reason.ts';

/** Why each reward that was looked at was granted or not, as it is stored. */
export const reasonsJson = (rolls: readonly Roll[]): string | null =>
  rolls.length === 0 ? null : JSON.stringify(Object.fromEntries(rolls.map(reasonOf)));

const reasonOf = ({ reward, chance, rolled }: Roll): [string, Reason] => [
  reward,
  { code: rolled < chance ? 'granted' : 'chance', facts: { chance, rolled } },
];

/** What was drawn, of the reasons that are stored. */
export function rollsJson(reasons: string | null): string | null {
  if (reasons === null) return null;
  const rolls = Object.entries(JSON.parse(reasons) as Record<string, Reason>).flatMap(
    ([reward, { facts }]) =>
      facts !== undefined && 'rolled' in facts
        ? [{ reward, chance: facts.chance, rolled: facts.rolled }]
        : [],
  );
  return rolls.length === 0 ? null : JSON.stringify(rolls);
}
