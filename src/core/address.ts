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

/** A link-local peer's address names our interface (`%br-lan`), in letters that the parser does not take. */
const split = (address: string): [bare: string, zone?: string] => address.split('%', 2) as [string, string?];
