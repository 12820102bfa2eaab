import ipaddr from 'ipaddr.js';

/** A client with one IPv6 address usually has its whole /64: four of the eight parts of an address. */
const NETWORK_PARTS = 4;

/** What counts as one client (NS-17): an IPv4 address, even if mapped into IPv6, or an IPv6 /64. */
export function clientOf(peerAddress: string): string {
  const [address = ''] = peerAddress.split('%', 1);
  if (!ipaddr.isValid(address)) return peerAddress;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, NETWORK_PARTS);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
