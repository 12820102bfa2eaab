import { type Change, changesBetween } from '../config/changes.ts';
import { type Config, Secret } from '../config/config.ts';
import { pathText } from '../config/fault.ts';
import { loadConfig } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { liveEntries } from './control/client.ts';
import { controlFolder } from './control/place.ts';
import { type Entry, keyPairChange, marksOf } from './control/published.ts';

/** A running process whose config differs from its file (rule 15). */
export interface OlderConfig {
  readonly pid: number;
  /** When it loaded its config, in milliseconds since the Unix epoch. */
  readonly loadedAt: number;
  readonly configFile: string;
  /** What a reload or a restart would change; never of kind `unknown`. */
  readonly changes: readonly Change[];
  /** Keys that cannot be compared, because their secrets are not available here. */
  readonly unknown: readonly string[];
}

/** Every process that uses this ledger and whose config differs from its file. */
export async function olderConfigs(
  config: Config,
  folder = controlFolder(config.ledger),
): Promise<readonly OlderConfig[]> {
  const entries = await liveEntries(folder);
  const compared = await Promise.all(
    entries.map(async (entry) => compare(entry, await fileOf(entry, config))),
  );
  return compared.filter(({ changes }) => changes.length > 0);
}

/**
 * Only the processes in which a reload would change something. A command that reloads for its own change also applies
 * these, so the operator sees them first.
 */
export const olderByReload = async (config: Config): Promise<readonly OlderConfig[]> =>
  (await olderConfigs(config)).filter(({ changes }) => changes.some(({ needsRestart }) => !needsRestart));

/** A second process on this ledger has its own config file, with another port. If that cannot be read, uses this one. */
const fileOf = async ({ published: { configFile } }: Entry, config: Config): Promise<Config> =>
  configFile === config.file
    ? config
    : loadConfig(configFile, { missingSecrets: 'defer' }).catch(() => config);

async function compare({ published }: Entry, { settings, keys }: Config): Promise<OlderConfig> {
  const { pid, loadedAt, configFile, key, marks } = published;
  const running = new Map(marks.map((one) => [pathText(one.path), one]));
  const found = changesBetween(running, marksOf(settings, key));
  const isKnown = found.some((change) => change.key === 'keys');
  const changes = [
    ...found.filter(({ kind }) => kind !== 'unknown').map((change) => atRestart(change, settings)),
    ...(isKnown ? [] : await keyPairChange(keys, published)),
  ];
  const unknown = found.filter(({ kind }) => kind === 'unknown').map((change) => change.key);
  return { pid, loadedAt, configFile, changes, unknown };
}

/** A new value of an environment variable never reaches a process that is already running. */
function atRestart(change: Change, settings: Settings): Change {
  const value = settings.get(change.key)?.value;
  return value instanceof Secret && value.isFromEnvironment ? { ...change, needsRestart: true } : change;
}
