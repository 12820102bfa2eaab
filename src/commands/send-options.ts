import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readPublicKey } from '../../protocol/votifier/v1.ts';
import type { Config } from '../config/config.ts';
import { fetchSecret } from '../config/secret.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { STAND_IN_SERVICE } from '../core/vote.ts';
import type { ConfigInUse } from '../operator/config-in-use.ts';
import { isEveryAddress, type ListeningAddress } from '../platform/listen.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Auth, Target } from '../sender/send.ts';
import type { FlagsOf } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { readConfig } from './with-ledger.ts';

/** The command and its flags, without its action. */
export const newSendCommand = () =>
  new Command('send')
    .description('send votes to any listener, and show what it answered or why it did not')
    .option('--host <host>', 'the listener, as host or host:port (default: from the config, else 127.0.0.1)')
    .option('--port <port>', 'its port (default: from the config, else 8192)')
    .option('--service <name>', 'the service name', STAND_IN_SERVICE)
    .option('--player <name>', 'the player; {n} becomes 1, 2, 3 …', 'Steve')
    .option('--address <address>', 'the voter’s address', '127.0.0.1')
    .option('--timestamp <text>', 'the claimed time, sent unchanged (default: now, in milliseconds)')
    .option('--count <number>', 'how many votes to send', '1')
    .option('--concurrency <number>', 'how many votes to send at once', '16')
    .option('--token <token>', 'send with version 2 and this token: file:PATH, env:NAME, or the token itself')
    .option(
      '--public-key <key>',
      'send with version 1 and this public key of the listener: a file, file:PATH, or the key itself',
    )
    .option(
      '--config <file>',
      `the config file with the port and tokens of a local listener (default: ${DEFAULT_CONFIG}, if it exists)`,
    )
    .option('--json', 'print one JSON array with the result of each vote');

/** The flags as typed. */
export type SendFlags = FlagsOf<typeof newSendCommand>;

interface FoundTarget {
  readonly target: Target;
  /** What the votes are dated by: the clock of the listener if it is that of the config. */
  readonly clock: Clock;
}

/** The parsed flags, completed from the config if there is one. */
export interface Sending extends FoundTarget {
  readonly count: number;
  readonly concurrency: number;
}

const BOUNDS = { port: [1, 65_535], count: [1, 1_000_000], concurrency: [1, 1_000] } as const;
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8192;

/** @throws Problem that names everything wrong with the flags, or with the files that they name */
export async function readSending(written: SendFlags, terminal: Terminal, clock: Clock): Promise<Sending> {
  const flags = withPort(written);
  refuseMisuse(flags);
  return {
    ...(await findTarget(flags, terminal, clock)),
    count: Number(flags.count),
    concurrency: Number(flags.concurrency),
  };
}

/** `host:port` and `[address]:port` are split; a bare IPv6 address has colons and no port. */
function withPort(flags: SendFlags): SendFlags {
  const [, bracketed, name, port] =
    /^(?:\[([0-9a-f:.%]+)\]|([^:[\]]+))(?::(.*))?$/i.exec(flags.host ?? '') ?? [];
  const host = bracketed ?? name;
  if (host === undefined) return flags;
  if (port === undefined) return { ...flags, host };
  if (flags.port !== undefined && flags.port !== port) {
    throw new Problem('usage', `--host has port ${port} but --port is ${flags.port}; give only one`);
  }
  return { ...flags, host, port };
}

function refuseMisuse(flags: SendFlags): void {
  const faults = Object.entries(BOUNDS).flatMap(([name, [least, most]]) => {
    const text = flags[name as keyof typeof BOUNDS];
    const isInside = text === undefined || (/^\d{1,7}$/.test(text) && +text >= least && +text <= most);
    return isInside ? [] : [`--${name} must be a whole number from ${least} to ${most}, not "${text}"`];
  });
  if (flags.host === '') faults.push('--host must not be empty');
  if (flags.token === '') faults.push('--token must not be empty');
  if (flags.token !== undefined && flags.publicKey !== undefined) {
    faults.push('give --token (version 2) or --public-key (version 1), not both');
  }
  if (faults.length > 0) throw new Problem('usage', faults.join('; '));
}

/** Reads a config if one is named, or if something is to come from it. */
async function findTarget(flags: SendFlags, terminal: Terminal, clock: Clock): Promise<FoundTarget> {
  const given = await givenAuth(flags);
  const isComplete = given !== null && flags.host !== undefined && flags.port !== undefined;
  const found =
    isComplete && flags.config === undefined
      ? null
      : await nearbyConfig(flags.config, given, terminal, clock);
  const local = found === null ? { host: DEFAULT_HOST, port: DEFAULT_PORT } : listenerOf(found);
  const host = flags.host ?? local.host;
  const port = Number(flags.port ?? local.port);
  if (port === 0) {
    const sentence =
      'listener.port in the config is 0 and no Teller runs with it that could say its port: start one, or give --port with the port from the ready line';
    throw new Problem('usage', sentence);
  }
  const isLocal = host === local.host && port === local.port;
  return {
    target: { host, port, auth: given ?? siteAuth(found?.config ?? null, flags.service) },
    clock: found !== null && isLocal ? found.clock : clock,
  };
}

/** Where the running Teller listens, or one that runs with this config would. */
function listenerOf({ config, listening }: ConfigInUse): ListeningAddress {
  const { host, port } = listening ?? config.listener;
  return { host: isEveryAddress(host) ? DEFAULT_HOST : host, port };
}

async function givenAuth({ token, publicKey }: SendFlags): Promise<Auth | null> {
  if (token !== undefined) return { version: 'v2', token: await tokenFrom(token) };
  if (publicKey === undefined) return null;
  return { version: 'v1', publicKey: await keyFrom(publicKey) };
}

/** A pasted key, or the name of a file with the key. */
async function keyFrom(given: string): Promise<KeyObject> {
  const pasted = readPublicKey(given);
  if (pasted.kind === 'key') return pasted.key;
  if (given.includes('-BEGIN '))
    throw new Problem('key-invalid', `the key given by --public-key ${pasted.reason}`);
  const file = given.replace(/^file:/, '');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const sentence = `--public-key is neither an RSA key nor a readable file (${error.code}): give a file, file:PATH, or the whole key`;
    throw new Problem('key-missing', sentence);
  });
  const reading = readPublicKey(text);
  if (reading.kind === 'unusable') throw new Problem('key-invalid', `${file} ${reading.reason}`);
  return reading.key;
}

/** A token on the command line is used unchanged, because a tester may want a bad one. */
async function tokenFrom(reference: string): Promise<string> {
  if (!/^(?:env|file):/.test(reference)) return reference;
  const found = await fetchSecret(reference, { folder: process.cwd(), env: process.env });
  if (typeof found !== 'string') throw new Problem(found.code, found.sentence);
  return found;
}

async function nearbyConfig(
  named: string | undefined,
  given: Auth | null,
  terminal: Terminal,
  clock: Clock,
): Promise<ConfigInUse | null> {
  const file = path.resolve(named ?? DEFAULT_CONFIG);
  if (named === undefined && !existsSync(file)) {
    if (given !== null) return null;
    const sentence = `a vote needs a token or a key, and there is no ${DEFAULT_CONFIG} here: give --token, --public-key or --config`;
    throw new Problem('usage', sentence);
  }
  return readConfig(file, terminal, clock);
}

function siteAuth(config: Config | null, service: string): Auth {
  const site = config?.sites.get(service) ?? config?.sites.get('default');
  if (site?.token) return { version: 'v2', token: site.token.reveal() };
  throw new Problem(
    'usage',
    `the config has no token for the service "${service}": give --token or --public-key`,
  );
}
