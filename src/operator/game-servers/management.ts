import { checkedSecret } from '../../config/secret.ts';
import { placeText } from '../../core/address.ts';
import { connectingPort, file } from '../../core/config-values.ts';
import type { Finding, FindingCode } from '../../core/finding.ts';

/** The server management protocol of a game server as the operator enters it. It is at the host of its RCON. */
export interface EnteredManagement {
  readonly port: number;
  readonly secret: string;
  readonly isTls: boolean;
  /** The path of its certificate in PEM form, from the folder of the config; null: a public authority issued it. */
  readonly certificate: string | null;
}

/** A field of the form. */
export type ManagementField = 'managementPort' | 'managementSecret' | 'managementCertificate';

export interface ManagementFieldFault {
  readonly field: ManagementField;
  /** Follows the name of the field. Never contains the secret. */
  readonly sentence: string;
}

/** All faults at once, in the words of the config's schema. */
export function managementFaultsIn(entered: EnteredManagement): readonly ManagementFieldFault[] {
  const { port, secret, isTls, certificate } = entered;
  const found = checkedSecret(secret, 'it');
  return [
    ...schemaFault('managementPort', connectingPort.safeParse(port)),
    ...(typeof found === 'string' ? [] : [{ field: 'managementSecret', sentence: found.sentence } as const]),
    ...(certificate === null ? [] : schemaFault('managementCertificate', file.safeParse(certificate))),
    ...(certificate === null || isTls
      ? []
      : [{ field: 'managementCertificate', sentence: 'needs TLS' } as const]),
  ];
}

const schemaFault = (
  field: ManagementField,
  { error }: { readonly error?: { readonly issues: readonly { readonly message: string }[] } },
): readonly ManagementFieldFault[] =>
  error === undefined ? [] : [{ field, sentence: error.issues[0]?.message ?? 'cannot be used' }];

/** The value of `management` in the config. */
export const managementUrl = (host: string, { port, isTls }: EnteredManagement): string =>
  `${isTls ? 'wss' : 'ws'}://${placeText(host, port)}`;

type ManagementCode = Exclude<Extract<FindingCode, `management-${string}`>, 'management-secret-unknown'>;

/** Why a game server that was tried does not report joins. The code is that of the finding. */
export interface JoinsRefusal extends ManagementFieldFault {
  readonly code: ManagementCode;
}

/** null: the finding is about something else, or it does report them. */
export function refusalOf({ code }: Pick<Finding, 'code'>): JoinsRefusal | null {
  const fault = (REFUSALS as Readonly<Record<string, ManagementFieldFault>>)[code];
  return fault === undefined ? null : { code: code as ManagementCode, ...fault };
}

/** Each names the field to correct and says what to do, for somebody who has no config before their eyes. */
const REFUSALS: Readonly<Record<ManagementCode, ManagementFieldFault>> = {
  'management-unreachable': {
    field: 'managementPort',
    sentence:
      'accepts no connections; check that the game server was restarted with management-server-enabled=true and this management-server-port in server.properties',
  },
  'management-host-unknown': {
    field: 'managementPort',
    sentence: 'cannot be reached, because the host name in the address cannot be resolved; correct it',
  },
  'management-timeout': {
    field: 'managementPort',
    sentence: 'does not answer in time; check the firewall, and management-server-host in server.properties',
  },
  'management-wrong-secret': {
    field: 'managementSecret',
    sentence:
      'was refused by the game server (HTTP 401); copy it again from management-server-secret in server.properties',
  },
  'management-certificate': {
    field: 'managementCertificate',
    sentence: 'cannot be read, or is not a certificate in PEM form',
  },
  'management-tls-failed': {
    field: 'managementCertificate',
    sentence:
      'does not fit, or the port has no TLS (the TLS handshake failed); name the certificate of the game server, or turn TLS off if management-server-tls-enabled=false there',
  },
  'management-not-spoken': {
    field: 'managementPort',
    sentence:
      'does not answer with the management protocol; compare it with management-server-port, and turn TLS on if management-server-tls-enabled=true there',
  },
  'management-too-old': {
    field: 'managementPort',
    sentence:
      'belongs to a game server without the method minecraft:players; the management protocol needs Java Edition 1.21.9 or later',
  },
  'management-bad-answer': {
    field: 'managementPort',
    sentence: 'answered with something that is not a list of players',
  },
  'management-closed': {
    field: 'managementPort',
    sentence: 'closed the connection; try again when the game server has started',
  },
};
