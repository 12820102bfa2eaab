import path from 'node:path';
import { publicKeyText } from '../../../protocol/votifier/v1.ts';
import type { Config } from '../../config/config.ts';
import { editorOf, rewriteConfig } from '../../config/edit.ts';
import { backUpKeyPair, generateKeyPair, writeKeyPair } from '../../config/keys.ts';
import { readConfigText } from '../../config/load.ts';
import { freshToken, tokenFileFor, writeTokenFile } from '../../config/token-file.ts';
import { type TokenPlace, tokenPlace } from '../../config/token-place.ts';
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/instant.ts';
import { nearestWord } from '../../core/nearest-word.ts';
import type { Random } from '../../core/random.ts';

export interface RotatedPair {
  /** The folder of the key pair. */
  readonly keys: string;
  readonly publicKey: string;
  /** The files of the previous pair. */
  readonly backups: readonly string[];
}

/** Creates a new RSA pair and keeps the old one beside it, with the time in its file names. */
export async function rotatePair({ keys }: Config, clock: Clock): Promise<RotatedPair> {
  const pair = await generateKeyPair();
  const backups = await backUpKeyPair(keys, isoTime(clock.now()).replaceAll(/[:.]/g, '-'));
  await writeKeyPair(keys, pair);
  return { keys, publicKey: publicKeyText(pair.publicKey), backups };
}

/** A new token that was planned but not written. */
export interface TokenRotation {
  readonly kind: 'planned';
  readonly site: string;
  /** The sites whose votes are refused until their listing has the new token. */
  readonly sharing: readonly string[];
  readonly configFile: string;
  readonly configText: string;
  readonly place: Exclude<TokenPlace, { readonly kind: 'environment' }>;
}

export type TokenRefused =
  /** `nearly`: the similar key of `sites` that was probably meant. */
  | { readonly kind: 'site-unknown'; readonly site: string; readonly nearly: string | null }
  /** The token is in an environment variable, which only the operator can change. */
  | { readonly kind: 'token-elsewhere'; readonly site: string; readonly variable: string };

/** A site that shared the token of `default` gets its own. */
export async function planTokenRotation(config: Config, site: string): Promise<TokenRotation | TokenRefused> {
  const { file: configFile, sites } = config;
  if (!sites.has(site)) return { kind: 'site-unknown', site, nearly: nearestWord(site, sites.keys()) };
  const configText = await readConfigText(configFile);
  const place = tokenPlace(configText, configFile, site);
  if (place.kind === 'environment') return { kind: 'token-elsewhere', site, variable: place.name };
  const sharing = sitesSharingTokenOf(config, site, place.kind === 'none');
  return { kind: 'planned', site, sharing, configFile, configText, place };
}

/**
 * Writes a new token to the file that the config names, and returns that file. If the token was in the config itself, it
 * moves to a file.
 */
export async function rotateToken(
  { site, configFile, configText, place }: TokenRotation,
  random: Random,
): Promise<string> {
  const token = freshToken(random);
  if (place.kind === 'file') {
    await writeTokenFile(place.file, token);
    return place.file;
  }
  const relative = tokenFileFor(site);
  const file = path.resolve(path.dirname(configFile), relative);
  await writeTokenFile(file, token);
  const rewritten = editorOf(configFile).withValue(configText, ['sites', site, 'token'], `file:${relative}`);
  await rewriteConfig(configFile, rewritten);
  return file;
}

/** Sites without their own token share that of `default`; a site that gets its own stops sharing. */
function sitesSharingTokenOf({ sites }: Config, site: string, getsItsOwn: boolean): readonly string[] {
  const token = sites.get(site)?.token;
  if ((getsItsOwn && site !== 'default') || token === null) return [site];
  return [...sites].filter(([, other]) => other.token === token).map(([name]) => name);
}
