import { isDeepStrictEqual } from 'node:util';
import { exampleOf, isExample } from '../config/example.ts';
import type { Path } from '../config/fault.ts';
import { readSource } from '../config/read-source.ts';
import { Problem } from '../core/problem.ts';
import type { Conversion, Fragment, NotConverted } from '../plugins/conversion.ts';
import type { Step, Target } from './import-steps.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};

/**
 * One step for each entry of a converted config, and one for each option that has no counterpart. What the config has
 * already stays: an entry of that name with another value is kept, and the example of a first start is replaced.
 *
 * @param servers where rewards are paid: names between commas, `all` or `where-online`; null: on the only game server.
 * @throws Problem `usage` if there are several game servers and `servers` is null.
 */
export async function conversionSteps(
  { fragment, notConverted }: Conversion,
  { text, config }: Target,
  servers: string | null,
): Promise<readonly Step[]> {
  const written = fieldsOf((await readSource(text, config.file)).value);
  const paidOn = paidOnFrom(servers, fragment, written);
  const rewards = fragment.rewards.map((entry) => onServers(entry, paidOn));
  const changed = paidOn === 'where-online' ? fragment.rewards.flatMap(waiting) : [];
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
  return Array.isArray(firstOf) ? firstOf.flatMap(namesIn) : typeof name === 'string' ? [name] : [];
};

/** Servers that run commands. */
function serverNames(written: Fields): readonly string[] {
  const present = fieldsOf(written.gameServers ?? exampleOf('gameServers'));
  return Object.entries(present).flatMap(([name, server]) =>
    fieldsOf(server).kind === 'votifier' ? [] : [name],
  );
}

type PaidOn = readonly string[] | 'all' | 'where-online';

function paidOnFrom(servers: string | null, { rewards }: Fragment, written: Fields): PaidOn | null {
  if (servers === 'all' || servers === 'where-online') return servers;
  if (servers !== null)
    return servers
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  const names = serverNames(written);
  if (names.length < 2 || rewards.length === 0) return null;
  throw new Problem(
    'usage',
    `the config has several game servers (${names.join(', ')}): say with --servers where rewards are paid, such as --servers ${names[0]}, --servers all or --servers where-online`,
  );
}

/** Where its player is online, a reward waits until it is known where that is. */
function onServers(entry: object, servers: PaidOn | null): object {
  if (servers === null) return entry;
  const { when, ...rest } = fieldsOf(entry);
  return servers === 'where-online' ? { ...rest, servers } : { ...entry, servers };
}

/** Rewards that the plugin pays at once, and that wait here until it is known where the player is. */
function waiting(entry: object): readonly NotConverted[] {
  const { name, when } = fieldsOf(entry);
  if (when !== 'always') return [];
  const why =
    'with where-online, it waits until its player is online; to pay it at once, name its game server in `servers` and add `"when": "always"`';
  return [{ what: `when of reward ${name}`, why }];
}
