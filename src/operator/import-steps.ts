import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { privateKeyText, publicKeyText } from '../../protocol/votifier/v1.ts';
import type { Config } from '../config/config.ts';
import type { Path } from '../config/fault.ts';
import { type KeyPair, PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from '../config/keys.ts';
import { isPlaceholder } from '../config/secret.ts';
import { readTokenFile, tokenFileFor } from '../config/token-file.ts';
import { tokenPlace } from '../config/token-place.ts';
import type { PluginSetup } from '../config/votifier-plugin.ts';
import { FOR_ALL, isThere, OWNER_ONLY } from '../platform/write-file.ts';
import type { NewFile } from '../platform/write-set.ts';
import type { Unused } from './unused-credentials.ts';

/**
 * `taken`: Teller had no value. `replaced`: Teller had one that was never used. `same`: Teller already has this value.
 * `kept`: Teller has another value, which stays. `skipped`: the plugin has only an example value. `not-imported`:
 * Teller does not need it. `blocked`: nothing was written, because another value is kept.
 */
export type ImportResult = 'taken' | 'replaced' | 'same' | 'kept' | 'skipped' | 'not-imported' | 'blocked';

/** The result of importing one thing. */
export interface Imported {
  readonly what: string;
  readonly result: ImportResult;
  readonly sentence: string;
}

/** One thing to import, decided before anything is written. */
export interface Step extends Imported {
  readonly files?: readonly NewFile[];
  /** A value to set in the config. */
  readonly set?: { readonly path: Path; readonly value: unknown };
}

/** The existing config, or the one that a first start would create. */
export interface Target {
  readonly text: string;
  readonly config: Config;
  readonly unused: Unused;
  /** Part of the names of replaced files, which are kept. */
  readonly mark: string;
}

/** One step for each thing that the plugin has, in the order of the report. */
export async function importSteps(setup: PluginSetup, target: Target): Promise<readonly Step[]> {
  return [
    ...(await pairSteps(setup.pair, target)),
    ...(await Promise.all([...setup.tokens].map(([site, token]) => tokenStep(site, token, target)))),
    ...ownTokenSteps(setup.tokens, target.config),
    ...portSteps(setup.port, target.config.listener.port),
    ...protocolSteps(setup.acceptsV1, target),
    ...setup.notImported.map((each) => ({ ...each, result: 'not-imported' as const })),
  ];
}

async function pairSteps(pair: KeyPair | null, target: Target): Promise<readonly Step[]> {
  if (pair === null) return [];
  const { config, unused } = target;
  const what = 'RSA pair';
  const folder = config.keys;
  const files = [PRIVATE_KEY, PUBLIC_KEY].map((name) => path.join(folder, name));
  const present = await Promise.all(files.map(isThere));
  if (!present.includes(true)) {
    return [{ what, result: 'taken', sentence: `into ${folder}`, files: pairFiles(folder, pair, null) }];
  }
  const existing = await readKeyPair(folder).catch(() => null);
  if (existing?.publicKey.equals(pair.publicKey)) {
    return [{ what, result: 'same', sentence: `as in ${folder}` }];
  }
  if (await hasPrivateHalf(folder, pair)) {
    const sentence = `into ${folder}, where an earlier import was interrupted`;
    return [{ what, result: 'taken', sentence, files: pairFiles(folder, pair, target) }];
  }
  if (await unused.pair(files)) {
    const sentence = `into ${folder}; the pair of the first start, which no vote has used, is kept as ${keptName(PRIVATE_KEY, target)}`;
    return [{ what, result: 'replaced', sentence, files: pairFiles(folder, pair, target) }];
  }
  const sentence = `${folder} has another pair; to use the plugin's, move that one away and import again`;
  return [{ what, result: 'kept', sentence }];
}

/** An import that was killed halfway leaves only the private key; nothing else does. */
const hasPrivateHalf = async (folder: string, { privateKey }: KeyPair): Promise<boolean> =>
  (await readFile(path.join(folder, PRIVATE_KEY), 'utf8').catch(() => '')) === privateKeyText(privateKey);

/** The private key first: the public key can be derived from it, but not the other way round. */
export const pairFiles = (folder: string, pair: KeyPair, replaced: Target | null): readonly NewFile[] => [
  newFile(path.join(folder, PRIVATE_KEY), privateKeyText(pair.privateKey), OWNER_ONLY, replaced),
  newFile(path.join(folder, PUBLIC_KEY), publicKeyText(pair.publicKey), FOR_ALL, replaced),
];

const newFile = (file: string, text: string, mode: number, replaced: Target | null): NewFile => ({
  file,
  text,
  mode,
  oldTo: replaced === null ? null : keptName(file, replaced),
});

/** `private.key` as `private.2026-11-22T10-00-00-000Z.key`, like the copies of `teller keys rotate rsa`. */
const keptName = (file: string, { mark }: Target): string => file.replace(/(?=\.[^.]+$)/, `.${mark}`);

async function tokenStep(site: string, token: string, target: Target): Promise<Step> {
  const { text, config } = target;
  const what = `token of ${site}`;
  if (token.trim() === '' || isPlaceholder(token) || /\p{Cc}/u.test(token.trim())) {
    return { what, result: 'skipped', sentence: 'the plugin has only an example value' };
  }
  const place = tokenPlace(text, config.file, site);
  if (place.kind === 'file') return await fileStep(what, place.file, token, target);
  if (place.kind === 'none') {
    const relative = tokenFileFor(site);
    const step = await fileStep(what, path.resolve(path.dirname(config.file), relative), token, target);
    return step.result === 'kept'
      ? step
      : { ...step, set: { path: ['sites', site, 'token'], value: `file:${relative}` } };
  }
  const own = config.sites.get(site)?.token;
  if (own?.missing === null && own.reveal() === token.trim()) {
    return { what, result: 'same', sentence: 'as in the config' };
  }
  const where = place.kind === 'text' ? 'the config has' : `the environment variable ${place.name} has`;
  return {
    what,
    result: 'kept',
    sentence: `${where} another one; change it there if the listing uses the plugin's`,
  };
}

async function fileStep(what: string, file: string, token: string, target: Target): Promise<Step> {
  const existing = await readTokenFile(file);
  const text = `${token.trim()}\n`;
  if (existing === token.trim()) return { what, result: 'same', sentence: `as in ${file}` };
  if (existing === null) {
    return {
      what,
      result: 'taken',
      sentence: `into ${file}`,
      files: [newFile(file, text, OWNER_ONLY, null)],
    };
  }
  if (await target.unused.token(file)) {
    const sentence = `into ${file}; the token of the first start, which no vote has used, is kept as ${path.basename(keptName(file, target))}`;
    return { what, result: 'replaced', sentence, files: [newFile(file, text, OWNER_ONLY, target)] };
  }
  const sentence = `${file} has another one; to use the plugin's, move that file away and import again`;
  return { what, result: 'kept', sentence };
}

/**
 * These listings signed with the plugin's `default` token, which is refused if their own entry here has another one.
 */
const ownTokenSteps = (tokens: PluginSetup['tokens'], { sites }: Config): readonly Step[] =>
  [...sites]
    .filter(
      ([site, { token }]) => !tokens.has(site) && token !== null && token !== sites.get('default')?.token,
    )
    .map(([site]) => ({
      what: `token of ${site}`,
      result: 'kept',
      sentence: 'only Teller has one; remove it from the config if the listing uses the default token',
    }));

/** The default of the plugin and of Teller; any other port was chosen by the operator. */
const DEFAULT_PORT = 8192;

function portSteps(port: number | null, existing: number): readonly Step[] {
  if (port === null) return [];
  const what = `port ${port}`;
  if (port === existing) return [{ what, result: 'same', sentence: 'as in the config' }];
  if (existing !== DEFAULT_PORT) {
    const sentence = `the config has ${existing}; listings send to ${port}, so set listener.port to it`;
    return [{ what, result: 'kept', sentence }];
  }
  const set = { path: ['listener', 'port'], value: port };
  return [{ what, result: 'taken', sentence: 'into listener.port', set }];
}

function protocolSteps(acceptsV1: boolean, { config, unused }: Target): readonly Step[] {
  const isOn = config.listener.protocols.includes('v1');
  if (acceptsV1) {
    const sentence = 'listener.protocols has no "v1", so v1 votes are refused; add "v1" there';
    return isOn ? [] : [{ what: 'protocol v1 on', result: 'kept', sentence }];
  }
  const what = 'protocol v1 off';
  if (!isOn) return [{ what, result: 'same', sentence: 'as in listener.protocols' }];
  if (unused.hasV1Votes) {
    const sentence =
      'v1 votes were recorded here; to refuse them from now on, set listener.protocols to ["v2"]';
    return [{ what, result: 'kept', sentence }];
  }
  const set = { path: ['listener', 'protocols'], value: ['v2'] };
  return [{ what, result: 'taken', sentence: 'into listener.protocols', set }];
}
