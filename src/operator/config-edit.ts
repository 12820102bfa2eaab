import type { Config } from '../config/config.ts';
import { rewriteConfig, rewritten } from '../config/edit.ts';
import { type EditStep, editText } from '../config/edit-steps.ts';
import { ConfigProblem } from '../config/fault.ts';
import { examineText, readConfigText } from '../config/load.ts';
import { Problem } from '../core/problem.ts';
import { type NewFile, writeSet } from '../platform/write-set.ts';

/** A planned edit of the config. */
export interface ConfigEdit {
  /** Absolute path of the config. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The lines that change, with secrets masked: `- ` and `+ ` before each. */
  readonly diff: readonly string[];
}

/** Takes these steps in the text of a config, and writes nothing. */
export async function planEdit(
  file: string,
  before: string,
  steps: readonly EditStep[],
): Promise<ConfigEdit> {
  const { text: after, diff } = await editText({ file, text: before, steps });
  return { file, before, after, diff };
}

/**
 * Writes the whole config and the files that it then names, or none of them.
 * @throws Problem `config-changed` if the file changed after this was planned; `data-unwritable`
 */
export async function writeEdit(
  { file, before, after }: ConfigEdit,
  others: readonly NewFile[] = [],
): Promise<void> {
  await requireUnchanged({ file, before });
  if (others.length > 0) await writeSet([...others, await rewritten(file, after)]);
  else if (after !== before) await rewriteConfig(file, after);
}

/** @throws Problem `config-changed` */
export async function requireUnchanged({ file, before }: Pick<ConfigEdit, 'file' | 'before'>): Promise<void> {
  if ((await readConfigText(file)) === before) return;
  throw new Problem(
    'config-changed',
    `${file} was changed in the meantime, so nothing was written; try again`,
  );
}

/** @throws ConfigProblem if the text has faults; missing secrets are none */
export async function validConfig(text: string, file: string): Promise<Config> {
  const { config, faults } = await examineText(text, file);
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
}
