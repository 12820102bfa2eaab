import { ownModule } from '../platform/own-module.ts';
import { startThread } from '../platform/thread.ts';
import { readJson } from './json-source.ts';
import type { ConfigSource } from './source.ts';
import { isYaml } from './yaml-parser.ts';
import { type ReadYaml, yamlSource } from './yaml-source.ts';

/**
 * Parses a config's text by the ending of its file. YAML is read on a thread of its own, because loading its parser reads
 * files and a running Teller may meet its first YAML in a reload (rule 13).
 */
export const readSource = async (text: string, file: string): Promise<ConfigSource> =>
  isYaml(file) ? yamlSource(await readOnThread(text)) : readJson(text);

const MODULE = ownModule('yaml-thread', import.meta.url);

const readOnThread = (text: string): Promise<ReadYaml> =>
  new Promise((resolve, reject) => {
    const thread = startThread(MODULE, text);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that reads YAML ended with code ${code}`)));
  });
