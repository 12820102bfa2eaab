import * as z from 'zod';
import { connectingPort, errorSentence, file, host, secretReference } from '../../../core/config-values.ts';
import type { ConfigOf } from '../../game-server-kind.ts';

/** Also of practice. */
export const proof = (kind: string) =>
  z
    .enum(['none', 'storage'])
    .default('none')
    .describe(
      `${kind}: how to find out whether a command ran whose reply was lost. "storage": each command leaves a mark in a command storage of the game (Minecraft Java 1.15 and newer).`,
    );

const noManagementUrl = errorSentence(
  'must be a ws or wss address without a user or password, such as "ws://127.0.0.1:25585"',
);

const managementUrl = z
  .string(noManagementUrl)
  .max(2_048, noManagementUrl)
  .refine((text) => URL.canParse(text) && isWebSocketUrl(new URL(text)), noManagementUrl)
  .meta({ title: 'web address' });

const isWebSocketUrl = ({ protocol, username, password, hash }: URL): boolean =>
  /^wss?:$/.test(protocol) && username === '' && password === '' && hash === '';

export const schema = {
  host: host.prefault('127.0.0.1').describe('rcon: where the game server listens.'),
  port: connectingPort.prefault(25_575).describe('rcon: `rcon.port` of server.properties; 25575 by default.'),
  password: secretReference.describe(
    'rcon: `rcon.password` of server.properties: "file:PATH", "env:NAME" or the text.',
  ),
  noReply: z
    .enum(['unknown', 'delivered'])
    .default('unknown')
    .describe(
      'rcon: what to assume when a command gets no reply but a following `list` does. Use "delivered" for a server that sends nothing for a command without output.',
    ),
  proof: proof('rcon'),
  management: managementUrl
    .optional()
    .describe(
      'rcon: where the game server offers the server management protocol, with management-server-port of server.properties; it then reports joins as they happen. Default: none.',
    ),
  managementSecret: secretReference
    .optional()
    .describe('rcon: `management-server-secret` of server.properties: "file:PATH", "env:NAME" or the text.'),
  managementCertificate: file
    .optional()
    .describe(
      'rcon: the path of the certificate of the management protocol in PEM form, if no public authority issued it.',
    ),
};

export type RconConfig = ConfigOf<typeof schema, 'password' | 'managementSecret'>;
