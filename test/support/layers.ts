export interface Layer {
  /** Folders, files and packages. A folder means all of its files; an entry that ends in a colon means a prefix. */
  readonly imports: readonly string[];
  readonly why: string;
}

/**
 * What each folder may import, and why. A file imports nothing from a layer further down. The longest matching folder
 * applies; `*` matches every folder inside of one.
 * `npm run docs` writes this table into docs/contributing/layers.md.
 */
export const layers: Readonly<Record<string, Layer>> = {
  protocol: {
    imports: ['node:crypto', 'node:buffer', 'zod', 'protocol'],
    why: 'a codec only computes on bytes: no socket, clock, disk or log',
  },
  'protocol/votifier/v1-encrypt.ts': {
    imports: ['node:crypto', 'node:buffer', 'protocol', 'node-forge'],
    why: 'it creates v1 blocks; a separate layer, so that a listener does not load node-forge',
  },
  'src/core': {
    imports: ['src/core', 'leven', 'ipaddr.js'],
    why: 'decisions are pure functions: time and random numbers are parameters',
  },
  'src/core/common-js.ts': {
    imports: ['node:module'],
    why: 'it loads CommonJS packages for every layer; the packages are still checked',
  },
  'src/runtime': {
    imports: ['src/core', 'src/runtime', 'node:'],
    why: 'the real clock, random numbers, log, sockets and threads',
  },
  'src/sqlite': {
    imports: [
      'src/core',
      'src/runtime/thread.ts',
      'src/sqlite',
      'node:fs',
      'node:worker_threads',
      'better-sqlite3',
    ],
    why: 'the SQLite driver of the ledger and of the listing service’s database',
  },
  'src/config/values.ts': {
    imports: ['src/core', 'node:net', 'zod'],
    why: 'the types of config values, shared by every folder that defines a part of the config’s schema',
  },
  'src/config/secret-value.ts': {
    imports: ['src/core'],
    why: 'a secret that never prints its value, for every layer that handles one',
  },
  'src/rewards': {
    imports: ['src/core', 'src/config/values.ts', 'src/rewards', 'zod'],
    why: 'conditions and rewards are pure functions: history and random numbers are parameters; so is the validator, of which only the types are imported: the ledger’s thread does not load it',
  },
  'src/ledger': {
    imports: ['src/core', 'src/rewards', 'src/ledger'],
    why: 'the interface of the ledger, without SQL; each engine has a folder of its own',
  },
  'src/ledger/sqlite': {
    imports: [
      'src/core',
      'src/rewards',
      'src/sqlite',
      'src/runtime/thread.ts',
      'src/runtime/zone.ts',
      'src/ledger',
      'better-sqlite3',
      'node:fs',
      'node:path',
    ],
    why: 'all SQL for votes and grants; it needs the time zone to work out the day of old votes that were stored without one',
  },
  'src/ledger/sqlite/ledger-thread.ts': {
    imports: ['src/runtime/clock.ts', 'src/sqlite', 'src/ledger/sqlite'],
    why: 'the whole of the ledger’s thread, which has a real clock of its own',
  },
  'src/delivery': {
    imports: ['src/core', 'src/ledger/ledger.ts', 'src/delivery', 'protocol/rcon/packet.ts'],
    why: 'it runs the commands of grants and does not know how a vote arrived',
  },
  'src/delivery/game-server-kind.ts': {
    imports: ['src/core', 'src/config/secret-value.ts', 'src/delivery/game-server.ts', 'zod'],
    why: 'the types of a kind’s descriptor',
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
    why: 'one folder for each kind of game server; a kind never sees the ledger',
  },
  'src/delivery/kinds.ts': { imports: ['src/delivery'], why: 'the list of all kinds' },
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
    why: 'it reads and checks the config and does nothing with it; it loads only the schemas of game servers',
  },
  'src/sender': {
    imports: ['src/core', 'src/runtime', 'src/sender', 'protocol/votifier', 'node:'],
    why: 'it sends votes, for Teller and for the listing service; it does not depend on the listener',
  },
  'src/webhook-send': {
    imports: ['src/core', 'src/sender/connection.ts', 'src/webhook-send', 'protocol/webhook', 'node:'],
    why: 'it sends one webhook, for the listing service and for the commands that test receivers',
  },
  'src/listing-client': {
    imports: ['src/core', 'src/listing-client', 'protocol/listing-api'],
    why: 'a client of the published API; it does not depend on the listing service’s code',
  },
  'src/listener': {
    imports: ['src/core', 'src/runtime', 'src/listener', 'protocol/votifier', 'protocol/proxy', 'node:'],
    why: 'it passes votes to the `VoteIntake` interface and never sees the ledger',
  },
  'src/intake': {
    imports: [
      'src/core',
      'src/config/config.ts',
      'src/rewards/arrival.ts',
      'src/rewards/reward.ts',
      'src/ledger/ledger.ts',
      'src/listener/vote-intake.ts',
      'src/intake',
      'protocol/votifier',
      'protocol/webhook/refusals.ts',
    ],
    why: 'every vote enters the ledger here, through the ledger’s interface',
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
    why: 'it finds missed votes in a listing’s API and submits them to intake',
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
    why: 'it receives votes by webhook, verifies them and submits them to intake',
  },
  'src/practice': {
    imports: ['src/core', 'src/runtime', 'src/practice', 'protocol/rcon', 'node:'],
    why: 'the practice game server: it runs commands and knows nothing of votes',
  },
  'src/backup': {
    imports: [
      'src/core',
      'src/config',
      'src/runtime/write-file.ts',
      'src/sqlite',
      'src/ledger/sqlite/schema.ts',
      'src/ledger/sqlite/restoring.ts',
      'src/backup',
      'better-sqlite3',
      'zod',
      'node:',
    ],
    why: 'it copies and restores config, keys, secrets and ledger; it reads no votes',
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
    why: 'it describes votes and grants for commands and pages; it is separate from src/operator because it only reads',
  },
  'src/control': {
    imports: ['src/core', 'src/config', 'src/runtime', 'src/sqlite/system-error.ts', 'src/control', 'node:'],
    why: 'commands send single words to the running processes of a ledger through it',
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
    why: 'the operator’s actions, as functions that return values; commands and pages present these',
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
      'src/ledger/deep-check.ts',
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
    why: 'it examines every part and changes none, so it is separate from src/operator',
  },
  'src/web': {
    imports: ['src/core', 'src/runtime', 'src/web', 'node:', 'hono', '@hono/node-server', 'ipaddr.js'],
    why: 'the page components and request checks that all page servers share',
  },
  'src/webhook-tools': {
    imports: ['src/core', 'src/runtime', 'src/webhook-tools', 'protocol/webhook', 'node:'],
    why: 'the sink and the sample receiver, for people who test webhooks; they depend on the protocol only',
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
    why: 'a separate web site: it never sees the listener, intake, ledger or delivery',
  },
  'src/listing/changes': {
    imports: ['src/core', 'src/sqlite', 'src/web', 'src/webhook-send', 'src/listing', 'protocol'],
    why: 'what a transaction does, on the thread of the database: times and random values are arguments',
  },
  'src/listing/reads': {
    imports: ['src/core', 'src/sqlite', 'src/web', 'src/listing'],
    why: 'the long queries, on a thread of their own',
  },
  'src/environment.ts': {
    imports: ['src', 'node:'],
    why: 'what tests replace: time, random numbers, the log, the ledger and game servers',
  },
  'src/parts.ts': {
    imports: ['src', 'node:'],
    why: 'it builds the parts that depend on the config, at the start and at a reload',
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
