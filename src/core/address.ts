import ipaddr from 'ipaddr.js';

/** A peer's address as people write it: an IPv4 address inside an IPv6 one is shown as itself. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [bare, zone] = split(address);
  const plain = ipaddr.process(bare).toString();
  return zone === undefined ? plain : `${plain}%${zone}`;
}

/** Rule 11: what counts as one address. Whoever has one IPv6 address has the whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const { parts } = ipaddr.IPv6.parse(split(address)[0]);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Whether an address, as `plainAddress` gives it, is in one of these networks. Made once for many addresses. */
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

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** As with single addresses, IPv4 inside of IPv6 is IPv4. */
function networkOf(cidr: string): Network {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/** A link-local peer's address names our interface (`%br-lan`), in letters that the parser does not take. */
const split = (address: string): [bare: string, zone?: string] => address.split('%', 2) as [string, string?];

/** Only what can be nothing else: a name may resolve to any address. */
export const isLoopback = (host: string): boolean =>
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host) || host === '::1' || host === 'localhost';
