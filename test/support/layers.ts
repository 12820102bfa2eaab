export interface Layer {
  /** Folders, files and packages. A folder means all of its files; an entry that ends in a colon means a prefix. */
  readonly imports: readonly string[];
  readonly why: string;
}

/** What most folders need. */
const BASE = ['src/core', 'src/platform', 'node:'];

/**
 * What each folder may import besides its own files, and why. A file imports nothing from a folder further down.
 * `npm run docs` writes this table into docs/contributing/layers.md.
 */
export const layers: Readonly<Record<string, Layer>> = {
  protocol: {
    imports: ['node:crypto', 'zod'],
    why: 'a codec only computes on bytes: no socket, clock, disk or log',
  },
  'src/core': {
    imports: ['node:module', 'node:net', 'leven', 'ipaddr.js', 'zod'],
    why: 'values and pure rules that every folder shares: time and random numbers are parameters',
  },
  'src/platform': {
    imports: ['src/core', 'node:', 'pino', 'better-sqlite3'],
    why: 'the real clock, random numbers, log, files, sockets, threads, SQLite’s driver and the service of the machine',
  },
  'src/db': {
    imports: [...BASE, 'better-sqlite3'],
    why: 'the engine of what is stored: files, threads, transactions; it does not know what is in them',
  },
  'src/sender': {
    imports: [...BASE, 'protocol/votifier'],
    why: 'it sends votes, for Teller and for the listing service; it does not depend on the listener',
  },
  'src/rewards': {
    imports: ['src/core', 'node:crypto', 'zod'],
    why: 'what a vote earns, as pure functions: history and random numbers are parameters',
  },
  'src/ledger': {
    imports: ['src/core', 'src/platform', 'src/db', 'src/rewards', 'node:crypto', 'node:fs', 'node:path'],
    why: 'what is stored, as functions that take a transaction: `src/ledger/calls.ts` lists them, `src/ledger/ledger.ts` opens the ledger and derives its interface from them, and `src/ledger/on-threads.ts` runs it on threads',
  },
  'src/delivery': {
    imports: [...BASE, 'src/sender', 'src/rewards', 'src/ledger/ledger.ts', 'protocol', 'zod', 'ws'],
    why: 'it pays what was earned, also what players earn together, and does not know how a vote arrived',
  },
  'src/config': {
    imports: [
      ...BASE,
      'src/rewards',
      'src/delivery/game-server.ts',
      'src/delivery/kinds.ts',
      'protocol/votifier/v1.ts',
      'zod',
      'jsonc-parser',
      'smol-toml',
      'yaml',
    ],
    why: 'it reads and checks the config and does nothing with it; of game servers it loads only the schemas',
  },
  'src/notify': {
    imports: [
      ...BASE,
      'src/config/config.ts',
      'src/ledger/ledger.ts',
      'src/delivery/outcomes.ts',
      'protocol/webhook.ts',
      'protocol/events.ts',
      'zod',
      'prom-client',
    ],
    why: 'it tells operators and other programs what the ledger says has happened',
  },
  'src/votes': {
    imports: [...BASE, 'src/rewards', 'src/ledger/ledger.ts', 'src/config/config.ts', 'protocol'],
    why: 'every vote comes in here, by the listener, a webhook or a listing’s API, and enters the ledger through its interface',
  },
  'src/practice': {
    imports: [...BASE, 'protocol'],
    why: 'the practice game server and receivers of webhooks to test with: they know nothing of the ledger',
  },
  'src/plugins': {
    imports: [...BASE, 'yaml'],
    why: 'it reads the files of other plugins: text in, facts out; it does not know what becomes of them',
  },
  'src/operator': {
    imports: [
      ...BASE,
      'src/sender',
      'src/rewards',
      'src/db/lock.ts',
      'src/db/sqlite.ts',
      'src/db/batch.ts',
      'src/ledger',
      'src/delivery',
      'src/config',
      'src/notify',
      'src/votes',
      'src/practice',
      'src/plugins',
      'protocol',
      'zod',
      'better-sqlite3',
    ],
    why: 'what an operator asks and does, as functions that return values; commands and pages present these. Of `src/db` only what a backup needs to copy and replace a file, and what says whether another process delivers',
  },
  'src/web': {
    imports: [...BASE, 'hono', '@hono/node-server', 'ipaddr.js'],
    why: 'the page components and request checks that all page servers share',
  },
  'src/listing': {
    imports: [
      ...BASE,
      'src/db',
      'src/sender',
      'src/notify/outbox',
      'src/notify/webhook',
      'src/web',
      'protocol',
      'hono',
      '@hono/zod-openapi',
      'ipaddr.js',
      'better-sqlite3',
    ],
    why: 'a separate web site: it never sees the listener, intake, ledger or delivery',
  },
  'src/main': {
    imports: [
      ...BASE,
      'src/rewards',
      'src/ledger',
      'src/delivery',
      'src/config',
      'src/notify',
      'src/votes',
      'src/practice',
      'src/listing',
      'protocol',
    ],
    why: 'it builds every part, at the start and at a reload, and for `loop` both sides, and connects them',
  },
  'src/console': {
    imports: [
      ...BASE,
      'src/rewards',
      'src/ledger/ledger.ts',
      'src/config',
      'src/notify/metrics',
      'src/operator',
      'src/web',
      'src/main/app.ts',
      'hono',
    ],
    why: 'the operator’s pages: they show what src/operator returns and do what it can do, without rules and SQL of their own',
  },
  'src/commands': {
    imports: ['src', 'protocol', 'package.json', 'node:', '@commander-js/extra-typings', '@clack/prompts'],
    why: 'the command line: commands connect the parts',
  },
  'src/library': {
    imports: ['src', 'protocol', 'node:'],
    why: 'what the package exports to other programs; it connects the parts as the commands do',
  },
};
