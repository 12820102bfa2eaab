import ipaddr from 'ipaddr.js';

/** A peer's address as people write it: an IPv4 address inside an IPv6 one is shown as itself. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;

/** Rule 11: what counts as one address. Whoever has one IPv6 address has the whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() !== 'ipv6') return address;
  const { parts } = parsed as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
