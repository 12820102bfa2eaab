import { expect, test } from 'vitest';
import { declarations } from '../../build/package.ts';
import * as library from '../../src/library/vote-teller.ts';

test('the declarations name each function that the package exports, and no other', () => {
  const declared = [...declarations().matchAll(/^export declare const (\w+): (\w+);$/gm)];
  expect(declared.map(([, name]) => name).toSorted()).toEqual(Object.keys(library).toSorted());
});
