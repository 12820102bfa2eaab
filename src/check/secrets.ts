import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from '../config/keys.ts';
import { secretsNamedIn } from '../config/named-secrets.ts';
import { readSource } from '../config/read-source.ts';
import { Problem } from '../core/problem.ts';
import { DEFAULT_SITE } from '../intake/sites.ts';
import { isThere } from '../runtime/write-file.ts';
import { type Finding, ok, problem, warning } from '../core/finding.ts';
import { type Subject, takes } from './subject.ts';

/** The permission bits of everyone but the owner. */
const OTHERS_BITS = 0o077;

/** Rule 10: only the owner can read files that hold secrets. */
export async function checkSecretFiles(subject: Subject): Promise<readonly Finding[]> {
  if (process.platform === 'win32') return [];
  const files = [path.join(subject.config.keys, PRIVATE_KEY), ...(await secretFiles(subject))];
  const open: string[] = [];
  for (const file of new Set(files)) {
    const mode = await stat(file).then(
      (stats) => stats.mode,
      () => 0,
    );
    if ((mode & OTHERS_BITS) !== 0) open.push(file);
  }
  if (open.length === 0) return [ok('secrets', 'only their owner can read the files with secrets')];
  return open.map((file) =>
    warning('secrets', `other users can read ${file}, which holds a secret`, `\`chmod 600 ${file}\``),
  );
}

/** Of a config that runs, once: to parse YAML takes a thread. */
const known = new WeakMap<Config, Promise<readonly string[]>>();

function secretFiles(subject: Subject): Promise<readonly string[]> {
  const found = known.get(subject.config) ?? findSecretFiles(subject);
  known.set(subject.config, found);
  return found;
}

async function findSecretFiles({ config, configText }: Subject): Promise<readonly string[]> {
  const { inFiles, inText } = secretsNamedIn(
    (await readSource(configText, config.file)).value,
    path.dirname(config.file),
  );
  return [...inFiles.keys(), ...(inText.length > 0 ? [config.file] : [])];
}

/** v2 votes need a token. If `default` has none, v2 votes of every unlisted service are refused. */
export async function checkTokens({ config }: Subject): Promise<readonly Finding[]> {
  const without = [...config.sites].filter(([, site]) => takes('v2', site, config) && site.token === null);
  return without.map(([site]) => {
    const whose = site === DEFAULT_SITE ? 'services without their own entry' : site;
    return warning(
      'token-none',
      `v2 votes of ${whose} are refused, because there is no token`,
      `\`teller keys rotate token ${site}\``,
    );
  });
}

export async function checkKeys({ config }: Subject): Promise<readonly Finding[]> {
  const { keys, listener } = config;
  const [hasPrivate, hasPublic] = await Promise.all(
    [PRIVATE_KEY, PUBLIC_KEY].map((name) => isThere(path.join(keys, name))),
  );
  // `teller run` fixes both of these. Only a missing private key cannot be recovered.
  if (!hasPrivate && !hasPublic)
    return [warning('keys-not-made', `there is no RSA key pair in ${keys} yet`, '`teller run` creates it')];
  if (hasPrivate && !hasPublic)
    return [
      warning(
        'keys-not-made',
        `there is no ${PUBLIC_KEY} in ${keys}`,
        '`teller run` creates it from the private key',
      ),
    ];
  try {
    await readKeyPair(keys);
    const use = listener.protocols.includes('v1')
      ? ''
      : ' but not in use, because listener.protocols has no "v1"';
    return [ok('keys', `the RSA key pair in ${keys} is valid${use}`)];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [problem(error.code, error.message)];
  }
}
