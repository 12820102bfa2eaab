import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJson } from '../../src/config/read-source.ts';
import { typed } from '../kit/typed.ts';
import { configsIn } from '../support/page-code.ts';

const FOLDER = join(import.meta.dirname, '../../docs/operators/examples');
const FILES = readdirSync(FOLDER).map((name) => join(FOLDER, name));

test.each(FILES)(
  'the examples of %s pass',
  async (file) => {
    const { exit, out } = await typed(['rewards', 'test', file], '');
    expect(exit, out).toBe(0);
    expect(out).toMatch(/\n[1-9]\d* passed, 0 failed$/);
  },
  60_000,
);

interface WithRewards {
  readonly rewards?: readonly object[];
  readonly examples?: unknown;
}

test('each reward on docs/operators/rewards.md is in one of them, so that it is tested', () => {
  const page = readFileSync(join(FOLDER, '../rewards.md'), 'utf8');
  const onPage = configsIn(page)
    .map(({ value }) => value as WithRewards)
    // A block with examples of its own is run by test/docs.test.ts.
    .filter(({ examples }) => examples === undefined)
    .flatMap(({ rewards = [] }) => rewards);
  const inFiles = FILES.map((file) => readJson(readFileSync(file, 'utf8')).value as WithRewards).flatMap(
    ({ rewards = [] }) => rewards,
  );
  expect(onPage.length).toBeGreaterThan(15);
  expect(inFiles).toEqual(expect.arrayContaining([...onPage]));
});
