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
  const networks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (text) => {
    const bare = split(text)[0];
    if (!ipaddr.isValid(bare)) return false;
    const address = ipaddr.process(bare);
    return networks.some(
      ([network, length]) => network.kind() === address.kind() && address.match(network, length),
    );
  };
}

/** A link-local peer's address names our interface (`%br-lan`), in letters that the parser does not take. */
const split = (address: string): [bare: string, zone?: string] => address.split('%', 2) as [string, string?];
