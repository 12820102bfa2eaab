import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { editorOf } from '../config/edit.ts';
import { exampleText } from '../config/example.ts';
import { ConfigProblem } from '../config/fault.ts';
import { SCHEMA_FILE, schemaText } from '../config/first-start.ts';
import { generateKeyPair, PRIVATE_KEY } from '../config/keys.ts';
import { examineText, readConfigText } from '../config/load.ts';
import { freshToken, readTokenFile, tokenFileFor } from '../config/token-file.ts';
import type { PluginSetup } from '../config/votifier-plugin.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { isoTime } from '../core/instant.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { FOR_ALL, isThere, OWNER_ONLY } from '../runtime/write-file.ts';
import { type NewFile, writeSet } from '../runtime/write-set.ts';
import { isLockHeld, lockFileOf } from '../sqlite/lock.ts';
import { type Imported, importSteps, pairFiles, type Step } from './import-steps.ts';
import { withLedgerIfThere } from './ledger-if-there.ts';
import { unusedCredentials } from './unused-credentials.ts';

export interface ImportParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly openLedger: (file: string) => Promise<Ledger>;
  /** If Teller keeps some values of its own, import the others anyway. Without it, nothing is written in that case. */
  readonly keepExisting: boolean;
}

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
  const file = path.resolve(configFile);
  const isNew = !(await isThere(file));
  const text = isNew ? exampleText : await readConfigText(file);
  const config = await soundConfig(text, file);
  const unused = await withLedgerIfThere(config.ledger, parts.openLedger, (ledger) =>
    unusedCredentials(file, ledger),
  );
  const mark = isoTime(parts.clock.now()).replaceAll(/[:.]/g, '-');
  const steps = await importSteps(setup, { text, config, unused, mark });
  const isBlocked = !parts.keepExisting && steps.some(({ result }) => result === 'kept');
  if (!isBlocked) {
    const edited = steps.reduce(
      (so, { set }) => (set ? editorOf(file).withValue(so, set.path, set.value) : so),
      text,
    );
    await soundConfig(edited, file);
    await writeSet([
      ...steps.flatMap(({ files = [] }) => files),
      ...(isNew ? await restOfFirstStart(config, steps, parts.random) : []),
      ...(isNew || edited !== text ? [await configAs(file, edited)] : []),
    ]);
  }
  return {
    rows: steps.map((step) => rowOf(step, isBlocked)),
    isWritten: !isBlocked,
    isComplete: isComplete(setup, config, steps),
    isRunning: isLockHeld(lockFileOf(config.ledger)),
  };
}

async function soundConfig(text: string, file: string): Promise<Config> {
  const { config, faults } = await examineText(text, file);
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
}

/** The files that a first start would create and that the plugin does not provide. */
async function restOfFirstStart(
  { keys, file }: Config,
  steps: readonly Step[],
  random: Random,
): Promise<readonly NewFile[]> {
  const folder = path.dirname(file);
  const coming = new Set(steps.flatMap(({ files = [] }) => files.map((each) => each.file)));
  const token = path.join(folder, tokenFileFor('default'));
  const privateKey = path.join(keys, PRIVATE_KEY);
  const hasToken = coming.has(token) || (await readTokenFile(token)) !== null;
  const hasPair = coming.has(privateKey) || (await isThere(privateKey));
  return [
    ...(hasToken ? [] : [{ file: token, text: `${freshToken(random)}\n`, mode: OWNER_ONLY, oldTo: null }]),
    ...(hasPair ? [] : pairFiles(keys, await generateKeyPair(), null)),
    { file: path.join(folder, SCHEMA_FILE), text: schemaText(), mode: FOR_ALL, oldTo: null },
  ];
}

/** Keeps the config's permissions and follows a symbolic link. */
async function configAs(file: string, text: string): Promise<NewFile> {
  if (!(await isThere(file))) return { file, text, mode: FOR_ALL, oldTo: null };
  const target = await realpath(file);
  const { mode } = await stat(target);
  return { file: target, text, mode: mode & 0o777, oldTo: null };
}

function rowOf({ what, result, sentence }: Step, isBlocked: boolean): Imported {
  const isWritten = result === 'taken' || result === 'replaced';
  return isBlocked && isWritten
    ? { what, result: 'blocked', sentence: 'not written, because Teller has its own value for another item' }
    : { what, result, sentence };
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
