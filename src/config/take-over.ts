import path from 'node:path';
import type { Dice } from '../core/dice.ts';
import { isThere } from '../runtime/write-file.ts';
import type { Config } from './config.ts';
import { rewriteConfig, withValue } from './edit.ts';
import { exampleText } from './example.ts';
import { ConfigProblem, type Path } from './fault.ts';
import { createFirstConfig } from './first-start.ts';
import { type KeyPair, PRIVATE_KEY, PUBLIC_KEY, readKeyPair, writeKeyPair } from './keys.ts';
import { examineText, readConfigText } from './load.ts';
import { isPlaceholder } from './secret.ts';
import { readTokenFile, tokenFileFor, writeTokenFile } from './token-file.ts';
import { tokenPlace } from './token-place.ts';
import type { PluginSetup } from './votifier-plugin.ts';

/** What became of one thing that the plugin has. */
export interface Takeover {
  readonly what: string;
  /** `same`: Teller had it already. `kept`: Teller has another one, which stays. `skipped`: it was no real value. */
  readonly result: 'taken' | 'same' | 'kept' | 'skipped';
  readonly sentence: string;
}

/** One thing to take over, decided before anything is written. */
interface Step extends Takeover {
  readonly write?: () => Promise<void>;
  /** A value that the config needs for it. */
  readonly set?: { readonly path: Path; readonly value: string | number };
}

/** The config as it is, or as a first start would make it. */
interface Target {
  readonly text: string;
  readonly config: Config;
}

/**
 * Gives Teller the plugin's keys, tokens and port, so that no listing needs new ones. What Teller has already is
 * never overwritten. Everything is judged first: a config that would not load is a ConfigProblem, and nothing has
 * been written.
 * @throws ConfigProblem; Problem `data-unwritable`
 */
export async function takeOver(setup: PluginSetup, file: string, dice: Dice): Promise<readonly Takeover[]> {
  const isNew = !(await isThere(file));
  const text = isNew ? exampleText : await readConfigText(file);
  const target = { text, config: await soundConfig(text, file) };
  const steps = [
    ...(await pairSteps(setup.pair, target.config.keys)),
    ...(await Promise.all([...setup.tokens].map(([site, token]) => tokenStep(site, token, target)))),
    ...portSteps(setup.port, target.config.listener.port),
  ];
  const edited = steps.reduce(
    (so, { set }) => (set === undefined ? so : withValue(so, set.path, set.value)),
    text,
  );
  await soundConfig(edited, file);
  for (const { write } of steps) await write?.();
  if (isNew) await createFirstConfig(path.dirname(file), dice, path.basename(file));
  if (edited !== text) await rewriteConfig(file, edited);
  return steps.map(({ what, result, sentence }) => ({ what, result, sentence }));
}

async function soundConfig(text: string, file: string): Promise<Config> {
  const { config, faults } = await examineText(text, path.resolve(file));
  if (config === null) throw new ConfigProblem(file, faults);
  return config;
}

async function pairSteps(pair: KeyPair | null, folder: string): Promise<readonly Step[]> {
  if (pair === null) return [];
  const what = 'RSA pair';
  const files = [PRIVATE_KEY, PUBLIC_KEY].map((name) => path.join(folder, name));
  const present = await Promise.all(files.map(isThere));
  if (!present.includes(true)) {
    return [{ what, result: 'taken', sentence: `into ${folder}`, write: () => writeKeyPair(folder, pair) }];
  }
  const existing = await readKeyPair(folder).catch(() => null);
  if (existing?.publicKey.equals(pair.publicKey))
    return [{ what, result: 'same', sentence: `as in ${folder}` }];
  const sentence = `${folder} has another pair; to take the plugin's, move that one away and import again`;
  return [{ what, result: 'kept', sentence }];
}

async function tokenStep(site: string, token: string, { text, config }: Target): Promise<Step> {
  const what = `token of ${site}`;
  if (token.trim() === '' || isPlaceholder(token) || /\p{Cc}/u.test(token.trim())) {
    return { what, result: 'skipped', sentence: 'the plugin holds an example text there' };
  }
  const place = tokenPlace(text, config.file, site);
  if (place.kind === 'file') return await fileStep(what, place.file, token);
  if (place.kind === 'none') {
    const relative = tokenFileFor(site);
    const step = await fileStep(what, path.resolve(path.dirname(config.file), relative), token);
    return step.result === 'kept'
      ? step
      : { ...step, set: { path: ['sites', site, 'token'], value: `file:${relative}` } };
  }
  const own = config.sites.get(site)?.token;
  if (own?.missing === null && own.reveal() === token.trim()) {
    return { what, result: 'same', sentence: 'as in the config' };
  }
  const where = place.kind === 'text' ? 'the config has' : `the environment variable ${place.name} has`;
  return { what, result: 'kept', sentence: `${where} another one; change it there to the plugin's` };
}

async function fileStep(what: string, file: string, token: string): Promise<Step> {
  const existing = await readTokenFile(file);
  if (existing === token.trim()) return { what, result: 'same', sentence: `as in ${file}` };
  if (existing === null) {
    return {
      what,
      result: 'taken',
      sentence: `into ${file}`,
      write: () => writeTokenFile(file, token.trim()),
    };
  }
  const sentence = `${file} has another one; to take the plugin's, move that file away and import again`;
  return { what, result: 'kept', sentence };
}

/** Where both come from their packages; a port that somebody chose is another matter. */
const CUSTOMARY_PORT = 8192;

function portSteps(port: number | null, existing: number): readonly Step[] {
  if (port === null) return [];
  const what = `port ${port}`;
  if (port === existing) return [{ what, result: 'same', sentence: 'as in the config' }];
  if (existing !== CUSTOMARY_PORT) {
    const sentence = `the config has ${existing}; listings send to ${port}, so set listener.port to it`;
    return [{ what, result: 'kept', sentence }];
  }
  const set = { path: ['listener', 'port'], value: port };
  return [{ what, result: 'taken', sentence: 'into listener.port', set }];
}
