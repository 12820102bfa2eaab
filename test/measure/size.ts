/**
 * How large the code is, and how much of it one version 2 vote with one command passes through: `npm run size`. It runs a Teller and a practice server on
 * loopback, with a config of their own in a temporary folder, and writes nothing else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { passedBy } from './vote-path.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Source {
  /** From the root of the repository. */
  readonly path: string;
  readonly lines: number;
  /** Lines that are neither empty nor only a comment. */
  readonly code: number;
  /** The characters of these lines, without indentation and comments. */
  readonly characters: number;
  /** The lines of each function that has a body of its own. */
  readonly functions: readonly number[];
  /** The files of the repository that it imports, also for their types. */
  readonly imports: ReadonlySet<string>;
}

const sources = ['src', 'protocol', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|css|sql)$/.test(name))
    .map((name) => read(join(folder, name).replaceAll('\\', '/'))),
);
const product = sources.filter(({ path }) => !path.startsWith('test/'));

const vote = await passedBy(ROOT);
print(
  ['folder', 'files', 'of a vote', 'lines', 'code', 'characters a line of code'],
  [...grouped(sources), ['src and protocol', product] as const].map(([folder, files]) => [
    folder,
    files.length,
    files.filter(({ path }) => vote.files.includes(path)).length,
    sum(files.map(({ lines }) => lines)),
    sum(files.map(({ code }) => code)),
    (sum(files.map(({ characters }) => characters)) / sum(files.map(({ code }) => code))).toFixed(1),
  ]),
);

const functions = product.flatMap((source) => source.functions).toSorted((a, b) => a - b);
const importersOf = (path: string) => product.filter(({ imports }) => imports.has(path));
const once = product.filter(({ path }) => importersOf(path).length === 1);
const longest = product.toSorted((a, b) => b.lines - a.lines)[0];
print(
  ['src and protocol', ''],
  [
    ['functions', functions.length],
    ['lines of a function, median', functions[Math.floor(functions.length / 2)] ?? 0],
    ['lines of a function, 99th percentile', functions[Math.floor(functions.length * 0.99)] ?? 0],
    [`lines of the longest file (${longest?.path})`, longest?.lines ?? 0],
    ['files that one other file imports', once.length],
    ['of these, with fewer than 60 lines', once.filter(({ lines }) => lines < 60).length],
    ['files that one v2 vote with one command passes through', vote.files.length],
    ['functions that it passes through', vote.functions],
  ],
);
if (process.argv.includes('--files')) process.stdout.write(`\n${vote.files.join('\n')}\n`);

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const comment = path.endsWith('.css') ? /\/\*[\s\S]*?\*\//g : /--.*/g;
  return /\.tsx?$/.test(path)
    ? readCode(path, text)
    : { path, ...countLines(text, text.replaceAll(comment, '')), functions: [], imports: new Set() };
}

function readCode(path: string, text: string): Source {
  const { program, comments } = parseSync(path, text);
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const functions: number[] = [];
  const imports = new Set<string>();
  const note = ({ start, end }: { start: number; end: number }) =>
    functions.push(lineAt(end) - lineAt(start) + 1);
  const importFrom = (name: unknown) => {
    if (typeof name !== 'string' || !name.startsWith('.')) return;
    imports.add(relative(ROOT, resolve(ROOT, dirname(path), name)).replaceAll('\\', '/'));
  };
  new Visitor({
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
    ImportDeclaration: ({ source }) => importFrom(source.value),
    ExportNamedDeclaration: ({ source }) => importFrom(source?.value),
    ExportAllDeclaration: ({ source }) => importFrom(source.value),
    ImportExpression: ({ source }) => importFrom(source.type === 'Literal' ? source.value : null),
    TSImportType: ({ source }) => importFrom(source.value),
  }).visit(program);
  const bare = comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  return { path, ...countLines(text, bare), functions, imports };
}

function countLines(text: string, bare: string): Pick<Source, 'lines' | 'code' | 'characters'> {
  const code = bare
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    lines: text.split('\n').length - 1,
    code: code.length,
    characters: sum(code.map(({ length }) => length)),
  };
}

/** The first folder of `src`; all of `protocol` and of `test` is one. */
function folderOf({ path }: Source): string {
  const [top = '', first = '', ...rest] = path.split('/');
  if (top !== 'src') return top;
  return rest.length === 0 ? 'src (loose files)' : `src/${first}`;
}

function grouped(files: readonly Source[]): Map<string, Source[]> {
  const groups = new Map<string, Source[]>();
  for (const file of files) groups.set(folderOf(file), [...(groups.get(folderOf(file)) ?? []), file]);
  return groups;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function print(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`);
}
