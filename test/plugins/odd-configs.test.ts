import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { convertVotingPlugin, readVotingPlugin } from '../../src/plugins/votingplugin-config.ts';
import { Seeded } from '../support/seeded.ts';
import { faultsOf } from './loads.ts';

const SAMPLES = path.resolve(import.meta.dirname, 'samples');
const { files } = await readVotingPlugin(path.join(SAMPLES, 'votingplugin'));

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

// On a busy machine, 400 configs take half a minute.
describe('A config with values that nobody expects', { timeout: 90_000 }, () => {
  test('of VotingPlugin still becomes one that loads', async () => {
    const { config, voteSites, specialRewards } = files;
    const found = new Set<string>();
    for (const odd of oddly({ config, voteSites, specialRewards }, 1, 400)) {
      const { fragment } = convertVotingPlugin({ ...files, ...odd });
      for (const fault of await faultsOf(fragment)) found.add(fault);
    }
    expect([...found]).toEqual([]);
  });
});
