import { realpath, stat } from 'node:fs/promises';
import { writeWhole } from '../platform/write-file.ts';
import type { FormatEditor } from './editor.ts';
import { jsonEditor } from './json-edit.ts';
import { yamlEditor } from './yaml-edit.ts';
import { isYaml } from './yaml-parser.ts';

/** By the ending of the file. */
export const editorOf = (file: string): FormatEditor => (isYaml(file) ? yamlEditor : jsonEditor);

/**
 * Replaces an existing config, following links and keeping its permissions.
 * @throws Problem `data-unwritable`
 */
export async function rewriteConfig(file: string, text: string): Promise<void> {
  const { file: target, mode } = await rewritten(file, text);
  await writeWhole(target, text, mode);
}

/** An existing config with another text, to be written together with other files. */
export async function rewritten(file: string, text: string) {
  const target = await realpath(file);
  const { mode } = await stat(target);
  return { file: target, text, mode: mode & 0o777, oldTo: null };
}
