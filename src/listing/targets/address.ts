import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks that the operator opened for local use (NS-46), as [address, prefix length]. */
export type Networks = readonly (readonly [Address, number])[];

/** @param cidrs checked by the config, such as `127.0.0.0/8`. */
export const readNetworks = (cidrs: readonly string[]): Networks =>
  cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** What the refusal calls a range that is not public. For all other ranges it says "is not a public address". */
const RANGE_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'means this machine itself',
  loopback: 'is a loopback address',
  private: 'is a private address',
  uniqueLocal: 'is a private address',
  linkLocal: 'is a link-local address',
  carrierGradeNat: 'is shared behind a provider’s NAT',
  multicast: 'is a multicast address',
  broadcast: 'is a broadcast address',
  reserved: 'is a reserved address',
};

/**
 * Why nothing may be sent to an address, to complete a sentence that begins with it; null if it is allowed. Only
 * addresses that are known to be public are allowed: for IPv6, the only allocated block, 2000::/3.
 */
export function whyNotPublic(text: string, allowed: Networks): string | null {
  if (isIP(text) === 0) return 'is not an IP address';
  const address = throughGateways(parse(text));
  if (isWithin(address, allowed) || isPublic(address)) return null;
  return RANGE_WORDS[address.range()] ?? 'is not a public address';
}

/** Whether a string is an address in one of these networks. */
export const isInAny = (text: string, networks: Networks): boolean =>
  isIP(text) !== 0 && isWithin(throughGateways(parse(text)), networks);

/** A link-local address may name an interface (`%br-lan`), which the parser does not accept. */
const parse = (text: string): Address => ipaddr.parse(text.replace(/%.*/, ''));

const isWithin = (address: Address, networks: Networks): boolean =>
  networks.some(([network, length]) => network.kind() === address.kind() && address.match(network, length));

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, 3);
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/**
 * The IPv4 address that an IPv6 address leads to: IPv4-mapped, or with NAT64's well-known prefix, which resolvers on
 * networks without IPv4 use for every IPv4 host. Other transition addresses (6to4, Teredo, IPv4-compatible) are obsolete
 * and always refused.
 */
function throughGateways(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64, 96) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}
