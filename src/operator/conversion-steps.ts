import { isDeepStrictEqual } from 'node:util';
import { exampleOf, isExample } from '../config/example.ts';
import type { Path } from '../config/fault.ts';
import { readSource } from '../config/read-source.ts';
import type { Conversion, Fragment } from '../plugins/conversion.ts';
import { onServers, type PaidOn } from './conversion-servers.ts';
import type { Step, Target } from './import-steps.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};

/**
 * One step for each entry of a converted config, and one for each option that has no counterpart. What the config has
 * already stays: an entry of that name with another value is kept, and the example of a first start is replaced.
 *
 * @throws Problem `usage` if there are several game servers and `paidOn` is null.
 */
export async function conversionSteps(
  { fragment, notConverted }: Conversion,
  { text, config }: Target,
  paidOn: PaidOn | null,
): Promise<readonly Step[]> {
  const written = fieldsOf((await readSource(text, config.file)).value);
  const { rewards, changed } = onServers(fragment.rewards, paidOn, serverNames(written));
  return [
    ...Object.entries(fragment.sites).flatMap(([name, entry]) => siteSteps(name, fieldsOf(entry), written)),
    ...prefixSteps(fragment, written),
    ...rewardSteps(rewards, written),
    ...[...changed, ...notConverted].map(
      ({ what, why }): Step => ({ what, result: 'not-imported', sentence: why }),
    ),
  ];
}

const taken = (what: string, at: Path, value: unknown): Step => ({
  what,
  result: 'taken',
  sentence: `into ${at.filter((part) => typeof part === 'string').join('.')}`,
  set: { path: at, value },
});

const same = (what: string): Step => ({ what, result: 'same', sentence: 'as in the config' });

const kept = (what: string): Step => ({
  what,
  result: 'kept',
  sentence: 'the config has another one; change it there if you want the plugin’s',
});

/** Entries that exist, such as those with the token of the old listener, get the keys that they lack. */
function siteSteps(name: string, entry: Fields, written: Fields): readonly Step[] {
  const present = fieldsOf(written.sites)[name];
  if (present === undefined) return [taken(`site ${name}`, ['sites', name], entry)];
  const ofExample = fieldsOf(fieldsOf(exampleOf('sites'))[name]);
  return Object.entries(entry).map(([key, value]) => {
    const what = `${key} of site ${name}`;
    const now = fieldsOf(present)[key];
    if (isDeepStrictEqual(now, value)) return same(what);
    if (now === undefined) return taken(what, ['sites', name, key], value);
    const replaced: Step = { ...taken(what, ['sites', name, key], value), result: 'replaced' };
    return isDeepStrictEqual(now, ofExample[key]) ? replaced : kept(what);
  });
}

function prefixSteps({ players }: Fragment, written: Fields): readonly Step[] {
  const current = fieldsOf(written.players).bedrockPrefixes ?? fieldsOf(exampleOf('players')).bedrockPrefixes;
  const present = Array.isArray(current) ? current.map(String) : [];
  return (players?.bedrockPrefixes ?? []).map((prefix) => {
    const what = `Bedrock prefix ${prefix}`;
    if (present.includes(prefix)) return same(what);
    return taken(what, ['players', 'bedrockPrefixes'], [...present, prefix]);
  });
}

/** Adds rewards at the end of the list. Those of a first start are removed before. */
function rewardSteps(rewards: readonly object[], written: Fields): readonly Step[] {
  if (rewards.length === 0) return [];
  const isFresh = isExample('rewards', written);
  const list: readonly unknown[] = isFresh || !Array.isArray(written.rewards) ? [] : written.rewards;
  const names = new Set(list.flatMap(namesIn));
  let length = list.length;
  const steps = rewards.map((entry): Step => {
    const what = `reward ${namesIn(entry).join(', ')}`;
    if (list.some((each) => isDeepStrictEqual(each, entry))) return same(what);
    if (namesIn(entry).some((name) => names.has(name))) return kept(what);
    length += 1;
    const isFirst = length === 1 && !isFresh;
    return isFirst ? taken(what, ['rewards'], [entry]) : taken(what, ['rewards', length - 1], entry);
  });
  return isFresh ? [NO_EXAMPLES, ...steps] : steps;
}

const NO_EXAMPLES: Step = {
  what: 'rewards thanks, each-vote, daily',
  result: 'replaced',
  sentence: 'the examples of the first start were removed',
  set: { path: ['rewards'], value: [] },
};

const namesIn = (entry: unknown): readonly string[] => {
  const { name, firstOf } = fieldsOf(entry);
  if (Array.isArray(firstOf)) return firstOf.flatMap(namesIn);
  return typeof name === 'string' ? [name] : [];
};

/** Servers that run commands. */
function serverNames(written: Fields): readonly string[] {
  const present = fieldsOf(written.gameServers ?? exampleOf('gameServers'));
  return Object.entries(present).flatMap(([name, server]) =>
    fieldsOf(server).kind === 'votifier' ? [] : [name],
  );
}
