/** The changes that `npm run mutants` makes: how they are found, drawn, kept and made again. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';
import type { Seeded } from '../support/seeded.ts';

const KINDS = ['negated condition', 'off by one', 'dropped statement', 'swapped arguments'] as const;

/** A change as it can be made again, also when other lines of the file have changed. */
export interface Edit {
  readonly path: string;
  /** Where it was when it was drawn. */
  readonly line: number;
  readonly kind: (typeof KINDS)[number];
  /** The lines that are replaced, whole. */
  readonly before: string;
  readonly after: string;
  /** Which of the places with these lines it is: 0 for the first. */
  readonly nth: number;
}

/** The changed text; null if it has no such place any more. */
export function edited(source: string, { before, after, nth }: Edit): string | null {
  const at = placesOf(before, source)[nth];
  return at === undefined ? null : source.slice(0, at) + after + source.slice(at + before.length);
}

function placesOf(text: string, source: string): readonly number[] {
  const places: number[] = [];
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + 1)) places.push(at);
  return places;
}

/** Changes of the code in these folders: as many of each folder and, of these, of each kind, as there are. */
export function drawn(root: string, folders: readonly string[], count: number, random: Seeded): Edit[] {
  const pools = folders.map((folder) => {
    const all = candidatesIn(root, folder);
    return KINDS.map((kind) => all.filter((edit) => edit.kind === kind));
  });
  const found: Edit[] = [];
  for (let turn = 0; found.length < count && pools.flat(2).length > 0; turn++) {
    const pool = pools[turn % pools.length]?.[Math.floor(turn / pools.length) % KINDS.length] ?? [];
    found.push(...pool.splice(random.below(pool.length), 1));
  }
  return found;
}

function candidatesIn(root: string, folder: string): Edit[] {
  const isFile = statSync(join(root, folder)).isFile();
  const names = isFile ? [''] : readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .toSorted()
    .flatMap((path) => candidatesOf(path, readFileSync(join(root, path), 'utf8')));
}

const OPPOSITE_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

function candidatesOf(path: string, source: string): Edit[] {
  const found: Edit[] = [];
  const add = (kind: Edit['kind'], { start, end }: { start: number; end: number }, text: string): void => {
    const from = source.lastIndexOf('\n', start) + 1;
    const to = source.indexOf('\n', end) < 0 ? source.length : source.indexOf('\n', end);
    const before = source.slice(from, to);
    const after = source.slice(from, start) + text + source.slice(end, to);
    const nth = placesOf(before, source).indexOf(from);
    found.push({ path, line: source.slice(0, start).split('\n').length, kind, before, after, nth });
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
      const both = { start: first.start, end: second.end };
      add('swapped arguments', both, `${textOf(second)}, ${textOf(first)}`);
    },
  }).visit(parseSync(path, source).program);
  return found;
}
