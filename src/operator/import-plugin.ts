import type { Config } from '../config/config.ts';
import type { PluginSetup } from '../config/votifier-plugin.ts';
import { type ImportParts, importInto } from './import-into.ts';
import { type Imported, importSteps, type Step } from './import-steps.ts';

export interface ImportOutcome {
  readonly rows: readonly Imported[];
  /** No listing has to change anything: Teller has every key and token that the listings use. */
  readonly isComplete: boolean;
  readonly isWritten: boolean;
  /** A Teller is running with the previous config. */
  readonly isRunning: boolean;
}

/**
 * Imports the plugin's keys, tokens, port and protocols, so that no listing needs new ones. Never overwrites a key or
 * token of Teller's that a listing may use. Plans everything first, then writes all of it or nothing.
 * @throws ConfigProblem if the config would not load; Problem `data-unwritable`
 */
export async function importPlugin(
  setup: PluginSetup,
  configFile: string,
  parts: ImportParts,
): Promise<ImportOutcome> {
  const imported = await importInto(configFile, parts, (target) => importSteps(setup, target));
  const { rows, steps, config, isWritten, isRunning } = imported;
  return { rows, isWritten, isRunning, isComplete: isComplete(setup, config, steps) };
}

const NOTHING_LEFT_TO_DO: readonly Step['result'][] = ['taken', 'replaced', 'same', 'not-imported'];

/** False also if the plugin lacks what its protocols need: perhaps it never started, or this is the wrong folder. */
const isComplete = (
  { pair, acceptsV1, tokens }: PluginSetup,
  { sites }: Config,
  steps: readonly Step[],
): boolean =>
  steps.every(({ result }) => NOTHING_LEFT_TO_DO.includes(result)) &&
  (acceptsV1 ? pair !== null : tokens.size > 0) &&
  [...sites.values()].every(({ protocols, isFrom }) => protocols === null && isFrom === null);
