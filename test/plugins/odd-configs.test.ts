import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { desk } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Seeded } from '../support/seeded.ts';

const NAMES = ['Config', 'VoteSites', 'SpecialRewards'] as const;
const sampleOf = (name: string): unknown =>
  parse(readFileSync(path.resolve(import.meta.dirname, `samples/votingplugin/${name}.yml`), 'utf8'));

type Tree = Record<string, unknown>;

/** What people write by mistake, and what other versions may have written. */
const ODD: readonly unknown[] = [
  ...[null, '', ' ', 0, -1, 1, 2.5, 0.0000001, 1e12, true, false, [], {}, ['a', 5, null], [{}]],
  ...[
    'x'.repeat(3000),
    'NaN',
    '§k{name} %player% %x%',
    '1..5 step 0',
    '9..1',
    '5-2',
    '99999d',
    '\u0007\n',
    '"}\\',
  ],
  ...[Array.from({ length: 150 }, (_, at) => at), { Enabled: true }, { a: { b: 1 } }, '#ff8800', '{player}'],
];

/** Every place in a tree at which there is a value. */
function placesIn(tree: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (tree === null || typeof tree !== 'object') return [at];
  return [at, ...Object.entries(tree).flatMap(([key, value]) => placesIn(value, [...at, key]))];
}

function changed(tree: unknown, at: readonly string[], value: unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return value;
  const copy = Array.isArray(tree) ? [...tree] : { ...(tree as Tree) };
  (copy as Tree)[key] = changed((tree as Tree)[key], rest, value);
  return copy;
}

/** Trees in which two values are replaced by odd ones; `depth` keeps the outermost objects. */
function* oddly(tree: unknown, depth: number, count: number): Generator<Tree> {
  const random = new Seeded(7);
  const place = (of: unknown) => random.pick(placesIn(of).filter((at) => at.length > depth));
  for (let number = 0; number < count; number++) {
    const first = changed(tree, place(tree), random.pick(ODD));
    yield changed(first, place(first), random.pick(ODD)) as Tree;
  }
}

test('a config of VotingPlugin with values that nobody expects is still imported, as one that loads', {
  timeout: 60_000,
}, async () => {
  const trees = Object.fromEntries(NAMES.map((name) => [name, sampleOf(name)]));
  const refused: string[] = [];
  for (const odd of oddly(trees, 1, 8)) {
    const files = NAMES.map((name) => [`${name}.yml`, JSON.stringify(odd[name])]);
    const folder = temporaryFolder(Object.fromEntries(files));
    const { exit, err } = await desk().run('import', 'votingplugin', folder);
    if (exit !== 0) refused.push(err);
  }
  expect(refused).toEqual([]);
});
