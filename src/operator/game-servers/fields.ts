import { GAME_SERVER_NAME_RULE, gameServerName } from '../../config/schema-game-servers.ts';
import { checkedSecret } from '../../config/secret.ts';
import { connectingPort, host } from '../../core/config-values.ts';
import { type EnteredManagement, type ManagementField, managementFaultsIn } from './management.ts';

/** A game server with RCON as the operator enters it. */
export interface EnteredGameServer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** The game server whose place in the config it takes, such as the practice server of a first start; null: none. */
  readonly replaces: string | null;
  /** null: as it is in the config; a game server that is new there has none. */
  readonly management: EnteredManagement | null;
}

export type EntryField = Exclude<keyof EnteredGameServer, 'management'> | ManagementField;

/** Why what was entered cannot be written. The codes are stable. */
export const entryFaultCodes = {
  'game-server-name': 'The name is not one that a game server can have.',
  'game-server-taken': 'A game server with this name is in the config already.',
  'game-server-host': 'The host is not an address or a host name.',
  'game-server-port': 'The port is not a number that a port can have.',
  'game-server-password': 'The password is missing, is an example, or is more than one line.',
  'game-server-replaced': 'The game server that was to be replaced is not in the config.',
  'game-server-management-port': 'The port of the management protocol is not a number that a port can have.',
  'game-server-management-secret':
    'The secret of the management protocol is missing, is an example, or is more than one line.',
  'game-server-management-certificate':
    'The certificate of the management protocol is not a path, or is given without TLS.',
} as const;

export interface EntryFault {
  readonly field: EntryField;
  readonly code: keyof typeof entryFaultCodes;
  /** Follows the name of the field. Never contains the password or the secret. */
  readonly sentence: string;
}

/** All faults at once. @param present the names in the config. */
export function faultsIn(entered: EnteredGameServer, present: readonly string[]): readonly EntryFault[] {
  const { name, replaces, password } = entered;
  const secret = checkedSecret(password, 'it');
  return [
    ...(gameServerName.safeParse(name).success
      ? []
      : [fault('name', 'game-server-name', GAME_SERVER_NAME_RULE)]),
    ...(present.includes(name) && replaces !== name
      ? [
          fault(
            'name',
            'game-server-taken',
            `'${name}' is in the config already; replace it, or choose another name`,
          ),
        ]
      : []),
    ...schemaFault('host', 'game-server-host', host.safeParse(entered.host)),
    ...schemaFault('port', 'game-server-port', connectingPort.safeParse(entered.port)),
    ...(typeof secret === 'string' ? [] : [fault('password', 'game-server-password', secret.sentence)]),
    ...(replaces === null || present.includes(replaces)
      ? []
      : [
          fault(
            'replaces',
            'game-server-replaced',
            `'${replaces}' is not in the config; it has ${present.join(', ')}`,
          ),
        ]),
    ...(entered.management === null ? [] : managementFaultsIn(entered.management)).map((each) =>
      fault(each.field, MANAGEMENT_CODES[each.field], each.sentence),
    ),
  ];
}

const MANAGEMENT_CODES = {
  managementPort: 'game-server-management-port',
  managementSecret: 'game-server-management-secret',
  managementCertificate: 'game-server-management-certificate',
} as const satisfies Readonly<Record<ManagementField, EntryFault['code']>>;

/** Quotes are written in a config, and not in a form or a command. */
const fault = (field: EntryFault['field'], code: EntryFault['code'], sentence: string): EntryFault => ({
  ...{ field, code, sentence: sentence.replace(/, without quotes$/, '') },
});

const schemaFault = (
  field: EntryFault['field'],
  code: EntryFault['code'],
  read: { readonly success: boolean; readonly error?: { readonly issues: readonly { message: string }[] } },
): readonly EntryFault[] =>
  read.success ? [] : [fault(field, code, read.error?.issues[0]?.message ?? entryFaultCodes[code])];
