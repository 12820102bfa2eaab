import type { ConfigAround, KindFault } from '../../game-server-kind.ts';

/** What is wrong with an entry of kind votifier beside its single keys. */
export const faultsOf = (entry: Entry, around: ConfigAround): readonly KindFault[] => [
  ...authFaults(entry),
  ...ownListenerFaults(entry, around),
  ...paidTwiceFaults(entry, around),
];

type Entry = Readonly<Record<string, unknown>>;

function authFaults({ protocol = 'v2', token, publicKey }: Entry): readonly KindFault[] {
  if (protocol === 'v2' && token === undefined)
    return [
      {
        key: 'token',
        sentence: 'is missing; version 2 signs each vote with the token of the other listener',
      },
    ];
  if (protocol === 'v1' && publicKey === undefined)
    return [
      {
        key: 'publicKey',
        sentence: 'is missing; version 1 encrypts each vote with the public key of the other listener',
      },
    ];
  return [];
}

/** What it sent to itself would be recognized as the same votes, but nothing would be forwarded. */
function ownListenerFaults(
  { host = '127.0.0.1', port = 8192 }: Entry,
  { listener }: ConfigAround,
): readonly KindFault[] {
  if (port !== listener.port || !isHere(String(host), listener.host)) return [];
  const sentence = `is the port of this Teller's own listener (listener.port); name the port of the other one`;
  return [{ key: 'port', sentence }];
}

function paidTwiceFaults({ pays }: Entry, { isAllPaidHere }: ConfigAround): readonly KindFault[] {
  if (pays !== true || !isAllPaidHere) return [];
  const sentence =
    'needs a `pay` that leaves votes to the other listener, or both would pay: set "pay": {"mode": "shadow"}, or pay.from to the time of the hand-over';
  return [{ key: 'pays', sentence }];
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::)$/i;

const isHere = (host: string, own: string): boolean => host === own || LOOPBACK.test(host);
