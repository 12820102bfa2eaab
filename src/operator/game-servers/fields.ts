import { GAME_SERVER_NAME_RULE, gameServerName } from '../../config/schema-game-servers.ts';
import { checkedSecret } from '../../config/secret.ts';
import { connectingPort, host } from '../../core/config-values.ts';

/** A game server with RCON as the operator enters it. */
export interface EnteredGameServer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** The game server whose place in the config it takes, such as the practice server of a first start; null: none. */
  readonly replaces: string | null;
}

export type EntryField = keyof EnteredGameServer;

/** Why what was entered cannot be written. The codes are stable. */
export const entryFaultCodes = {
  'game-server-name': 'The name is not one that a game server can have.',
  'game-server-taken': 'A game server with this name is in the config already.',
  'game-server-host': 'The host is not an address or a host name.',
  'game-server-port': 'The port is not a number that a port can have.',
  'game-server-password': 'The password is missing, is an example, or is more than one line.',
  'game-server-replaced': 'The game server that was to be replaced is not in the config.',
} as const;

export interface EntryFault {
  readonly field: EntryField;
  readonly code: keyof typeof entryFaultCodes;
  /** Follows the name of the field. Never contains the password. */
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
  ];
}

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
