/** A server in a Pterodactyl or Pelican panel, whose console takes the commands. */
import * as z from 'zod';
import { errorSentence, httpUrl, secretReference } from '../../core/config-values.ts';
import type { ConfigOf, KindInConfig } from '../game-server.ts';

const idError = errorSentence('must be the ID of the server, as in the address of its page in the panel');

const schema = {
  url: httpUrl.describe('pterodactyl: the address of the panel, such as "https://panel.example.com".'),
  server: z
    .string(idError)
    .regex(/^[\da-f]{8}(?:-[\da-f]{4}){0,3}(?:-[\da-f]{12})?$/i, idError)
    .meta({ title: 'server ID' })
    .describe('pterodactyl: the ID of the server, as in the address of its page in the panel.'),
  apiKey: secretReference.describe(
    'pterodactyl: an API key of an account that may send commands to the server: "file:PATH", "env:NAME" or the text.',
  ),
  console: z
    .boolean()
    .default(true)
    .describe(
      'pterodactyl: whether Teller reads the console of the server, to see who is online and what commands print; the account needs the permission for that.',
    ),
};

export type PterodactylConfig = ConfigOf<typeof schema, 'apiKey'>;

const reasons = {
  notSent: {
    'pterodactyl.not-let-in':
      'the panel refused the API key (HTTP 401 or 403); it must be a key of an account, not of the application, and the account needs the permission to send commands (control.console)',
    'pterodactyl.no-server':
      'the panel knows no server with this ID (HTTP 404); compare `server` with the address of its page in the panel',
    'pterodactyl.offline': 'the panel says that the game server is not running',
    'pterodactyl.not-ready':
      'the panel lets no command through now (HTTP 409): the server is being installed or moved, or is suspended',
    'pterodactyl.untrusted':
      'Teller asks the console nothing that decides about a payment, because players can imitate its answers in the chat',
  },
  cannotTell: {
    'pterodactyl.console-off': '`console` is false for this game server, so who is online is not seen',
    'pterodactyl.console-refused':
      'the panel does not let this account read the console, where Teller sees who is online; give it the permission websocket.connect, or set `console` to false and give its rewards "when": "always"',
    'pterodactyl.console-unencrypted':
      'the panel is reached by https, but gives an address of the console that begins with ws://, where its token would travel unencrypted, so Teller does not connect; give Wings a certificate, or set `console` to false and give the rewards "when": "always"',
    'pterodactyl.console-closed': 'the console of the game server cannot be read now; Teller tries again',
    'pterodactyl.list-unseen':
      'the console shows no answer to `list` that Teller understands; the game server must be Minecraft Java Edition 1.16 or later',
    'pterodactyl.list-twice':
      'the console showed two answers to one `list`, so a player may have imitated one in the chat',
  },
};

/** Why a command was not sent that only this kind knows. */
export type PanelNotSent = keyof typeof reasons.notSent;

/** Why the console does not say who is online. */
export type ConsoleFault = keyof typeof reasons.cannotTell;

export const pterodactyl: KindInConfig<PterodactylConfig> = {
  name: 'pterodactyl',
  means: 'a server in a Pterodactyl or Pelican panel',
  schema,
  secretKey: 'apiKey',
  placeOf: ({ url, server }) => `${new URL(url).host}, server ${server}`,
  reasons,
  reportsPresence: ({ console: readsConsole = true }) => readsConsole === true,
  isPractice: false,
};
