import { describe, expect, it } from 'vitest';
import { type Vector, vectorFiles } from '../support/vectors.ts';

describe('vectors', () => {
  const files = vectorFiles().map(([name, text]) => ({
    name,
    ...(JSON.parse(text) as { vectors?: Vector[] }),
  }));

  it.each(files)('$name gives each vector a name, a clause, a reason and its origin', ({ vectors = [] }) => {
    const incomplete = vectors.filter(
      ({ name, clause, why, madeBy }) => !name || !/^\[[A-Z]+\d?-\d+\]/.test(clause) || !why || !madeBy,
    );
    expect(incomplete).toEqual([]);
  });

  it.each(files)('$name gives every vector its own name', ({ vectors = [] }) => {
    const names = vectors.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
