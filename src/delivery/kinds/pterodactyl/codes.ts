export const reasons = {
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
  neverSent: {},
  unknown: {},
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
} as const;

/** Why a command was not sent that only this kind knows. */
export type PanelNotSent = keyof typeof reasons.notSent;
export type ConsoleFault = keyof typeof reasons.cannotTell;
