import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isLoopback } from '../core/address.ts';
import { isPlainUrl } from '../core/config-values.ts';
import { shellWord } from '../core/printable.ts';
import { Secret } from '../core/secret-value.ts';
import { shownService } from '../core/service-name.ts';
import { gameServerSecretKeys, kindNamed, secretKeysOf } from '../delivery/kinds.ts';
import { receiverFaults } from './event-faults.ts';
import type { FaultAtPath, FaultCode, Path } from './fault.ts';
import { isReceiverUrl } from './named-secrets.ts';
import type { Outline } from './outline.ts';

/** The folder of relative paths, and the environment for `env:`. */
export interface SecretSources {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every secret of a config. Secrets with a fault are included but cannot be revealed. */
export interface Secrets {
  /** v2 tokens by site. */
  readonly tokens: ReadonlyMap<string, Secret>;
  /** API tokens by site. */
  readonly apiTokens: ReadonlyMap<string, Secret>;
  /** Webhooks' signing secrets by site. */
  readonly webhookSecrets: ReadonlyMap<string, Secret>;
  /** By game server and key. */
  readonly gameServerSecrets: ReadonlyMap<string, ReadonlyMap<string, Secret>>;
  /** By key of `console`. */
  readonly consoleSecrets: ReadonlyMap<string, Secret>;
  /** By key of `alarms`. */
  readonly alarmsSecrets: ReadonlyMap<string, Secret>;
  /** By place in `events` and key. */
  readonly eventSecrets: readonly ReadonlyMap<string, Secret>[];
  readonly faults: readonly FaultAtPath[];
}

/** The keys of `console` that hold a secret. */
const CONSOLE_SECRETS = ['password', 'metricsToken'] as const;

/** The keys of `alarms`, and of each entry of `events`, that hold a secret. */
const RECEIVER_SECRETS = ['url', 'secret'] as const;

export async function readSecrets(outline: Outline, sources: SecretSources): Promise<Secrets> {
  const faults: FaultAtPath[] = [];
  const read = async (reference: string, at: Path): Promise<Secret> => {
    const fetched = await fetchSecret(reference, sources, tokenAdvice(at));
    const found = isReceiverUrl(at) ? checkedUrl(fetched) : fetched;
    if (typeof found === 'string') return new Secret(found, null, isFromEnvironment(reference));
    faults.push({ ...found, path: at });
    return Secret.missing(found.sentence);
  };
  const all = async (references: readonly Reference[]): Promise<ReadonlyMap<string, Secret>> => {
    const secrets = new Map<string, Secret>();
    for (const { name, reference, path: at } of references) {
      if (reference !== undefined) secrets.set(name, await read(reference, at));
    }
    return secrets;
  };
  const consoleSecrets = await all(
    CONSOLE_SECRETS.map((key) => of(key, outline.console[key], ['console', key])),
  );
  const passwordFault = consolePasswordFault(outline.console, consoleSecrets.get('password'));
  if (passwordFault !== null) faults.push({ ...passwordFault, path: ['console', 'password'] });
  const ofReceiver = (receiver: Outline['alarms'], at: Path) =>
    all(RECEIVER_SECRETS.map((key) => of(key, receiver?.[key], [...at, key])));
  const eventSecrets = await Promise.all(outline.events.map((one, at) => ofReceiver(one, ['events', at])));
  faults.push(...receiverFaults(outline.events, eventSecrets));
  const sites = Object.entries(outline.sites);
  const servers = Object.entries(outline.gameServers);
  return {
    tokens: await all(sites.map(([name, site]) => of(name, site?.token, ['sites', name, 'token']))),
    apiTokens: await all(
      sites.map(([name, site]) => of(name, site?.api?.token, ['sites', name, 'api', 'token'])),
    ),
    webhookSecrets: await all(
      sites.map(([name, site]) => of(name, site?.webhook?.secret, ['sites', name, 'webhook', 'secret'])),
    ),
    consoleSecrets,
    alarmsSecrets: await ofReceiver(outline.alarms, ['alarms']),
    eventSecrets,
    gameServerSecrets: new Map(
      await Promise.all(
        servers.map(async ([name, server]) => [name, await all(ofGameServer(name, server ?? {}))] as const),
      ),
    ),
    faults,
  };
}

/** Rule 12: pages that other machines can reach need a password. Only its hash is kept. */
function consolePasswordFault(
  { host, password: reference }: Outline['console'],
  password: Secret | undefined,
): SecretFault | null {
  const toDo = '`teller console password` creates it';
  if (reference === undefined && !isLoopback(host))
    return missing(`is missing, and ${host} can be reached from other machines; ${toDo}`);
  if (password === undefined || password.missing !== null || password.reveal().startsWith('$scrypt$'))
    return null;
  return { code: 'config-value', sentence: `must be the hash of a password; ${toDo}` };
}

/** Teller creates only tokens of sites; other secrets come from elsewhere. */
const tokenAdvice = ([section, site, ...key]: Path): string =>
  section === 'sites' && key.join('.') === 'token'
    ? `; \`teller keys rotate token ${shellWord(shownService(String(site)))}\` creates it`
    : '';

/** A secret's reference and its place in the config. */
interface Reference {
  readonly name: string;
  readonly reference: string | undefined;
  readonly path: Path;
}

const of = (name: string, reference: string | undefined, at: Path): Reference => ({
  name,
  reference,
  path: at,
});

/** For an unknown kind, checks the secret keys of all kinds, so that all faults are reported at once. */
function ofGameServer(
  name: string,
  server: NonNullable<Outline['gameServers'][string]>,
): readonly Reference[] {
  const kind = kindNamed(server.kind);
  const keys = kind === null ? gameServerSecretKeys : secretKeysOf(kind);
  return keys.flatMap((key) => {
    const reference = server[key];
    return typeof reference === 'string' ? [of(key, reference, ['gameServers', name, key])] : [];
  });
}

interface SecretFault {
  readonly code: FaultCode;
  readonly sentence: string;
  /** The environment variable that is not set here. The process that runs Teller may have it. */
  readonly variable?: string;
}

const missing = (sentence: string): SecretFault => ({ code: 'secret-missing', sentence });

/**
 * The value, or the fault that says why there is none. No sentence contains the value (rule 10). `advice` follows the message that
 * its file does not exist or is empty.
 */
export async function fetchSecret(
  reference: string,
  { folder, env }: SecretSources,
  advice = '',
): Promise<string | SecretFault> {
  if (isFromEnvironment(reference)) return fromEnvironment(reference.slice('env:'.length), env);
  if (reference.startsWith('file:'))
    return await fromFile(path.resolve(folder, reference.slice('file:'.length)), advice);
  return checkedSecret(reference, 'the value in the config');
}

const isFromEnvironment = (reference: string): boolean => reference.startsWith('env:');

function fromEnvironment(name: string, env: SecretSources['env']): string | SecretFault {
  const value = env[name];
  const found =
    value === undefined
      ? missing(`the environment variable ${name} is not set`)
      : checkedSecret(value, `the environment variable ${name}`);
  return typeof found !== 'string' && found.code === 'secret-missing' ? { ...found, variable: name } : found;
}

async function fromFile(file: string, advice: string): Promise<string | SecretFault> {
  try {
    const text = await readFile(file, 'utf8');
    return text.trim() === ''
      ? missing(`the file ${file} is empty${advice}`)
      : checkedSecret(text, `the file ${file}`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return missing(
      code === 'ENOENT'
        ? `the file ${file} does not exist${advice}`
        : `the file ${file} cannot be read (${code})`,
    );
  }
}

/** The secret in a text, or why it is none. @param place what the sentence begins with. */
export function checkedSecret(text: string, place: string): string | SecretFault {
  const value = text.trim();
  if (value === '') return missing(`${place} is empty`);
  if (isPlaceholder(value)) {
    const sentence = `${place} is an example; put a real secret there`;
    return { code: 'secret-placeholder', sentence };
  }
  if (/\p{Cc}/u.test(value)) return { code: 'config-value', sentence: `${place} must be one line` };
  return value;
}

function checkedUrl(found: string | SecretFault): string | SecretFault {
  if (typeof found !== 'string' || (URL.canParse(found) && isPlainUrl(new URL(found)))) return found;
  return { code: 'config-value', sentence: 'must be an http or https URL without a user or password' };
}

// `password` and `secret` are weak, but people do use them as secrets. The word "token" is never a real token.
const EXAMPLE_WORDS =
  /^(?:token|placeholder|todo|tbd|fixme|(?:change|replace)(?:me|this|it)|(?:(?:put|paste|insert|enter|add|type)?your|(?:put|paste|insert|enter|add|type)(?:the)?)(?:own|secret|rcon|api|v2)*(?:token|password|secret|key)(?:goes)?(?:here)?|(?:token|password|secret|key)(?:goes)?here)$/;

const EXAMPLE_SHAPES = [/^x{3,}$/i, /^<.*>$/, /^\[.*\]$/, /^\{.*\}$/, /^%.*%$/, /^(?:\.|…|\*|-|_|\?)+$/u];

/** Whether a string is an example from documentation instead of a secret. */
export function isPlaceholder(text: string): boolean {
  const words = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return EXAMPLE_WORDS.test(words) || EXAMPLE_SHAPES.some((shape) => shape.test(text));
}
