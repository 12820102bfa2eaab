import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { checkEntries } from './check-entries.ts';
import type { Config } from './config.ts';
import { crossCheck } from './cross-check.ts';
import { type ConfigFault, ConfigProblem, type FaultAtPath } from './fault.ts';
import { outlineOf } from './outline.ts';
import { readSource } from './read-source.ts';
import { withoutRemoved } from './removed-keys.ts';
import { resolveConfig } from './resolve.ts';
import { readSecrets, type SecretSources } from './secret.ts';
import { type ConfigSource, syntaxFault } from './source.ts';

export interface LoadOptions {
  /**
   * What to do if a secret is missing. `refuse`: throw. `defer`: load the config, and throw only when the secret is
   * revealed; for commands that do not need it and run in a shell that does not have it.
   */
  readonly missingSecrets?: 'refuse' | 'defer';
  readonly env?: SecretSources['env'];
}

/** @throws ConfigProblem with all faults at once; Problem `config-missing` */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<Config> {
  const { config, faults, missingSecrets } = await examineConfig(file, options.env);
  const refused = options.missingSecrets === 'defer' ? [] : missingSecrets;
  if (config === null || refused.length > 0) {
    throw new ConfigProblem(file, inOrder([...faults, ...refused]));
  }
  return config;
}

export interface Examination {
  /** null if there are faults. Calling `reveal()` on a secret that is missing throws. */
  readonly config: Config | null;
  readonly faults: readonly ConfigFault[];
  /** Separate from `faults`, because the process that runs Teller may have these secrets. */
  readonly missingSecrets: readonly ConfigFault[];
}

/** @throws Problem `config-missing` */
export async function examineConfig(file: string, env?: SecretSources['env']): Promise<Examination> {
  try {
    return await examineText(await readConfigText(file), path.resolve(file), { env });
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    return { config: null, faults: error.faults, missingSecrets: [] };
  }
}

export interface TextOptions {
  readonly env?: SecretSources['env'] | undefined;
}

/** Examines a text that is not in the file yet. */
export const examineText = async (text: string, file: string, options?: TextOptions): Promise<Examination> =>
  examineSource(await readSource(text, file), file, options);

/** Examines a config that was parsed already. */
export async function examineSource(
  source: ConfigSource,
  file: string,
  { env = process.env }: TextOptions = {},
): Promise<Examination> {
  if (source.value === undefined) return { config: null, faults: source.faults, missingSecrets: [] };
  const { value, faults: removed } = withoutRemoved(source.value);
  const checked = checkEntries(value);
  const outline = outlineOf(value);
  const secrets = await readSecrets(outline, { folder: path.dirname(file), env });
  const isMissing = ({ code }: FaultAtPath): boolean => code === 'secret-missing';
  const found = [
    ...removed,
    ...(checked.kind === 'faults' ? checked.faults : []),
    ...crossCheck(outline),
    ...secrets.faults.filter((fault) => !isMissing(fault)),
  ];
  const faults = inOrder([...source.faults, ...found.map(source.locate)]);
  const isValid = checked.kind === 'entries' && faults.length === 0;
  return {
    config: isValid ? resolveConfig(checked.entries, secrets, file, source.value) : null,
    faults,
    missingSecrets: secrets.faults.filter(isMissing).map(source.locate),
  };
}

/** By place in the file. */
export const inOrder = (faults: readonly ConfigFault[]): readonly ConfigFault[] =>
  faults.toSorted((a, b) => a.line - b.line || a.column - b.column);

/** @throws Problem `config-missing`; ConfigProblem if the file is not UTF-8 */
export const readConfigText = (file: string): Promise<string> =>
  readWrittenText(file, 'config-missing', 'the config', {
    ENOENT: '; run this in the folder of the config, or say where it is with --config FILE',
    EACCES: '; run this as the user that Teller runs as',
  });

/**
 * `advice`: by error code, follows the message that it cannot be read.
 * @throws Problem with this code if it cannot be read; ConfigProblem if it is not UTF-8
 */
export async function readWrittenText(
  file: string,
  missing: ProblemCode,
  what: string,
  advice: Readonly<Record<string, string>> = {},
): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new Problem(missing, `${what} ${path.resolve(file)} ${why}${advice[error.code ?? ''] ?? ''}`);
  });
  const text = utf8Text(bytes);
  if (text !== null) return text;
  throw new ConfigProblem(file, [syntaxFault(NOT_UTF8, { line: 1, column: 1 })]);
}

/** The text of a file; null if it has another encoding. A byte order mark stays. */
function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const NOT_UTF8 = 'is not UTF-8; save the file with that encoding';
