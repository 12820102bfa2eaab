export interface Layer {
  /** Folders, files and packages. Without a slash at the end, a folder stands for all of its files. */
  readonly imports: readonly string[];
  readonly why: string;
}

/**
 * What each folder may import, and the reason. The order counts: a file imports nothing from a layer further down. The
 * longest matching folder counts; `*` stands for every folder inside of one.
 * `npm run docs` writes this table into docs/contributing/layers.md.
 */
export const layers: Readonly<Record<string, Layer>> = {
  protocol: {
    imports: ['node:crypto', 'node:buffer', 'zod', 'protocol'],
    why: 'a codec is arithmetic on bytes: no socket, clock, disk or log',
  },
  'protocol/votifier/v1-encrypt.ts': {
    imports: ['node:crypto', 'node:buffer', 'protocol', 'node-forge'],
    why: 'the only place that makes a v1 block, so that a listener does not load node-forge',
  },
  'src/core': {
    imports: ['src/core', 'leven', 'ipaddr.js'],
    why: 'decisions are pure: time and random numbers are passed in',
  },
  'src/runtime': {
    imports: ['src/core', 'src/runtime', 'node:', 'pino'],
    why: 'the real clock, random numbers, log and sockets, in one place',
  },
  'src/sqlite': {
    imports: ['src/core', 'src/sqlite', 'node:fs', 'better-sqlite3'],
    why: 'the one driver for both databases',
  },
  'src/config/values.ts': {
    imports: ['src/core', 'node:net', 'zod', 'ipaddr.js'],
    why: 'the kinds of value that a config is made of, below all that brings a part of the config’s schema',
  },
  'src/config/secret-value.ts': {
    imports: ['src/core'],
    why: 'a secret that does not print itself, for all that are given one',
  },
  'src/rewards': {
    imports: ['src/core', 'src/config/values.ts', 'src/rewards', 'zod'],
    why: 'what a vote earns is pure: history and random numbers are passed in as values',
  },
  'src/ledger': {
    imports: ['src/core', 'src/sqlite', 'src/runtime/zone.ts', 'src/ledger', 'better-sqlite3'],
    why: 'all SQL of votes and grants and no other; another engine has to fit behind its interface; it knows the zone for the days of votes from before days were stored',
  },
  'src/delivery': {
    imports: [
      'src/core',
      'src/ledger/ledger.ts',
      'src/sqlite/lock.ts',
      'src/delivery',
      'protocol/rcon/packet.ts',
    ],
    why: 'it pays what the ledger owes and never sees how a vote arrived',
  },
  'src/delivery/game-server-kind.ts': {
    imports: ['src/core', 'src/config/secret-value.ts', 'src/delivery/game-server.ts', 'zod'],
    why: 'what each kind of game server provides, as types',
  },
  'src/delivery/*': {
    imports: [
      'src/core',
      'src/config/secret-value.ts',
      'src/config/values.ts',
      'src/runtime/connecting.ts',
      'src/delivery',
      'protocol',
      'node:',
      'zod',
    ],
    why: 'one kind of game server to a folder, with all that is special about it; it never sees the ledger',
  },
  'src/delivery/kinds.ts': { imports: ['src/delivery'], why: 'the one list of kinds' },
  'src/config': {
    imports: [
      'src/core',
      'src/config',
      'src/rewards',
      'src/runtime/write-file.ts',
      'src/delivery/game-server-kind.ts',
      'src/delivery/kinds.ts',
      'protocol/votifier/key-text.ts',
      'node:',
      'zod',
      'jsonc-parser',
      'ipaddr.js',
      'smol-toml',
      'yaml',
    ],
    why: 'the config knows what can be written in it, not what is done with it; of game servers it loads the schemas only',
  },
  'src/sender': {
    imports: ['src/core', 'src/runtime', 'src/sender', 'protocol/votifier', 'node:'],
    why: 'the listing service uses it too, so it knows nothing of the listener',
  },
  'src/webhook-send': {
    imports: ['src/core', 'src/sender/connection.ts', 'src/webhook-send', 'protocol/webhook', 'node:'],
    why: 'one delivery to a webhook, sent the same way by the listing service and by the commands that try receivers',
  },
  'src/listing-client': {
    imports: ['src/core', 'src/listing-client', 'protocol/listing-api'],
    why: 'it recovers missed votes, so it knows the API as published and nothing inside the listing service',
  },
  'src/listener': {
    imports: ['src/core', 'src/runtime', 'src/listener', 'protocol/votifier', 'protocol/proxy', 'node:'],
    why: 'it sees the `VoteIntake` interface that it owns, never the ledger',
  },
  'src/intake': {
    imports: [
      'src/core',
      'src/config/config.ts',
      'src/rewards/reward.ts',
      'src/ledger/ledger.ts',
      'src/listener/vote-intake.ts',
      'src/intake',
      'protocol/votifier',
      'protocol/webhook/refusals.ts',
    ],
    why: 'the only way for a vote into the ledger, of which it sees the interface only',
  },
  'src/recovery': {
    imports: [
      'src/core',
      'src/config/config.ts',
      'src/intake/vote-report.ts',
      'src/intake/refusal-codes.ts',
      'src/intake/reward-period.ts',
      'src/intake/intake.ts',
      'src/ledger/ledger.ts',
      'src/listing-client',
      'src/recovery',
      'protocol/listing-api',
    ],
    why: 'it finds missed votes in a listing’s API and submits them through intake like any other',
  },
  'src/webhook-in': {
    imports: [
      'src/core',
      'src/runtime',
      'src/config/config.ts',
      'src/intake/vote-report.ts',
      'src/intake/refusal-codes.ts',
      'src/intake/intake.ts',
      'src/webhook-in',
      'protocol/webhook',
      'node:',
    ],
    why: 'a second channel for votes: it verifies them and submits them through intake',
  },
  'src/practice': {
    imports: ['src/core', 'src/runtime', 'src/practice', 'protocol/rcon', 'node:'],
    why: 'a game server knows nothing of votes',
  },
  'src/backup': {
    imports: [
      'src/core',
      'src/config',
      'src/runtime/write-file.ts',
      'src/sqlite',
      'src/ledger/schema.ts',
      'src/ledger/restoring.ts',
      'src/backup',
      'better-sqlite3',
      'zod',
      'node:',
    ],
    why: 'it copies what Teller needs to continue elsewhere; of votes it knows only that they may have been paid',
  },
  'src/trace': {
    imports: [
      'src/core',
      'src/config/config.ts',
      'src/ledger/ledger.ts',
      'src/ledger/all-grants.ts',
      'src/rewards',
      'src/intake',
      'src/delivery/reasons.ts',
      'src/delivery/replies.ts',
      'src/delivery/reply-doubt.ts',
      'src/trace',
      'protocol/votifier',
    ],
    why: 'what the ledger holds, in the operator’s words, for commands and pages; it only reads. It stays outside src/operator, which changes things too, so that a reader of votes cannot import a change',
  },
  'src/control': {
    imports: ['src/core', 'src/config', 'src/runtime', 'src/sqlite/system-error.ts', 'src/control', 'node:'],
    why: 'how commands reach the running processes of a ledger: it carries one word and no config',
  },
  'src/operator': {
    imports: [
      'src/core',
      'src/config',
      'src/control',
      'src/runtime/open-files.ts',
      'src/runtime/write-file.ts',
      'src/runtime/write-set.ts',
      'src/sqlite/lock.ts',
      'src/ledger/ledger.ts',
      'src/ledger/clock-history.ts',
      'src/ledger/all-grants.ts',
      'src/rewards',
      'src/intake',
      'src/delivery/reasons.ts',
      'src/delivery/rcon/codes.ts',
      'src/delivery/rcon/login.ts',
      'src/practice/address-file.ts',
      'src/practice/control.ts',
      'src/trace',
      'src/operator',
      'protocol/votifier/key-text.ts',
      'node:',
    ],
    why: 'what an operator can do, as functions that return values; commands and pages only present them',
  },
  'src/check': {
    imports: [
      'src/core',
      'src/config',
      'src/runtime/listen.ts',
      'src/runtime/open-files.ts',
      'src/runtime/write-file.ts',
      'src/sqlite/lock.ts',
      'src/ledger/ledger.ts',
      'src/ledger/clock-history.ts',
      'src/rewards',
      'src/intake',
      'src/delivery',
      'src/trace',
      'src/operator',
      'src/listing-client',
      'src/recovery/clocks.ts',
      'src/recovery/faults.ts',
      'src/check',
      'node:',
    ],
    why: 'it looks at every part from outside and changes none; it stays outside src/operator, which it asks how things stand',
  },
  'src/web': {
    imports: ['src/core', 'src/runtime', 'src/web', 'node:', 'hono', '@hono/node-server', 'ipaddr.js'],
    why: 'the page kit and the guards that all page servers share; it knows no subject',
  },
  'src/webhook-tools': {
    imports: ['src/core', 'src/runtime', 'src/webhook-tools', 'protocol/webhook', 'node:'],
    why: 'for people who test receivers: it speaks the webhook protocol and knows nothing of listings',
  },
  'src/listing': {
    imports: [
      'src/core',
      'src/runtime',
      'src/sqlite',
      'src/sender',
      'src/webhook-send',
      'src/web',
      'src/listing',
      'protocol',
      'node:',
      'hono',
      '@hono/node-server',
      '@hono/zod-openapi',
      'ipaddr.js',
      'better-sqlite3',
    ],
    why: 'a separate web site: it never sees the listener, intake, ledger, delivery or console',
  },
  'src/environment.ts': {
    imports: ['src', 'node:'],
    why: 'time, chance, the log, and how the ledger and game servers are reached: what tests replace',
  },
  'src/parts.ts': {
    imports: ['src', 'node:'],
    why: 'it builds what the config determines, at the start and at a reload',
  },
  'src/webhook-port.ts': {
    imports: ['src', 'node:'],
    why: 'it opens the port for webhooks if a site has one',
  },
  'src/reload.ts': { imports: ['src', 'node:'], why: 'it gives every part the changed config' },
  'src/app.ts': { imports: ['src', 'node:'], why: 'it builds every part' },
  'src/loop.ts': { imports: ['src', 'protocol', 'node:'], why: 'it builds both sides and connects them' },
  'src/commands': {
    imports: ['src', 'protocol', 'node:', '@commander-js/extra-typings', '@clack/prompts'],
    why: 'commands connect the parts',
  },
  'src/cli.ts': {
    imports: ['src/commands', 'src/runtime', 'node:module', '@commander-js/extra-typings'],
    why: 'it starts one command',
  },
};
