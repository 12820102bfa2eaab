/**
 * How much the tests notice: `npm run mutants -- --count N --seed S`. It copies the repository into a temporary folder, changes one
 * line of `src` or `protocol` at a time there, runs the tests that import the changed file, and says which changes they caught.
 * The same seed makes the same changes in the same code.
 *
 *   npm run mutants -- [--count 80] [--seed 1] [--from 1] [--minutes 170] [--json FILE]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ESTree, parseSync, Visitor } from 'vite';
import { Seeded } from '../support/seeded.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A change that makes a test wait for ever counts as caught after this time. */
const MUTANT_TIMEOUT_MS = 8 * 60_000;

const OPPOSITE_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

type Kind = 'negated condition' | 'off by one' | 'dropped statement' | 'swapped arguments';
type Outcome = 'caught' | 'missed' | 'timeout' | 'no test';

/** One change: the text between two offsets is replaced. */
interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '170' },
    json: { type: 'string' },
  },
});
const [count, seed, from, minutes] = [values.count, values.seed, values.from, values.minutes].map(Number);
if (![count, seed, from, minutes].every((number) => Number.isInteger(number))) {
  process.stderr.write('--count, --seed, --from and --minutes are whole numbers\n');
  process.exit(2);
}

const startedAt = performance.now();
const mutants = drawn(candidates(), count ?? 0, new Seeded(seed ?? 1)).slice((from ?? 1) - 1);
const copy = copyOf(ROOT);
const results: (Mutant & { readonly outcome: Outcome })[] = [];
process.once('SIGINT', () => process.exit(130));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));

for (const mutant of mutants) {
  const outcome = await tried(mutant);
  results.push({ ...mutant, outcome });
  const number = String((from ?? 1) + results.length - 1).padStart(3);
  process.stdout.write(`${number}  ${outcome.padEnd(8)} ${mutant.path}:${mutant.line}  ${mutant.kind}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
  if (performance.now() - startedAt > (minutes ?? 0) * 60_000) break;
}
const caught = results.filter(({ outcome }) => outcome === 'caught' || outcome === 'timeout').length;
process.stdout.write(`${caught} of ${results.length} caught\n`);
process.exit(0);

/** Every change that could be made, in the order of the files. */
function candidates(): Mutant[] {
  return ['protocol', 'src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .toSorted()
      .flatMap((name) => candidatesIn(join(folder, name))),
  );
}

function candidatesIn(path: string): Mutant[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const found: Mutant[] = [];
  const add = (kind: Kind, { start, end }: { start: number; end: number }, text: string): void => {
    found.push({ path, line: source.slice(0, start).split('\n').length, kind, start, end, text });
  };
  const textOf = ({ start, end }: { start: number; end: number }): string => source.slice(start, end);
  const negate = ({ test }: { test: ESTree.Expression }): void =>
    add('negated condition', test, `!(${textOf(test)})`);
  new Visitor({
    IfStatement: negate,
    ConditionalExpression: negate,
    Literal: (literal) => {
      if (typeof literal.value === 'number') add('off by one', literal, String(literal.value + 1));
    },
    BinaryExpression: (binary) => {
      const opposite = OPPOSITE_BOUND[binary.operator];
      if (opposite !== undefined)
        add('off by one', binary, `${textOf(binary.left)} ${opposite} ${textOf(binary.right)}`);
    },
    ExpressionStatement: (statement) => {
      const { type } = statement.expression;
      if (type === 'CallExpression' || type === 'AwaitExpression' || type === 'AssignmentExpression')
        add('dropped statement', statement, ';');
    },
    CallExpression: ({ arguments: [first, second, ...rest] }) => {
      if (first === undefined || second === undefined || rest.length > 2) return;
      if (first.type === 'SpreadElement' || second.type === 'SpreadElement') return;
      add(
        'swapped arguments',
        { start: first.start, end: second.end },
        `${textOf(second)}, ${textOf(first)}`,
      );
    },
  }).visit(parseSync(path, source).program);
  return found;
}

/** As many of each kind, so that the kind that is most frequent does not hide the others. */
function drawn(all: readonly Mutant[], wanted: number, random: Seeded): Mutant[] {
  const kinds: readonly Kind[] = [
    'negated condition',
    'off by one',
    'dropped statement',
    'swapped arguments',
  ];
  const left = new Map(kinds.map((kind) => [kind, all.filter((mutant) => mutant.kind === kind)]));
  return Array.from({ length: wanted }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? 'off by one';
    const pool = left.get(kind) ?? [];
    return pool.splice(random.below(pool.length), 1);
  }).flat();
}

/** What git tracks, as it is in the working tree. */
function copyOf(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'teller-mutants-'));
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of listed.stdout.split('\0').filter((name) => name !== ''))
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function tried({ path, start, end, text }: Mutant): Promise<Outcome> {
  const file = join(copy, path);
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, source.slice(0, start) + text + source.slice(end));
  try {
    return await related(path);
  } finally {
    writeFileSync(file, source);
  }
}

/** `vitest related` runs the tests that import the file, through however many others. */
async function related(path: string): Promise<Outcome> {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'related',
    path,
    '--run',
    '--bail',
    '1',
    '--reporter',
    'dot',
  ];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  child.stdout.on('data', (data) => (printed += data));
  child.stderr.on('data', (data) => (printed += data));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }, MUTANT_TIMEOUT_MS);
  await once(child, 'close');
  clearTimeout(timer);
  if (isLate) return 'timeout';
  if (/No test files found/.test(printed)) return 'no test';
  return child.exitCode === 0 ? 'missed' : 'caught';
}
