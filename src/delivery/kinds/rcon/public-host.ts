import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { isPublicAddress, placeText } from '../../../core/address.ts';
import { type Finding, warning } from '../../../core/finding.ts';
import type { RconConfig } from './schema.ts';

/** Whether the password would cross the internet: RCON is not encrypted. A name that cannot be resolved is no finding of this. */
export async function publicHost(
  name: string,
  { host, port }: Pick<RconConfig, 'host' | 'port'>,
  own: readonly string[] = ownAddresses(),
): Promise<readonly Finding[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const abroad = found.some(({ address }) => isPublicAddress(address) && !own.includes(address));
  if (!abroad) return [];
  return [
    warning(
      'rcon-public',
      `${name} (${placeText(host, port)}) has a public address, and RCON is not encrypted: anyone on the network path can read the password and run commands`,
      'connect over a private network, a VPN or an SSH tunnel; in a panel, use kind "pterodactyl"',
    ),
  ];
}

/** What is sent to one of these does not leave this machine. */
const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
