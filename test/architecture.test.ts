import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { ENTRIES } from '../build/bundle.ts';
import { gameServerKinds } from '../src/delivery/kinds.ts';
import { layers } from './support/layers.ts';

const ROOT = join(import.meta.dirname, '..');
const CLOCKS_AND_RANDOM =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bperformance\.|\bconsole\./;

/** A script for browsers, which uses the browser's clock. */
const RUN_BY_BROWSERS = 'src/web/page-script.ts';

const sources = ['protocol', 'src'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(top, file).split(sep).join('/')),
);

const layerOf = (file: string): string =>
  Object.keys(layers).find((folder) => file.startsWith(`${folder}/`)) ?? 'nowhere';

const importsOf = (file: string, pattern = /(?:from|import\(|commonJs\()\s*'([^'\n]+)'/g): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([, target = '']) =>
    target.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), target))
          .split(sep)
          .join('/')
      : target,
  );

/** Without type imports and dynamic imports. */
const loadedBy = (file: string): string[] =>
  importsOf(file, /^(?:im|ex)port (?!type)[^;]*?from '([^'\n]+)'/gm);

/** All files that a file imports, directly or indirectly; itself only if it is in a cycle. */
function importedBy(start: string, importsOf: (file: string) => readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const fresh = importsOf(file).filter((target) => !reached.has(target));
    for (const target of fresh) reached.add(target);
    open.push(...fresh);
  }
  return reached;
}

/** A file and all files that it loads. */
const reachedFrom = (start: string, importsOf: (file: string) => readonly string[]): readonly string[] => [
  ...importedBy(start, (file) => importsOf(file).filter((target) => sources.includes(target))).add(start),
];

const mayImport = (allowed: readonly string[], target: string): boolean =>
  allowed.some((entry) => target === entry || target.startsWith(entry.endsWith(':') ? entry : `${entry}/`));

/** The faults by file, without the files that have none. */
const faults = (
  files: readonly string[],
  faultsOf: (file: string) => readonly string[],
): Record<string, readonly string[]> =>
  Object.fromEntries(
    files.map((file) => [file, faultsOf(file)] as const).filter(([, found]) => found.length > 0),
  );

/** The files that import themselves through others. @param imports by file, the files that it imports. */
const inCycles = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] =>
  [...imports.keys()].filter((file) => importedBy(file, (each) => imports.get(each) ?? []).has(file));

test.each(Object.entries(layers))('the layers: %s imports only what it may', (layer, { imports, why }) => {
  const files = sources.filter((file) => layerOf(file) === layer);
  const allowed = [layer, ...imports];
  expect(
    faults(files, (file) => importsOf(file).filter((target) => !mayImport(allowed, target))),
    why,
  ).toEqual({});
});

test('the layers: no file imports anything from a layer further down in the table', () => {
  const order = Object.keys(layers);
  const rank = (file: string) => order.indexOf(layerOf(file));
  const isFurtherDown = (target: string, file: string) =>
    sources.includes(target) && rank(target) > rank(file);
  expect(faults(sources, (file) => importsOf(file).filter((target) => isFurtherDown(target, file)))).toEqual(
    {},
  );
});

test('the layers: a package that is loaded with `commonJs` counts as an import', () => {
  const imports = importsOf('src/db/sqlite.ts').filter((target) => target === 'better-sqlite3');
  expect(imports).toHaveLength(3); // and its types, twice
});

test('the layers: every module that is loaded by its URL is beside its loader, and in the bundle', () => {
  const loaded = sources.flatMap((file) => {
    const calls = readFileSync(join(ROOT, file), 'utf8').matchAll(/\bownModule\('([^']+)', import/g);
    return [...calls].map(([, name]) => `${dirname(file)}/${name}.ts`);
  });
  expect([...loaded, 'src/commands/cli.ts', 'src/library/vote-teller.ts'].sort()).toEqual(
    Object.keys(ENTRIES).sort(),
  );
  expect(loaded.filter((file) => !sources.includes(file))).toEqual([]);
});

test('the layers: the validator is imported by its parts, because its object `z` would put all of it into the bundle', () => {
  const whole = (file: string) =>
    /^import \{[^}]*\bz\b[^}]*\} from 'zod'/m.test(readFileSync(join(ROOT, file), 'utf8'));
  expect(sources.filter(whole)).toEqual([]);
});

test('the layers: every file belongs to a layer', () => {
  expect(sources.filter((file) => layerOf(file) === 'nowhere')).toEqual([]);
});

test.each([
  ['a kind of game server', /^src\/delivery\/kinds\//, 'src/ledger/'],
  ['the listener', /^src\/votes\/(?:listener|decryption)/, 'src/ledger/'],
  ['what the package ships as its declarations', /^src\/library\/api\.ts$/, ''],
])('the layers: %s (%s) imports nothing that begins with "%s"', (_, place, unwanted) => {
  const files = sources.filter((file) => place.test(file));
  expect(files).not.toEqual([]);
  expect(faults(files, (file) => importsOf(file).filter((target) => target.startsWith(unwanted)))).toEqual(
    {},
  );
});

test('the layers: no files import each other in a cycle, not even type imports', () => {
  expect(inCycles(new Map(sources.map((file) => [file, importsOf(file)])))).toEqual([]);
});

test('the layers: an import cycle is found from any file in it', () => {
  const circle = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [], e: ['e'] };
  expect(inCycles(new Map(Object.entries(circle)))).toEqual(['b', 'c', 'e']);
});

test('the layers: reading a config loads every kind of game server, but nothing that opens connections', () => {
  const loaded = reachedFrom('src/config/load.ts', loadedBy);
  const ofDelivery = loaded.filter((file) => file.startsWith('src/delivery/'));
  const kinds = ofDelivery.filter((file) => file.startsWith('src/delivery/kinds/'));
  const files = gameServerKinds.map(({ name }) => `src/delivery/kinds/${name}.ts`);
  expect(kinds.toSorted()).toEqual(files.toSorted());
  const connects = (file: string): boolean =>
    loadedBy(file).some((target) =>
      /^(?:node:(?:net|tls|http|https|dgram|child_process)|src\/platform\/(?:dial|exchange)\.ts)$/.test(
        target,
      ),
    );
  expect(ofDelivery.filter(connects)).toEqual([]);
});

test.each([
  ['the ledger’s thread does not load the validator', 'src/ledger/ledger-thread.ts', 'zod'],
  [
    'the main thread of `run` does not load the driver of SQLite',
    'src/ledger/on-threads.ts',
    'src/db/sqlite.ts',
  ],
])('the layers: %s', (_, start, unwanted) => {
  const files = reachedFrom(start, loadedBy);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => loadedBy(file).includes(unwanted))).toEqual([]);
});

/** `commonJs` loads them without the parser that an import of one needs. */
test.each([
  'src/commands/cli.ts',
  'src/commands/run-program.ts',
  'src/commands/any-program.ts',
  'src/ledger/ledger-thread.ts',
])('the layers: %s imports no CommonJS package', (start) => {
  const loaded = reachedFrom(start, loadedBy).flatMap(loadedBy);
  const packages = loaded.filter((target) => !/^(?:node:|src\/|protocol\/|package\.json)/.test(target));
  expect([...new Set(packages)].filter((name) => !['zod', 'leven'].includes(name))).toEqual([]);
});

/**
 * What tests may know of the product, so that it can be written again under them: outside the kit they import `protocol`, what the kit
 * exports, what the package exports (`src/library/vote-teller.ts`), and these pure values.
 */
const PURE_VALUES: readonly string[] = [
  'src/config/load.ts',
  'src/core/clock.ts',
  'src/core/duration.ts',
  'src/core/fixed-windows.ts',
  'src/core/local-time.ts',
  'src/core/player-name.ts',
  'src/core/random.ts',
  'src/core/template.ts',
  'src/core/window.ts',
  'src/library/vote-teller.ts',
];

/** Folders and files whose tests still know the inside of what they test. An entry goes with the last of them, and none is added. */
const STILL_INSIDE: readonly string[] = [
  'test/architecture.test.ts',
  'test/codes.test.ts',
  'test/docs.test.ts',
  'test/slow/plugin-players.test.ts',
  'test/support',
];

const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => `test/${file.split(sep).join('/')}`)
  .filter((file) => !file.startsWith('test/kit/'));
const insideOf = (file: string): string[] =>
  importsOf(file).filter((target) => target.startsWith('src/') && !PURE_VALUES.includes(target));
const isAt = (entry: string, file: string): boolean => file === entry || file.startsWith(`${entry}/`);

test('tests know the product only from outside, through the kit', () => {
  const outside = tests.filter((file) => !STILL_INSIDE.some((entry) => isAt(entry, file)));
  expect(outside.length).toBeGreaterThan(100);
  expect(faults(outside, insideOf)).toEqual({});
});

test.each(STILL_INSIDE)('tests %s still knows the inside', (entry) => {
  const inside = tests.filter((file) => isAt(entry, file)).flatMap(insideOf);
  expect(inside).not.toEqual([]);
});

test('time and random numbers are passed in as parameters everywhere except in src/platform', () => {
  const pure = sources.filter((file) => !file.startsWith('src/platform/') && file !== RUN_BY_BROWSERS);
  const codeOf = (file: string): string =>
    readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
  expect(faults(pure, (file) => codeOf(file).match(CLOCKS_AND_RANDOM) ?? [])).toEqual({});
});

test('only `dial` and `exchange` reach other machines, so that errors of the network become reasons in one place', () => {
  const reaches = (file: string) =>
    /^import \{[^}]*\b(?:connect|request)\b[^}]*\} from 'node:(?:net|tls|https?)'/m.test(
      readFileSync(join(ROOT, file), 'utf8'),
    );
  // The first one connects to a running Teller, by a file.
  expect(sources.filter(reaches).toSorted()).toEqual([
    'src/operator/control/client.ts',
    'src/platform/dial.ts',
    'src/platform/exchange.ts',
  ]);
});

test('one file makes folders, for their owner only', () => {
  const makes = (file: string) => /\bmkdir(?:Sync)?\(/.test(readFileSync(join(ROOT, file), 'utf8'));
  expect(sources.filter(makes)).toEqual(['src/platform/write-file.ts']);
});

test('a limit in SQL is written so that its value does not make SQLite compile the statement again', () => {
  const bound = (file: string) => readFileSync(join(ROOT, file), 'utf8').match(/\bLIMIT [?@:]\w*/g) ?? [];
  expect(faults(sources, bound)).toEqual({});
});

/** Files that are only a table may be longer. */
const TABLES = ['src/delivery/known-replies.ts', 'src/ledger/schema.ts'];

test('no file is longer than 450 lines', () => {
  const code = sources.filter((file) => !TABLES.includes(file));
  const long = code.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 450);
  expect(long).toEqual([]);
});
