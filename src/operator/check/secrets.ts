import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from '../../config/keys.ts';
import { secretsNamedIn } from '../../config/named-secrets.ts';
import { readSource } from '../../config/read-source.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { shellWord } from '../../core/printable.ts';
import { Problem } from '../../core/problem.ts';
import { DEFAULT_SITE } from '../../core/service-name.ts';
import { isThere } from '../../platform/write-file.ts';
import { type Subject, takes } from './subject.ts';

/** The permission bits of everyone but the owner. */
const OTHERS_BITS = 0o077;

/** Rule 10: only the owner can read files that hold secrets, or who voted from where. */
export async function checkOwnFiles(subject: Subject): Promise<readonly Finding[]> {
  if (process.platform === 'win32') return [];
  const { config } = subject;
  const secrets = await openOf([path.join(config.keys, PRIVATE_KEY), ...(await secretFiles(subject))]);
  const ledger = await openOf(await placesOfLedger(config));
  if (secrets.length + ledger.length === 0)
    return [ok('secrets', 'only their owner can read the files with secrets, and those of the ledger')];
  return [
    ...secrets.map((file) =>
      warning('secrets', `other users can read ${file}, which holds a secret`, `\`chmod 600 ${file}\``),
    ),
    ...(ledger.length === 0 ? [] : [openLedger(ledger)]),
  ];
}

const openLedger = (places: readonly string[]): Finding =>
  warning(
    'ledger-open',
    'other users can read who voted from where; if they can read a file of the ledger, they can also lock it, and then no vote is stored',
    `\`chmod go= ${places.join(' ')}\``,
  );

/** Those that others than the owner have a right to. */
async function openOf(places: readonly string[]): Promise<readonly string[]> {
  const open: string[] = [];
  for (const place of new Set(places)) {
    const mode = await stat(place).then(
      (stats) => stats.mode,
      () => 0,
    );
    if ((mode & OTHERS_BITS) !== 0) open.push(place);
  }
  return open;
}

/** The ledger's folder, what SQLite and Teller keep beside the ledger, and copies of it, such as `teller.db.before-17`. */
async function placesOfLedger({ file, ledger }: Config): Promise<readonly string[]> {
  const real = await realpath(ledger).catch(() => ledger);
  const [folder, name] = [path.dirname(real), path.basename(real)];
  const beside = await readdir(folder).catch(() => []);
  const files = beside.filter(
    (each) => each === name || (/^[-.]/.test(each.slice(name.length)) && each.startsWith(name)),
  );
  // Any other folder is probably not Teller's alone.
  const isOwn = path.dirname(ledger).startsWith(path.join(path.dirname(file), path.sep));
  return [...(isOwn ? [folder] : []), ...files.toSorted().map((each) => path.join(folder, each))];
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
      `\`teller keys rotate token ${shellWord(site)}\``,
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
