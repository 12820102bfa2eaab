import type { FindingCode } from '../../../core/finding.ts';

/** Why the management protocol of a game server cannot be used. */
export type ManagementFault = Exclude<
  Extract<FindingCode, `management-${string}`>,
  'management-secret-unknown'
>;

const SENTENCES: Readonly<Record<ManagementFault, string>> = {
  'management-unreachable':
    'cannot connect to the address in `management`; check that the game server is running, with management-server-enabled=true and a fixed management-server-port in server.properties',
  'management-host-unknown': 'the host name in `management` cannot be resolved; correct it',
  'management-timeout': 'the address in `management` does not answer in time',
  'management-wrong-secret':
    'the game server refused the secret (HTTP 401); compare it with management-server-secret in server.properties',
  'management-certificate':
    'the file named by `managementCertificate` cannot be read, or is not a certificate in PEM form',
  'management-tls-failed':
    'TLS handshake failed; name its certificate in `managementCertificate`, or, if management-server-tls-enabled=false there, begin `management` with ws://',
  'management-not-spoken':
    'the answer from the address in `management` is not the management protocol; compare the port with management-server-port, and if management-server-tls-enabled=true there, begin `management` with wss://',
  'management-too-old':
    'the game server has no method minecraft:players; the management protocol needs Java Edition 1.21.9 or later',
  'management-bad-answer':
    'the game server answered minecraft:players with something that is not a list of players',
  'management-closed': 'the game server closed the connection of the management protocol',
};

/** What a fault means for the operator of the game server with this name. */
export const unreported = (name: string, fault: ManagementFault): string =>
  `${name} does not report joins as they happen, so Teller reads its player list over RCON: ${SENTENCES[fault]}`;
