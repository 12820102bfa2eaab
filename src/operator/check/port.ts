import { createServer } from 'node:net';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { Problem } from '../../core/problem.ts';
import { isEveryAddress, isWithoutIPv6, type ListenOptions, listen } from '../../platform/listen.ts';
import type { Subject } from './subject.ts';

/** A port on which votes arrive. */
interface CheckedPort {
  readonly host: string;
  readonly port: number;
  /** Its key in the config. */
  readonly key: 'listener' | 'webhook';
}

/** Whether each port for votes is free, or the running Teller of this ledger listens on it. */
export async function checkPorts(subject: Subject): Promise<readonly Finding[]> {
  const { listener, webhook, sites } = subject.config;
  if (subject.isOffline) return [];
  const hasWebhook = [...sites.values()].some((site) => site.webhook !== null);
  const ports: CheckedPort[] = [
    { ...listener, key: 'listener' },
    ...(hasWebhook ? [{ ...webhook, key: 'webhook' } as const] : []),
  ];
  return Promise.all(ports.map((checked) => checkPort(checked, subject)));
}

async function checkPort(checked: CheckedPort, { isRunning }: Subject): Promise<Finding> {
  const { host, port, key } = checked;
  if (port === 0) {
    return warning('port', `the ${key} listens on any free port, a new one at each start`, `set ${key}.port`);
  }
  const tried = (await tryFamilies(checked)).filter(({ isThere }) => isThere);
  const other = tried.find(({ taken }) => taken !== null && !(isRunning && taken.code === 'port-in-use'));
  if (other?.taken) return problem(other.taken.code, other.taken.message);
  const where = `${host.includes(':') ? `[${host}]` : host}:${port} (${key})`;
  return isRunning ? held(where, tried) : ok('port', `${where} is free, ${over(tried)}`);
}

/** The running Teller listens on the port, or was started with another config. */
function held(where: string, tried: readonly Family[]): Finding {
  const free = tried.filter(({ taken }) => taken === null);
  if (free.length === 0) return ok('port', `the running Teller listens on ${where}, ${over(tried)}`);
  const sentence =
    free.length === tried.length
      ? `a Teller is running but does not listen on ${where}: it was started with another port`
      : `a Teller is running but does not listen on ${where} over ${free[0]?.name}: it was started with another config`;
  return warning('port-not-held', sentence, 'restart Teller');
}

interface Family {
  readonly name: 'IPv4' | 'IPv6';
  /** Whether the operating system supports it. */
  readonly isThere: boolean;
  /** Why Teller cannot listen there; null if it can. */
  readonly taken: Problem | null;
}

const over = (families: readonly Family[]): string =>
  families.length === 1 ? `${families[0]?.name} only` : families.map(({ name }) => name).join(' and ');

/** IPv4 and IPv6 separately, to see on which of them a running Teller listens. */
async function tryFamilies({ host, port, key }: CheckedPort): Promise<readonly Family[]> {
  const at = { port, key: `${key}.port in the config`, likelyHolder: LIKELY_HOLDER };
  if (!isEveryAddress(host)) return [await tryOne({ ...at, host }, null)];
  return Promise.all([
    tryOne({ ...at, host: '0.0.0.0' }, 'IPv4'),
    tryOne({ ...at, host: '::', ipv6Only: true }, 'IPv6'),
  ]);
}

const LIKELY_HOLDER = 'another Votifier plugin, or a Teller with another ledger';

/** @param name null: the family of the address that the host resolves to */
async function tryOne(options: ListenOptions, name: Family['name'] | null): Promise<Family> {
  const server = createServer();
  try {
    const { host } = await listen(server, options);
    return { name: name ?? familyOf(host), isThere: true, taken: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isThere = name !== 'IPv6' || !isWithoutIPv6(error);
    return { name: name ?? familyOf(options.host), isThere, taken: error };
  } finally {
    server.close();
  }
}

const familyOf = (address: string): Family['name'] => (address.includes(':') ? 'IPv6' : 'IPv4');
