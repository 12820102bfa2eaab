import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJson } from '../../src/config/read-source.ts';
import { failedExamplesIn } from '../support/failed-examples.ts';
import { configsIn } from '../support/page-code.ts';

const FOLDER = join(import.meta.dirname, '../../docs/operators/examples');

test.each(readdirSync(FOLDER))('the examples of docs/operators/examples/%s pass', async (name) => {
  expect(await failedExamplesIn(join(FOLDER, name))).toEqual([]);
});

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
  const inFiles = readdirSync(FOLDER)
    .map((name) => readJson(readFileSync(join(FOLDER, name), 'utf8')).value as WithRewards)
    .flatMap(({ rewards = [] }) => rewards);
  expect(onPage.length).toBeGreaterThan(15);
  expect(inFiles).toEqual(expect.arrayContaining([...onPage]));
});
