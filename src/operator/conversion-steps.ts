import { isDeepStrictEqual } from 'node:util';
import { exampleOf, isExample } from '../config/example.ts';
import type { Path } from '../config/fault.ts';
import { readSource } from '../config/read-source.ts';
import type { Conversion, Fragment } from '../plugins/conversion.ts';
import { type ListKey, onServers, type PaidOn } from './conversion-servers.ts';
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
  const { entries, changed } = onServers(fragment, paidOn, serverNames(written));
  return [
    ...Object.entries(fragment.sites).flatMap(([name, entry]) => siteSteps(name, fieldsOf(entry), written)),
    ...prefixSteps(fragment, written),
    ...listSteps('reward', entries.rewards, placeIn('rewards', written)),
    ...listSteps('party', entries.party, placeIn('party', written)),
    ...listSteps('top', entries.tops, placeIn('tops', written)),
    ...listSteps('reminder', entries.remind, placeIn('remind', written)),
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

/** A list, and where it is. */
interface ListPlace {
  readonly path: Path;
  readonly list: readonly unknown[];
  /** It has the rewards of a first start, or none are written. */
  readonly isFresh: boolean;
}

function placeIn(key: ListKey, written: Fields): ListPlace {
  const isFresh = key === 'rewards' && isExample(key, written);
  const present = written[key];
  return { path: [key], list: isFresh || !Array.isArray(present) ? [] : present, isFresh };
}

/** Adds entries at the end of a list. The rewards of a first start are removed before. */
function listSteps(word: string, entries: readonly object[], place: ListPlace): readonly Step[] {
  const { path: at, list, isFresh } = place;
  if (entries.length === 0) return [];
  const names = new Set(list.flatMap(namesIn));
  let length = list.length;
  const steps = entries.map((entry): Step => {
    const what = nameOf(word, entry);
    if (list.some((each) => isDeepStrictEqual(each, entry))) return same(what);
    if (namesIn(entry).some((name) => names.has(name))) return kept(what);
    length += 1;
    const isFirst = length === 1 && !isFresh;
    const set = isFirst ? { path: at, value: [entry] } : { path: [...at, length - 1], value: entry };
    return { what, result: 'taken', sentence: `into ${at.join('.')}`, set };
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

const nameOf = (word: string, entry: object): string => `${word} ${namesIn(entry).join(', ')}`;

/** Servers that run commands. */
function serverNames(written: Fields): readonly string[] {
  const present = fieldsOf(written.gameServers ?? exampleOf('gameServers'));
  return Object.entries(present).flatMap(([name, server]) =>
    fieldsOf(server).kind === 'votifier' ? [] : [name],
  );
}
