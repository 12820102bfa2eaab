import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../core/problem.ts';
import { checkEntries } from './check-entries.ts';
import type { Config } from './config.ts';
import { crossCheck } from './cross-check.ts';
import { type ConfigFault, ConfigProblem, type FaultAtPath } from './fault.ts';
import { outlineOf } from './outline.ts';
import { resolveConfig } from './resolve.ts';
import { readSecrets, type Surroundings } from './secret.ts';
import { readSource } from './syntax.ts';

export interface LoadOptions {
  /**
   * What a secret that is not there means. `refuse`: a problem like any other. `defer`: the config loads, and only
   * revealing that secret is a problem; for commands that never need it, run from a shell that does not have it.
   */
  readonly missingSecrets?: 'refuse' | 'defer';
  readonly env?: Surroundings['env'];
}

/** @throws ConfigProblem with everything that is wrong at once; Problem `config-missing` */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<Config> {
  const { config, faults, missingSecrets } = await examineConfig(file, options.env);
  const refused = options.missingSecrets === 'defer' ? [] : missingSecrets;
  if (config === null || refused.length > 0) {
    throw new ConfigProblem(file, inOrder([...faults, ...refused]));
  }
  return config;
}

export interface Examination {
  /** null where there are faults. Secrets that are missing cannot be revealed. */
  readonly config: Config | null;
  readonly faults: readonly ConfigFault[];
  /** Not the file's fault: on the machine where it runs they may be there. */
  readonly missingSecrets: readonly ConfigFault[];
}

/** @throws Problem `config-missing` */
export async function examineConfig(file: string, env?: Surroundings['env']): Promise<Examination> {
  try {
    return await examineText(await readConfigText(file), path.resolve(file), env);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    return { config: null, faults: error.faults, missingSecrets: [] };
  }
}

/** The same for a text that is not in the file yet. */
export async function examineText(text: string, file: string, env = process.env): Promise<Examination> {
  const source = readSource(text);
  const isJson = source.value !== undefined;
  if (!isJson) return { config: null, faults: source.faults, missingSecrets: [] };
  const checked = checkEntries(source.value);
  const outline = outlineOf(source.value);
  const secrets = await readSecrets(outline, { folder: path.dirname(file), env });
  const isMissing = ({ code }: FaultAtPath): boolean => code === 'secret-missing';
  const found = [
    ...(checked.kind === 'faults' ? checked.faults : []),
    ...crossCheck(outline),
    ...secrets.faults.filter((fault) => !isMissing(fault)),
  ];
  const faults = inOrder([...source.faults, ...found.map(source.locate)]);
  const isSound = checked.kind === 'entries' && faults.length === 0;
  return {
    config: isSound ? resolveConfig(checked.entries, secrets, file) : null,
    faults,
    missingSecrets: secrets.faults.filter(isMissing).map(source.locate),
  };
}

const inOrder = (faults: readonly ConfigFault[]): readonly ConfigFault[] =>
  faults.toSorted((a, b) => a.line - b.line || a.column - b.column);

/** @throws Problem `config-missing`; ConfigProblem for a text that is not UTF-8 */
export async function readConfigText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new Problem('config-missing', `the config ${file} ${why}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const fault = { code: 'config-syntax', path: '', line: 1, column: 1 } as const;
    throw new ConfigProblem(file, [{ ...fault, sentence: 'is not UTF-8 text; save it with that encoding' }]);
  }
}
