import { normalize } from 'node:path';
import { perhapsMeant } from '../core/perhaps.ts';
import type { FaultAtPath, Path } from './fault.ts';
import type { Outline } from './outline.ts';

type RewardOutline = NonNullable<Outline['rewards'][number]>;

/** What one key asks of another: rewards name sites and game servers that are there, and each has its own name. */
export function crossCheck({
  sites,
  gameServers,
  rewards,
  ledger,
  listing,
}: Outline): readonly FaultAtPath[] {
  const siteNames = [...new Set(['default', ...Object.keys(sites)])];
  const serverNames = Object.keys(gameServers);
  const rewardFaults = rewards.flatMap((reward, at) => {
    if (reward === undefined) return [];
    const path = ['rewards', at];
    return [
      ...unknownSites(reward, path, siteNames),
      ...serverFaults(reward, path, serverNames),
      ...sharedName(reward, path, rewards.slice(0, at)),
    ];
  });
  return [...rewardFaults, ...sharedFile(ledger, listing.database)];
}

const unknownSites = (reward: RewardOutline, path: Path, known: readonly string[]): FaultAtPath[] =>
  (reward.if?.site ?? [])
    .filter((name) => !known.includes(name))
    .map((name) => unknownName([...path, 'if', 'site'], name, known, 'sites'));

function serverFaults({ servers }: RewardOutline, path: Path, known: readonly string[]): FaultAtPath[] {
  const at = [...path, 'servers'];
  if (servers === undefined) return known.length > 1 ? [serversRequired(at, known)] : [];
  if (!Array.isArray(servers) || known.length === 0) return [];
  return servers
    .filter((name) => typeof name === 'string' && !known.includes(name))
    .map((name) => unknownName(at, name, known, 'gameServers'));
}

const serversRequired = (path: Path, known: readonly string[]): FaultAtPath => ({
  code: 'config-value',
  path,
  sentence: `is required because there are ${known.length} game servers: ${JSON.stringify(known)}, some of them, or "all"`,
});

function unknownName(path: Path, name: string, known: readonly string[], where: string): FaultAtPath {
  const meant = perhapsMeant(name, known);
  const hint = meant === null ? `there are ${known.join(', ')}` : `perhaps you meant '${meant}'`;
  return { code: 'config-unknown-name', path, sentence: `'${name}' is not in \`${where}\`; ${hint}` };
}

function sharedName({ name }: RewardOutline, path: Path, earlier: readonly (RewardOutline | undefined)[]) {
  if (name === undefined || !earlier.some((other) => other?.name === name)) return [];
  const sentence = `another reward has the name '${name}' already`;
  return [{ code: 'config-value', path: [...path, 'name'], sentence } satisfies FaultAtPath];
}

const sharedFile = (ledger: string, database: string): FaultAtPath[] => {
  const isShared = ledger !== '' && normalize(ledger) === normalize(database);
  const sentence = 'must not be the file of `ledger`';
  return isShared ? [{ code: 'config-value', path: ['listing', 'database'], sentence }] : [];
};
