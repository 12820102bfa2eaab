import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Who may know whom. An import goes to a lower floor, or across where the table says so; the reason says what the
 * rule protects. Longest matching folder counts.
 */
const FLOORS: Readonly<Record<string, { readonly knows: readonly string[]; readonly why: string }>> = {
  protocol: {
    knows: ['node:crypto', 'node:buffer', 'zod', 'protocol'],
    why: 'a codec is arithmetic on bytes',
  },
  'protocol/votifier/v1-encrypt.ts': {
    knows: ['node:crypto', 'node:buffer', 'protocol', 'node-forge'],
    why: 'the one place where a v1 block is made, so that a listener does not load node-forge',
  },
  'src/core': {
    knows: ['src/core', 'leven', 'ipaddr.js'],
    why: 'decisions are pure: time and dice come in as parameters',
  },
  'src/runtime': {
    knows: ['src/core', 'src/runtime', 'node:', 'pino'],
    why: 'the real clock, dice, log and sockets',
  },
  'src/config': {
    knows: [
      'src/core',
      'src/config',
      'src/runtime/write-file.ts',
      'protocol/votifier/key-text.ts',
      'node:',
      'zod',
      'jsonc-parser',
      'ipaddr.js',
      'smol-toml',
      'yaml',
    ],
    why: 'the config knows what may be written, not what is done with it',
  },
  'src/sqlite': {
    knows: ['src/core', 'src/sqlite', 'node:fs', 'better-sqlite3'],
    why: 'the one driver for both databases',
  },
  'src/ledger': {
    knows: ['src/core', 'src/sqlite', 'src/ledger', 'better-sqlite3'],
    why: "the vote side's SQL and nothing else's; a second engine must fit behind its interface",
  },
  'src/sender': {
    knows: ['src/core', 'src/runtime', 'src/sender', 'protocol/votifier', 'node:'],
    why: 'the listing service uses it too, and knows nothing of the listener',
  },
  'src/listener': {
    knows: ['src/core', 'src/runtime', 'src/listener', 'protocol/votifier', 'protocol/proxy', 'node:'],
    why: 'it sees the VoteIntake interface that it owns, never the ledger',
  },
  'src/intake': {
    knows: [
      'src/core',
      'src/config/config.ts',
      'src/ledger/ledger.ts',
      'src/listener/vote-intake.ts',
      'src/intake',
      'protocol/votifier',
      'protocol/webhook/refusals.ts',
    ],
    why: 'the one door for votes into the ledger: of the ledger it knows the interface only',
  },
  'src/delivery': {
    knows: [
      'src/core',
      'src/config/config.ts',
      'src/ledger/ledger.ts',
      'src/runtime/connecting.ts',
      'src/sqlite/lock.ts',
      'src/delivery',
      'protocol/rcon',
      'protocol/webhook/signature.ts',
      'node:net',
      'node:http',
      'node:tls',
    ],
    why: 'it pays what the ledger owes and never sees how a vote came',
  },
  'src/practice': {
    knows: ['src/core', 'src/runtime', 'src/practice', 'protocol/rcon', 'node:'],
    why: 'a game server knows nothing of votes',
  },
  'src/trace': {
    knows: [
      'src/core',
      'src/config/config.ts',
      'src/ledger/ledger.ts',
      'src/ledger/all-grants.ts',
      'src/intake',
      'src/delivery/reasons.ts',
      'src/delivery/replies.ts',
      'src/delivery/reply-doubt.ts',
      'src/trace',
      'protocol/votifier',
    ],
    why: 'what the ledger holds in the operator’s words, for commands and pages alike; it only reads',
  },
  'src/check': {
    knows: [
      'src/core',
      'src/config',
      'src/runtime/listen.ts',
      'src/runtime/open-files.ts',
      'src/runtime/write-file.ts',
      'src/sqlite/lock.ts',
      'src/ledger/ledger.ts',
      'src/ledger/clock-history.ts',
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
    why: 'it looks at every part from outside and changes none',
  },
  'src/control': {
    knows: [
      'src/core',
      'src/config',
      'src/runtime',
      'src/sqlite/system-error.ts',
      'src/control',
      'src/app.ts',
      'node:',
    ],
    why: 'how commands reach the running processes of a ledger: it carries one word, and no config',
  },
  'src/operator': {
    knows: [
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
      'src/intake',
      'src/trace',
      'src/operator',
      'protocol/votifier/key-text.ts',
      'node:',
    ],
    why: 'what an operator can do, as functions that return values; commands and pages only present them',
  },
  'src/backup': {
    knows: [
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
    why: 'it copies what Teller needs to live on elsewhere, and knows of votes only that they may have been paid',
  },
  'src/web': {
    knows: ['src/core', 'src/runtime', 'src/web', 'node:', 'hono', '@hono/node-server'],
    why: 'the page kit and the guards that every page server shares; it knows no subject',
  },
  'src/listing': {
    knows: [
      'src/core',
      'src/runtime',
      'src/sqlite',
      'src/sender',
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
    why: 'somebody else’s web site: never listener, intake, ledger, delivery or console',
  },
  'src/listing-client': {
    knows: ['src/core', 'src/listing-client', 'protocol/listing-api'],
    why: 'the listener recovers missed votes through it: it knows the API as published, never the service inside',
  },
  'src/recovery': {
    knows: [
      'src/core',
      'src/config/config.ts',
      'src/intake/listed-vote.ts',
      'src/intake/refusal-codes.ts',
      'src/intake/pay-terms.ts',
      'src/intake/intake.ts',
      'src/ledger/ledger.ts',
      'src/listing-client',
      'src/recovery',
      'protocol/listing-api',
    ],
    why: 'finds missed votes in a listing’s published API, and hands them in by the one door',
  },
  'src/webhook-in': {
    knows: [
      'src/core',
      'src/runtime',
      'src/config/config.ts',
      'src/intake/listed-vote.ts',
      'src/intake/refusal-codes.ts',
      'src/intake/intake.ts',
      'src/webhook-in',
      'protocol/webhook',
      'node:',
    ],
    why: 'a second way in for votes: it verifies, and hands in by the one door',
  },
  'src/webhook-tools': {
    knows: ['src/core', 'src/runtime', 'src/webhook-tools', 'protocol/webhook', 'node:'],
    why: 'for testers of receivers: it speaks the webhook protocol and knows nothing of listings',
  },
  'src/commands': {
    knows: ['src', 'protocol', 'node:', 'commander', '@clack/prompts'],
    why: 'commands put parts together',
  },
  'src/loop.ts': { knows: ['src', 'protocol', 'node:'], why: 'it builds both sides and wires them together' },
  'src/parts.ts': {
    knows: ['src', 'node:'],
    why: 'it builds what the config shapes, at the start and at a reload',
  },
  'src/webhook-port.ts': {
    knows: ['src', 'node:'],
    why: 'it opens the port for webhooks where a site has one',
  },
  'src/reload.ts': { knows: ['src', 'node:'], why: 'it gives every part another config' },
  'src/app.ts': { knows: ['src', 'node:'], why: 'it builds every part' },
  'src/cli.ts': {
    knows: ['src/commands', 'src/runtime', 'node:module', 'commander'],
    why: 'it starts one command',
  },
};

const ROOT = join(import.meta.dirname, '..');
const CLOCKS_AND_DICE =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bperformance\.|\bconsole\./;

/** A script as text, which has the browser's clock and no other. */
const RUN_BY_BROWSERS = 'src/web/page-script.ts';

const sources = ['protocol', 'src'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(top, file).split(sep).join('/')),
);

const floorOf = (file: string): string =>
  Object.keys(FLOORS)
    .filter((folder) => file === folder || file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0] ?? 'nowhere';

const importsOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import\()\s*'([^'\n]+)'/g)].map(
    ([, target = '']) =>
      target.startsWith('.')
        ? relative(ROOT, join(ROOT, dirname(file), target))
            .split(sep)
            .join('/')
        : target,
  );

const mayKnow = (allowed: readonly string[], target: string): boolean =>
  allowed.some((entry) => target === entry || target.startsWith(entry.endsWith(':') ? entry : `${entry}/`));

/** What is wrong, by file; files without a fault are left out, so that a failure names the culprits. */
const faults = (
  files: readonly string[],
  faultsOf: (file: string) => readonly string[],
): Record<string, readonly string[]> =>
  Object.fromEntries(
    files.map((file) => [file, faultsOf(file)] as const).filter(([, found]) => found.length > 0),
  );

describe('the floors', () => {
  test.each(Object.entries(FLOORS))('%s knows only what it may know', (floor, { knows, why }) => {
    const files = sources.filter((file) => floorOf(file) === floor);
    expect(
      faults(files, (file) => importsOf(file).filter((target) => !mayKnow(knows, target))),
      why,
    ).toEqual({});
  });

  test('every file belongs to a floor', () => {
    expect(sources.filter((file) => floorOf(file) === 'nowhere')).toEqual([]);
  });

  test('a listener does not load node-forge', () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file) || !sources.includes(file)) return;
      reached.add(file);
      for (const target of importsOf(file)) visit(target);
    };
    visit('src/app.ts');
    expect([...reached]).not.toContain('protocol/votifier/v1-encrypt.ts');
    expect(reached.size).toBeGreaterThan(20);
  });
});

test('time and chance come in as parameters, except where the runtime makes them', () => {
  const pure = sources.filter((file) => !file.startsWith('src/runtime/') && file !== RUN_BY_BROWSERS);
  const codeOf = (file: string): string =>
    readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
  expect(faults(pure, (file) => codeOf(file).match(CLOCKS_AND_DICE) ?? [])).toEqual({});
});

/** A table and nothing else: one place to look for a reply, however many there are. */
const TABLES = ['src/delivery/known-replies.ts'];

test('no file is longer than 260 lines', () => {
  const code = sources.filter((file) => !TABLES.includes(file));
  const long = code.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 260);
  expect(long).toEqual([]);
});
