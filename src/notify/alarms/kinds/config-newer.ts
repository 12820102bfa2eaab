import type { ConfigNews } from '../../../core/config-news.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind, Around } from '../kind.ts';

type Facts = ConfigNews;

const judgeConfig = (known: Around['configNews']): Seen<Facts> =>
  known === null
    ? { subject: null, state: 'over', facts: {} }
    : { subject: null, state: 'holds', since: known.since, facts: known.news };

/** At most this many keys are named. */
const SHOWN = 5;

function keysText(keys: readonly string[]): string {
  const rest = keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '';
  return keys.slice(0, SHOWN).join(', ') + rest;
}

export const configNewer: AlarmKind<Facts> = {
  code: 'config-newer',
  means:
    'For 10 minutes, the config file has been newer than what runs: it was not reloaded, or has problems.',
  lastsMs: 10 * 60_000,
  watch: () => async (around) => [judgeConfig(around.configNews)],
  began: ({ since, facts }, say) =>
    `${facts.file} was changed at ${say(since)}, and Teller still runs the earlier config. ${differenceText(facts)}`,
  toDo: ({ facts }) =>
    facts.kind === 'newer' ? `To apply it: ${facts.toDo}.` : 'See `teller check`, then run `teller reload`.',
  ended: () => 'Teller runs what the config file says.',
};

function differenceText(facts: Facts): string {
  if (facts.kind === 'newer') return `Changed: ${keysText(facts.keys)}.`;
  if (facts.faults === 0) return `It cannot be reloaded (${facts.code}).`;
  const faults = facts.faults === 1 ? '1 problem' : `${facts.faults} problems`;
  return `The file has ${faults}, so Teller would not start with it.`;
}
