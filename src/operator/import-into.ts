import path from 'node:path';
import type { Config } from '../config/config.ts';
import { rewritten } from '../config/edit.ts';
import type { EditStep } from '../config/edit-steps.ts';
import { exampleText, isExample } from '../config/example.ts';
import { ConfigProblem } from '../config/fault.ts';
import { SCHEMA_FILE, schemaText } from '../config/first-start.ts';
import { generateKeyPair, PRIVATE_KEY } from '../config/keys.ts';
import { type Examination, examineSource, examineText, readConfigText } from '../config/load.ts';
import { readSource } from '../config/read-source.ts';
import type { ConfigSource } from '../config/source.ts';
import { freshToken, readTokenFile, tokenFileFor } from '../config/token-file.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import type { Random } from '../core/random.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isLockHeld, lockFileOf } from '../platform/sqlite/lock.ts';
import { FOR_ALL, isThere, OWNER_ONLY } from '../platform/write-file.ts';
import { type NewFile, writeSet } from '../platform/write-set.ts';
import { type ConfigEdit, planEdit, requireUnchanged } from './config-edit.ts';
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
  /** Asks before a file of rewards is changed. @throws Problem `not-confirmed`, `usage` */
  readonly agree?: (edit: ConfigEdit) => Promise<void>;
}

export interface ImportResultOf {
  readonly rows: readonly Imported[];
  readonly steps: readonly Step[];
  /** The config before the import. */
  readonly config: Config;
  /** The lines of the file of rewards that change. */
  readonly rewardsDiff: readonly string[];
  readonly isWritten: boolean;
  /** A Teller is running with the previous config. */
  readonly isRunning: boolean;
}

/**
 * Imports what `plan` says into the config, or into the one of a first start, and into the file that it names for its rewards.
 * Plans everything first, then writes all of it or nothing.
 * @throws ConfigProblem if the config would not load; Problem `data-unwritable`, `config-changed`, or as `agree`
 */
export async function importInto(
  configFile: string,
  parts: ImportParts,
  plan: (target: Target) => Promise<readonly Step[]>,
): Promise<ImportResultOf> {
  const file = path.resolve(configFile);
  const isNew = !(await isThere(file));
  const text = isNew ? exampleText : await readConfigText(file);
  const config = sound(await examineSource(withoutExamples(await readSource(text, file)), file), file);
  const unused = await withLedgerIfThere(config.ledger, parts.openLedger, (ledger) =>
    unusedCredentials(file, ledger),
  );
  const mark = isoTime(parts.clock.now()).replaceAll(/[:.]/g, '-');
  const rewards = await rewardsTextOf(config);
  const rewardsInFile = rewards === null ? null : await listIn(rewards);
  const steps = await plan({ text, config, rewardsInFile, unused, mark });
  const isBlocked = !parts.keepExisting && steps.some(({ result }) => result === 'kept');
  const isWritten = !isBlocked && parts.dryRun !== true;
  const edits = isBlocked ? null : await planEdits(steps, { file, text }, rewards);
  if (edits !== null && isWritten) await write(steps, edits, isNew ? config : null, parts);
  const rows = steps.map((step) => rowOf(step, isBlocked));
  const rewardsDiff = edits?.ofRewards?.diff ?? [];
  return { rows, steps, config, rewardsDiff, isWritten, isRunning: isLockHeld(lockFileOf(config.ledger)) };
}

interface WrittenText {
  readonly file: string;
  readonly text: string;
}

const rewardsTextOf = async ({ rewardsFile: file }: Config): Promise<WrittenText | null> =>
  file === null ? null : { file, text: await readConfigText(file) };

async function listIn({ file, text }: WrittenText): Promise<readonly unknown[]> {
  const { value } = await readSource(text, file);
  return Array.isArray(value) ? value : [];
}

interface Edits {
  readonly ofConfig: ConfigEdit;
  /** null: the config has its rewards itself. */
  readonly ofRewards: ConfigEdit | null;
}

/** @throws ConfigProblem if the config would not load. */
async function planEdits(
  steps: readonly Step[],
  { file, text }: WrittenText,
  rewards: WrittenText | null,
): Promise<Edits> {
  const editsIn = (place: 'rewards-file' | undefined): readonly EditStep[] =>
    steps.flatMap(({ set }) => (set === undefined || set.in !== place ? [] : [{ kind: 'value', ...set }]));
  const ofConfig = await planEdit(file, text, editsIn(undefined));
  const ofRewards = rewards && (await planEdit(rewards.file, rewards.text, editsIn('rewards-file')));
  const rewardsText = ofRewards === null ? {} : { rewardsText: ofRewards.after };
  sound(await examineText(ofConfig.after, file, rewardsText), file);
  return { ofConfig, ofRewards };
}

/** @param first the config that is created; null: there is one. */
async function write(
  steps: readonly Step[],
  { ofConfig, ofRewards }: Edits,
  first: Config | null,
  { agree, random }: ImportParts,
): Promise<void> {
  const files = steps.flatMap((step) => step.files ?? []);
  if (first !== null) {
    const config = { file: ofConfig.file, text: ofConfig.after, mode: FOR_ALL, oldTo: null };
    return await writeSet([...files, ...(await restOfFirstStart(first, files, random)), config]);
  }
  const changed = [ofRewards, ofConfig].flatMap((edit) =>
    edit === null || edit.after === edit.before ? [] : [edit],
  );
  if (ofRewards !== null && changed.includes(ofRewards)) await agree?.(ofRewards);
  for (const edit of changed) await requireUnchanged(edit);
  const edited = await Promise.all(changed.map(({ file, after }) => rewritten(file, after)));
  await writeSet([...files, ...edited]);
}

/** The rewards of a first start name no game server, so with several ones they are faulty; but an import replaces them. */
function withoutExamples(written: ConfigSource): ConfigSource {
  const { value } = written;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return written;
  return isExample('rewards', { ...value }) ? { ...written, value: { ...value, rewards: [] } } : written;
}

function sound({ config, faults }: Examination, file: string): Config {
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
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
