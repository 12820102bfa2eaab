/**
 * How much the tests notice: `npm run mutants -- --edits FILE`. It copies the repository into a temporary folder, makes one small
 * change of `src` or `protocol` at a time there, and says which changes the tests caught.
 *
 *   npm run mutants -- --edits FILE [--count 80] [--seed 1] [--in FOLDER]... [--verdicts FILE] [--minutes 170] [--fast] [--compare N]
 *
 * If the file of edits does not exist, changes are drawn and written there, equally many from each folder: the same seed draws the
 * same ones from the same code. If it exists, its changes are made again, so that two suites can be judged by the same ones. What
 * was found is written after each change; a run that was stopped goes on where it ended.
 *
 * A change first meets the tests of its part, then all that import its file, and what survives meets the slow suites. First of all,
 * each of the two suites has to pass without a change; a change that then takes longer than twice that time, and a minute, is reported
 * as late, and not as caught. `--fast` leaves out the slow suites. With `--compare`, no test is run: the changed build and the one
 * without a change go through N histories of `npm run compare`. `--in` may also name a file.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from '../../build/package.ts';
import { Seeded } from '../support/seeded.ts';
import { drawn, type Edit, edited } from './edits.ts';
import { finished, movedBuild, ownFolder } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where the tests of a part are, if their folder has another name. Most changes are caught there, in seconds. */
const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  votes: ['intake', 'listener', 'webhook-in', 'recovery'],
  ...{ operator: ['commands'], notify: ['events', 'alarms'] },
};

type Suite = 'fast tests' | 'slow tests' | 'histories';

/** What became of a change. `survived`: the fast tests passed, and the slow ones have not run yet. */
type Outcome = 'caught' | 'survived' | 'missed' | 'late' | 'gone';

interface Verdict {
  readonly outcome: Outcome;
  /** The first test file that failed. */
  readonly by: string | null;
  readonly seconds: number;
}

interface Verdicts {
  /** How long a run without a change took, in seconds. */
  green: Partial<Record<Suite, number>>;
  /** By the place of the change in the file of edits. */
  readonly of: Record<string, Verdict>;
}

const { values } = parseArgs({
  options: {
    edits: { type: 'string' },
    verdicts: { type: 'string' },
    count: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', multiple: true, default: ['protocol', 'src'] },
    minutes: { type: 'string', default: '170' },
    fast: { type: 'boolean', default: false },
    compare: { type: 'string', default: '0' },
  },
});
const [count, seed, minutes] = [values.count, values.seed, values.minutes].map(Number);
if (values.edits === undefined || ![count, seed, minutes].every((number) => Number.isInteger(number)))
  stop('--edits names a file; --count, --seed and --minutes are whole numbers');

const endsAt = performance.now() + (minutes ?? 0) * 60_000;
const edits = editsIn(values.edits);
const verdictsFile = values.verdicts ?? values.edits.replace(/(\.json)?$/, '.verdicts.json');
const verdicts: Verdicts = existsSync(verdictsFile)
  ? (JSON.parse(readFileSync(verdictsFile, 'utf8')) as Verdicts)
  : { green: {}, of: {} };

const copy = copyOf(ROOT);

const unchanged = join(copy, 'unchanged');
if (values.compare !== '0') {
  await buildPackage(join(copy, 'dist'));
  movedBuild(join(copy, 'dist'), unchanged);
  await judge('histories', 'missed', compare);
} else {
  await judge('fast tests', 'survived', fast);
  if (!values.fast) await judge('slow tests', 'missed', slow);
}
report();
process.exit(0);

async function fast(edit: Edit | null, limitMs: number): Promise<Ran> {
  if (edit === null) return vitest(['run'], limitMs);
  const part = edit.path.replace(/^src\//, '').replace(/\/.*/, '');
  const first = await vitest(['run', ...(TESTS_OF[part] ?? [part]).map((name) => `test/${name}/`)], limitMs);
  return first.failed !== null || first.isLate ? first : vitest(['related', edit.path, '--run'], limitMs);
}

function slow(_: Edit | null, limitMs: number): Promise<Ran> {
  return vitest(['run', '--config', 'vitest.slow.config.ts'], limitMs);
}

/** Plays histories to the build without a change and to the one with it, until one differs. */
async function compare(_: Edit | null, limitMs: number): Promise<Ran> {
  const built = await node(['--import', 'tsx', 'build/build.ts'], limitMs);
  const given = ['--old', unchanged, '--count', values.compare, '--seed', values.seed];
  const words = ['--import', 'tsx', 'test/measure/compare.ts', ...given, '--pairs', '1', '--first'];
  return built.failed === null ? node(words, limitMs) : built;
}

/** Runs one suite over the changes that wait for it. */
async function judge(suite: Suite, ifPassed: Outcome, run: Run): Promise<void> {
  const waitsAs = suite === 'slow tests' ? 'survived' : undefined;
  const waiting = [...edits.keys()].filter((at) => verdicts.of[at]?.outcome === waitsAs);
  if (waiting.length === 0) return;
  const limitMs = 60_000 + 2_000 * (await greenSeconds(suite, run));
  for (const at of waiting) {
    if (performance.now() > endsAt) return;
    const edit = edits[at] as Edit;
    const startedAt = performance.now();
    const ran = await whileChanged(edit, () => run(edit, limitMs));
    const outcome = outcomeOf(ran, ifPassed);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    verdicts.of[at] = { outcome, by: ran?.failed ?? null, seconds };
    save();
    const shown = `${String(at + 1).padStart(3)}  ${outcome.padEnd(8)} ${edit.path}:${edit.line}  ${edit.kind}`;
    process.stdout.write(`${shown}  ${ran?.failed ?? ''} (${seconds} s)\n`);
  }
}

/** null: the code has no such place any more. */
async function whileChanged(edit: Edit, run: () => Promise<Ran>): Promise<Ran | null> {
  const file = join(copy, edit.path);
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const changed = edited(source, edit);
  if (changed === null) return null;
  writeFileSync(file, changed);
  const ran = await run();
  writeFileSync(file, source);
  return ran;
}

function outcomeOf(ran: Ran | null, ifPassed: Outcome): Outcome {
  if (ran === null) return 'gone';
  if (ran.isLate) return 'late';
  return ran.failed === null ? ifPassed : 'caught';
}

/** How long the suite takes when nothing is changed. Without that, nothing can be judged by it. */
async function greenSeconds(suite: Suite, run: Run): Promise<number> {
  const known = verdicts.green[suite];
  if (known !== undefined) return known;
  process.stdout.write(`the ${suite} without a change …\n`);
  const startedAt = performance.now();
  const { failed, printed } = await run(null, 2 ** 31 - 1);
  if (failed !== null) stop(`${failed} fails without a change\n${printed.slice(-4_000)}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`the ${suite} without a change took ${seconds} s\n`);
  verdicts.green[suite] = seconds;
  save();
  return seconds;
}

/** @param edit null: nothing is changed. */
type Run = (edit: Edit | null, limitMs: number) => Promise<Ran>;

interface Ran {
  /** The first test file that failed, or history that differed; null: all passed, or none was found. */
  readonly failed: string | null;
  readonly isLate: boolean;
  readonly printed: string;
}

function vitest(words: readonly string[], limitMs: number): Promise<Ran> {
  const args = ['node_modules/vitest/vitest.mjs', ...words, '--bail', '1', '--reporter', 'dot'];
  return node([...args, '--passWithNoTests'], limitMs);
}

async function node(words: readonly string[], limitMs: number): Promise<Ran> {
  const options = { cwd: copy, env: { ...process.env, NO_COLOR: '1' } };
  const { exit, out, err, isLate } = await finished(words, options, limitMs);
  const printed = out + err;
  const [, test, history = 'an error outside the tests'] =
    /FAIL\s+(\S+)|^(history \d+), again/m.exec(printed) ?? [];
  return { failed: exit === 0 || isLate ? null : (test ?? history), isLate, printed };
}

function editsIn(file: string): readonly Edit[] {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Edit[];
  const found = drawn(ROOT, values.in ?? [], count ?? 0, new Seeded(seed ?? 1));
  writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`);
  return found;
}

function save(): void {
  writeFileSync(verdictsFile, `${JSON.stringify(verdicts, null, 1)}\n`);
}

/** What git tracks, as it is in the working tree, in a repository of its own: some tests ask git. */
function copyOf(root: string): string {
  const folder = ownFolder();
  const git = (cwd: string, ...words: string[]) => spawnSync('git', words, { cwd, encoding: 'utf8' }).stdout;
  const listed = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  for (const path of listed.filter((name) => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  return folder;
}

function report(): void {
  const OUTCOMES = ['caught', 'missed', 'survived', 'late', 'gone'] as const;
  const rows = [...new Set(edits.map(folderOf)), 'all'].map((folder) => {
    const of = [...edits.keys()].filter((at) => folder === 'all' || folder === folderOf(edits[at] as Edit));
    return [folder, ...OUTCOMES.map((each) => of.filter((at) => verdicts.of[at]?.outcome === each).length)];
  });
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |\n`;
  const head = ['folder', ...OUTCOMES];
  process.stdout.write(`\n${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`);
}

function folderOf({ path }: Edit): string {
  return path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .join('/');
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
