import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failedExamplesIn } from '../support/failed-examples.ts';

const FOLDER = join(import.meta.dirname, '../../docs/operators/examples');

test.each(readdirSync(FOLDER))('the examples of docs/operators/examples/%s pass', async (name) => {
  expect(await failedExamplesIn(join(FOLDER, name))).toEqual([]);
});
