import path from 'node:path';
import { rewriteConfig, withEntry } from '../config/edit.ts';
import { ConfigProblem } from '../config/fault.ts';
import { examineText, readConfigText } from '../config/load.ts';
import { changedLines, maskSecrets } from '../config/shown-change.ts';
import { printableJson } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { canBeListed, DEFAULT_SITE, matchSite } from '../intake/sites.ts';

/** An edit of the config that gives services windows of their own, judged and not yet written. */
export interface SitesAddition {
  /** Absolute path of the config. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly added: readonly string[];
  /** Names that had an entry before. */
  readonly present: readonly string[];
  /** The lines that change, with secrets masked. */
  readonly diff: readonly string[];
}

/**
 * Plans an entry in `sites` for each of these service names, in their order.
 * @throws ConfigProblem where the config is wrong, or would be with the entries; Problem `config-missing`, `usage`
 */
export async function planSites(configFile: string, names: readonly string[]): Promise<SitesAddition> {
  const file = path.resolve(configFile);
  const before = await readConfigText(file);
  const { sites } = await sound(before, file);
  for (const name of names) requireListable(name);
  const isPresent = (name: string): boolean => matchSite(sites, name).isListed;
  const added = [...new Set(names)].filter((name) => !isPresent(name));
  const after = added.reduce((text, name) => withEntry(text, ['sites'], name, {}), before);
  await sound(after, file);
  const diff = changedLines(maskSecrets(before), maskSecrets(after));
  return { file, before, after, added, present: [...new Set(names)].filter(isPresent), diff };
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

/** Before anything is planned: the faults of such a config would name lines that no file has. */
function requireListable(name: string): void {
  if (canBeListed(serviceNameOf(name))) return;
  const sentence =
    serviceNameOf(name) === DEFAULT_SITE
      ? '`default` stands for all services without an entry; no listing can have that name'
      : `${printableJson(name)} cannot have an entry in \`sites\`: the name is longer than ${SERVICE_NAME_MAX} characters, or the config reads such a key as something else; its votes stay under \`default\``;
  throw new Problem('usage', sentence);
}

async function sound(text: string, file: string) {
  const { config, faults } = await examineText(text, file);
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
}
