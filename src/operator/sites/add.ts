import type { Config } from '../../config/config.ts';
import { rewriteConfig, withEntry } from '../../config/edit.ts';
import { ConfigProblem } from '../../config/fault.ts';
import { examineText, readConfigText } from '../../config/load.ts';
import { changedLines, maskSecrets } from '../../config/shown-change.ts';
import { Problem } from '../../core/problem.ts';
import { serviceNameOf } from '../../core/service-name.ts';
import { canBeListed, DEFAULT_SITE, matchSite } from '../../intake/sites.ts';
import type { SeenSite } from './seen.ts';

/** An edit of the config that gives services windows of their own, planned and not yet written. */
export interface SitesAddition {
  readonly kind: 'planned';
  /** Absolute path of the config. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly added: readonly string[];
  /** Names that had an entry before. */
  readonly present: readonly string[];
  /** The lines that change, with secrets masked. */
  readonly diff: readonly string[];
  /** Those of the added names that no signed vote has proven: anyone can have invented them. */
  readonly unproven: readonly UnprovenName[];
}

export interface UnprovenName {
  readonly name: string;
  /** null: no vote has come under it. */
  readonly seen: SeenSite | null;
}

/** The config would read such a key as something else: as all services without an entry, or as no service. */
export interface Unlistable {
  readonly kind: 'unlistable';
  readonly name: string;
  readonly readAs: 'default' | 'no-service';
}

/**
 * Plans an entry in `sites` for each of these service names, in their order.
 * @throws ConfigProblem where the config is wrong, or would be with the entries; Problem `config-missing`
 */
export async function planSites(
  { file }: Config,
  names: readonly string[],
  seen: readonly SeenSite[],
): Promise<SitesAddition | Unlistable> {
  const before = await readConfigText(file);
  const { sites } = await sound(before, file);
  const unlistable = names.map(unlistableIn).find((each) => each !== null);
  if (unlistable != null) return unlistable;
  const isPresent = (name: string): boolean => matchSite(sites, name).isListed;
  const added = [...new Set(names)].filter((name) => !isPresent(name));
  const after = added.reduce((text, name) => withEntry(text, ['sites'], name, {}), before);
  await sound(after, file);
  const diff = changedLines(maskSecrets(before), maskSecrets(after));
  const present = [...new Set(names)].filter(isPresent);
  return { kind: 'planned', file, before, after, added, present, diff, unproven: unprovenAmong(added, seen) };
}

const unprovenAmong = (names: readonly string[], seen: readonly SeenSite[]): readonly UnprovenName[] =>
  names
    .map((name) => ({ name, seen: seen.find(({ service }) => service === name) ?? null }))
    .filter((each) => each.seen?.proof !== 'signed');

/** Judged before anything is planned: the faults of such a config would name lines that no file has. */
function unlistableIn(name: string): Unlistable | null {
  const service = serviceNameOf(name);
  if (canBeListed(service)) return null;
  return { kind: 'unlistable', name, readAs: service === DEFAULT_SITE ? 'default' : 'no-service' };
}

/**
 * Writes the whole file or none of it.
 * @throws Problem `config-changed` where the file is no longer as it was when this was planned; `data-unwritable`
 */
export async function writeSites({ file, before, after, added }: SitesAddition): Promise<void> {
  if (added.length === 0) return;
  if ((await readConfigText(file)) !== before) {
    throw new Problem('config-changed', `${file} was changed meanwhile, so nothing was written; try again`);
  }
  await rewriteConfig(file, after);
}

async function sound(text: string, file: string) {
  const { config, faults } = await examineText(text, file);
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
}
