import type { IPv4, IPv6 } from 'ipaddr.js';
import { commonJs } from './common-js.ts';

const ipaddr = commonJs('ipaddr.js') as typeof import('ipaddr.js');

/** A peer's address as people write it: an IPv4 address mapped into IPv6 is shown as IPv4. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [bare, zone] = split(address);
  const plain = ipaddr.process(bare).toString();
  return zone === undefined ? plain : `${plain}%${zone}`;
}

/**
 * Rule 11: what is limited as one address. An IPv6 address is limited by its /64, because one owner can use all of it.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const { parts } = ipaddr.IPv6.parse(split(address)[0]);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Returns a test of whether an address, as `plainAddress` returns it, is in one of these networks. */
export function withinNetworks(cidrs: readonly string[]): (address: string) => boolean {
  const networks = cidrs.map(networkOf);
  return (text) => {
    const bare = split(text)[0];
    if (!ipaddr.isValid(bare)) return false;
    const address = ipaddr.process(bare);
    return networks.some(
      ([network, length]) => network.kind() === address.kind() && address.match(network, length),
    );
  };
}

type Network = [address: IPv4 | IPv6, prefixBits: number];

/** Whether this is a network in CIDR notation. */
export const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text);

/** IPv4 networks mapped into IPv6 are treated as IPv4, as single addresses are. */
function networkOf(cidr: string): Network {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/** The address of a link-local peer names our interface (`%br-lan`), with characters that the parser rejects. */
const split = (address: string): [bare: string, zone?: string] => address.split('%', 2) as [string, string?];

/** Where something listens, as a person writes it. */
export const placeText = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Whether an address is reached over the internet: it is none of loopback, a private network or a link. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** True only for hosts that are certainly loopback: any other name may resolve to any address. */
export const isLoopback = (host: string): boolean =>
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host) || host === '::1' || host === 'localhost';
