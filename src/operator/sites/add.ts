import type { Config } from '../../config/config.ts';
import { readConfigText } from '../../config/load.ts';
import type { Cooldown } from '../../core/cooldown.ts';
import { durationText } from '../../core/duration.ts';
import { nearestWord } from '../../core/nearest-word.ts';
import { DEFAULT_SITE, serviceNameOf } from '../../core/service-name.ts';
import { canBeListed, matchSite } from '../../votes/sites.ts';
import { type ConfigEdit, planEdit, validConfig, writeEdit } from '../config-edit.ts';
import { type KnownList, knownList } from './known-lists.ts';
import type { SeenSite } from './seen.ts';

/** A planned edit of the config that gives services their own windows. */
export interface SitesAddition extends ConfigEdit {
  readonly kind: 'planned';
  readonly added: readonly string[];
  /** Names that already had an entry. */
  readonly present: readonly string[];
  /** The added names to ask about: nobody has proven them, or they are spelt like a listed one. */
  readonly doubtful: readonly DoubtfulName[];
  /** What is publicly known about the added names. */
  readonly known: readonly KnownFacts[];
}

/** A known list, and what of it was written into its entry. */
export interface KnownFacts {
  readonly list: KnownList;
  readonly written: { readonly cooldown?: string; readonly url?: string };
}

export interface DoubtfulName {
  readonly name: string;
  /** null: no vote had this name. Without a signed vote, anyone could have invented it. */
  readonly seen: SeenSite | null;
  /** A listed name that is spelt like it; of a name that a signed vote has proven, only if capital letters alone differ. */
  readonly nearly: string | null;
}

/** A key that the config would not read as this service. */
export interface Unlistable {
  readonly kind: 'unlistable';
  readonly name: string;
  /** `default`: as every service without an entry. */
  readonly readAs: 'default' | 'no-service';
}

/**
 * Plans an entry in `sites` for each of these service names, in this order. Those that have one already get this vote page.
 * @throws ConfigProblem if the config has errors, or would have with the entries; Problem `config-missing`
 */
export async function planSites(
  { file }: Config,
  names: readonly string[],
  seen: readonly SeenSite[],
  url: string | null = null,
): Promise<SitesAddition | Unlistable> {
  const before = await readConfigText(file);
  const { sites } = await validConfig(before, file);
  const unlistable = names.map(unlistableIn).find((each) => each !== null);
  if (unlistable != null) return unlistable;
  const isPresent = (name: string): boolean => matchSite(sites, name).isListed;
  const added = [...new Set(names)].filter((name) => !isPresent(name));
  const present = [...new Set(names)].filter(isPresent);
  const inherited = matchSite(sites, DEFAULT_SITE).entry.cooldown;
  const known = added.flatMap((name) => {
    const list = knownList(name);
    return list === null ? [] : [{ list, written: writtenOf(list, inherited, url) }];
  });
  const entryOf = (name: string): object =>
    known.find(({ list }) => list.service === serviceNameOf(name))?.written ?? (url === null ? {} : { url });
  const moved = url === null ? [] : present.map((name) => matchSite(sites, name).key);
  const edit = await planEdit(file, before, [
    ...added.map((key) => ({ kind: 'entry', section: ['sites'], key, value: entryOf(key) }) as const),
    ...moved.map((site) => ({ kind: 'value', path: ['sites', site, 'url'], value: url }) as const),
  ]);
  await validConfig(edit.after, file);
  return {
    kind: 'planned',
    ...edit,
    added,
    present,
    doubtful: doubtfulAmong(added, seen, [...sites.keys()]),
    known,
  };
}

/** Of the window, only what differs from that of `default`, which an entry inherits. */
function writtenOf({ windowMs }: KnownList, inherited: Cooldown, url: string | null): KnownFacts['written'] {
  const isInherited = windowMs === null || (inherited.kind === 'span' && inherited.ms === windowMs);
  return {
    ...(isInherited || inherited.kind === 'day' ? {} : { cooldown: durationText(windowMs).replace(' ', '') }),
    ...(url === null ? {} : { url }),
  };
}

/** Each is also compared with those before it. */
const doubtfulAmong = (
  names: readonly string[],
  seen: readonly SeenSite[],
  listed: readonly string[],
): readonly DoubtfulName[] =>
  names
    .map((name, at) => {
      const found = seen.find(({ service }) => service === name) ?? null;
      const others = [...listed, ...names.slice(0, at)].filter((other) => other !== DEFAULT_SITE);
      const twin = others.find((other) => foldedName(other) === foldedName(name)) ?? null;
      return { name, seen: found, nearly: isSigned(found) ? twin : (twin ?? nearestWord(name, others)) };
    })
    .filter((each) => !isSigned(each.seen) || each.nearly !== null);

const isSigned = (seen: SeenSite | null): boolean => seen?.proof === 'signed';

const foldedName = (name: string): string => serviceNameOf(name).toLowerCase();

/** Checked before planning: errors in the planned config would name lines that the file does not have. */
function unlistableIn(name: string): Unlistable | null {
  const service = serviceNameOf(name);
  if (canBeListed(service)) return null;
  return { kind: 'unlistable', name, readAs: service === DEFAULT_SITE ? 'default' : 'no-service' };
}

interface CarryingOut<Reloaded> {
  /** Remembers in the ledger that these names got an entry. */
  readonly note: (added: readonly string[]) => Promise<unknown>;
  readonly reload: () => Promise<Reloaded>;
}

/**
 * Writes the entries and applies them.
 * @throws Problem `config-changed` if the file changed after this was planned; `data-unwritable`
 */
export async function carryOut<Reloaded>(
  plan: SitesAddition,
  { note, reload }: CarryingOut<Reloaded>,
): Promise<Reloaded> {
  // Before the config, so that what waits is not forgotten if this ends in between.
  await note(plan.added);
  await writeEdit(plan);
  return reload();
}
