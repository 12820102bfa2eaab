import ipaddr from 'ipaddr.js';

/** Whoever has one IPv6 address has the whole network of 64 bits: four of its eight parts. */
const NETWORK_PARTS = 4;

/** What counts as one client (NS-17): an IPv4 address, also inside an IPv6 one, or an IPv6 /64. */
export function clientOf(peerAddress: string): string {
  const [address = ''] = peerAddress.split('%', 1);
  if (!ipaddr.isValid(address)) return peerAddress;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, NETWORK_PARTS);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
