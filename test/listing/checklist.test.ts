import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** How many clauses each part of the specification's checklist has; they are numbered from 01 without gaps. */
const CLAUSES = {
  SV: 11,
  AU: 18,
  ST: 14,
  VC: 25,
  VL: 14,
  VS: 9,
  WR: 19,
  WT: 8,
  PL: 19,
  HD: 12,
  DO: 21,
  HL: 7,
  LG: 3,
  RD: 8,
  WF: 6,
  CH: 3,
  VT: 19,
  ER: 12,
  LM: 12,
  DC: 2,
  VN: 5,
  RC: 5,
} as const;

const ids = Object.entries(CLAUSES).flatMap(([part, last]) =>
  Array.from({ length: last }, (_, index) => `${part}-${String(index + 1).padStart(2, '0')}`),
);

const TESTS = join(import.meta.dirname, '..');

/** What stands in the title of a test or of a group of tests: a citation in a comment proves nothing. */
const TITLES = /\b(?:test|it|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** The first word of a row of `test.each`, where the title begins with `%s`. */
const ROWS = /^\s*\[\s*'([A-Z]{2}-\d\d)',/gm;

const sources = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(TESTS, file), 'utf8'));

const cited = new Set(
  sources.flatMap((source) => [
    ...[...source.matchAll(TITLES)].flatMap(([, , title = '']) => title.match(/\b[A-Z]{2}-\d\d\b/g) ?? []),
    ...[...source.matchAll(ROWS)].map(([, id = '']) => id),
  ]),
);

describe('the checklist of the listing service', () => {
  test('has 252 clauses', () => {
    expect(ids).toHaveLength(252);
  });

  test('has a test for every clause, the receiver’s among them', () => {
    expect(ids.filter((id) => !cited.has(id))).toEqual([]);
  });

  test('is cited by no number that it does not have', () => {
    const known = new Set(ids);
    const unknown = [...cited].filter((id) => id.slice(0, 2) in CLAUSES && !known.has(id));
    expect(unknown).toEqual([]);
  });
});
