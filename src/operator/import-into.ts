import path from 'node:path';
import type { Config } from '../config/config.ts';
import { rewritten } from '../config/edit.ts';
import type { EditStep } from '../config/edit-steps.ts';
import { exampleText, isExample } from '../config/example.ts';
import { ConfigProblem } from '../config/fault.ts';
import { SCHEMA_FILE, schemaText } from '../config/first-start.ts';
import { generateKeyPair, PRIVATE_KEY } from '../config/keys.ts';
import { examineSource, readConfigText } from '../config/load.ts';
import { readSource } from '../config/read-source.ts';
import type { ConfigSource } from '../config/source.ts';
import { freshToken, readTokenFile, tokenFileFor } from '../config/token-file.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import type { Random } from '../core/random.ts';
import { isLockHeld, lockFileOf } from '../db/lock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { FOR_ALL, isThere, OWNER_ONLY } from '../platform/write-file.ts';
import { type NewFile, writeSet } from '../platform/write-set.ts';
import { type ConfigEdit, planEdit, requireUnchanged, validConfig } from './config-edit.ts';
import { type Imported, pairFiles, type Step, type Target } from './import-steps.ts';
import { withLedgerIfThere } from './ledger-if-there.ts';
import { unusedCredentials } from './unused-credentials.ts';

export interface ImportParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly openLedger: (file: string) => Promise<Ledger>;
  /** If Teller keeps some values of its own, import the others anyway. Without it, nothing is written in that case. */
  readonly keepExisting: boolean;
  /** Plan everything and write nothing. */
  readonly dryRun?: boolean;
}

export interface ImportResultOf {
  readonly rows: readonly Imported[];
  readonly steps: readonly Step[];
  /** The config before the import. */
  readonly config: Config;
  readonly isWritten: boolean;
  /** A Teller is running with the previous config. */
  readonly isRunning: boolean;
}

/**
 * Imports what `plan` says into the config, or into the one of a first start.
 * Plans everything first, then writes all of it or nothing.
 * @throws ConfigProblem if the config would not load; Problem `data-unwritable`, `config-changed`
 */
export async function importInto(
  configFile: string,
  parts: ImportParts,
  plan: (target: Target) => Promise<readonly Step[]>,
): Promise<ImportResultOf> {
  const file = path.resolve(configFile);
  const isNew = !(await isThere(file));
  const text = isNew ? exampleText : await readConfigText(file);
  const { config, faults } = await examineSource(withoutExamples(await readSource(text, file)), file);
  if (config === null) throw new ConfigProblem(file, faults);
  const unused = await withLedgerIfThere(config.ledger, parts.openLedger, (ledger) =>
    unusedCredentials(file, ledger),
  );
  const mark = isoTime(parts.clock.now()).replaceAll(/[:.]/g, '-');
  const steps = await plan({ text, config, unused, mark });
  const isBlocked = !parts.keepExisting && steps.some(({ result }) => result === 'kept');
  const isWritten = !isBlocked && parts.dryRun !== true;
  const edits = steps.flatMap(({ set }): EditStep[] =>
    set === undefined ? [] : [{ kind: 'value', ...set }],
  );
  const edit = isBlocked ? null : await planEdit(file, text, edits);
  if (edit !== null) await validConfig(edit.after, file);
  if (edit !== null && isWritten) await write(steps, edit, isNew ? config : null, parts.random);
  const rows = steps.map((step) => rowOf(step, isBlocked));
  return { rows, steps, config, isWritten, isRunning: isLockHeld(lockFileOf(config.ledger)) };
}

/** @param first the config that is created; null: there is one. */
async function write(
  steps: readonly Step[],
  edit: ConfigEdit,
  first: Config | null,
  random: Random,
): Promise<void> {
  const files = steps.flatMap((step) => step.files ?? []);
  if (first !== null) {
    const config = { file: edit.file, text: edit.after, mode: FOR_ALL, oldTo: null };
    return await writeSet([...files, ...(await restOfFirstStart(first, files, random)), config]);
  }
  if (edit.after === edit.before) return await writeSet(files);
  await requireUnchanged(edit);
  await writeSet([...files, await rewritten(edit.file, edit.after)]);
}

/** The rewards of a first start name no game server, so with several ones they are faulty; but an import replaces them. */
function withoutExamples(written: ConfigSource): ConfigSource {
  const { value } = written;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return written;
  return isExample('rewards', { ...value }) ? { ...written, value: { ...value, rewards: [] } } : written;
}

/** The files that a first start would create and that are not imported. */
async function restOfFirstStart(
  { keys, file }: Config,
  imported: readonly NewFile[],
  random: Random,
): Promise<readonly NewFile[]> {
  const folder = path.dirname(file);
  const coming = new Set(imported.map((each) => each.file));
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

function rowOf({ what, result, sentence }: Step, isBlocked: boolean): Imported {
  const isWritten = result === 'taken' || result === 'replaced';
  return isBlocked && isWritten
    ? { what, result: 'blocked', sentence: 'not written, because Teller has its own value for another item' }
    : { what, result, sentence };
}
