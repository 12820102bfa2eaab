import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** A clause is stated once, in bold, in protocol/README.md; everywhere else it is cited. */
const STATED = /\*\*\[([A-Z]+[0-9]?-\d+)\]\*\*/g;
const CITED = /\[([A-Z]+[0-9]?-\d+)\]/g;

const matches = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, clause]) => clause as string);

const familyOf = (clause: string): string => clause.slice(0, clause.lastIndexOf('-'));

function citationsIn(folder: string): { clause: string; file: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|json|md|sql)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) =>
      matches(readFileSync(path, 'utf8'), CITED).map((clause) => ({ clause, file: relative(ROOT, path) })),
    );
}

describe('the clauses of protocol/README.md', () => {
  const readme = readFileSync(join(ROOT, 'protocol/README.md'), 'utf8');
  const stated = matches(readme, STATED);

  it('are stated once each', () => {
    expect(stated.length).toBeGreaterThan(40);
    expect(stated.filter((clause, index) => stated.indexOf(clause) !== index)).toEqual([]);
  });

  it('are numbered from 1 without a gap in each family', () => {
    for (const family of new Set(stated.map(familyOf))) {
      const clauses = stated.filter((clause) => familyOf(clause) === family);
      expect(clauses).toEqual(clauses.map((_, index) => `${family}-${index + 1}`));
    }
  });

  it('are each cited by a test title or a vector', () => {
    const cited = new Set(
      [...citationsIn('test'), ...citationsIn('protocol/vectors')].map(({ clause }) => clause),
    );
    expect(stated.filter((clause) => !cited.has(clause))).toEqual([]);
  });

  it('are all that code, tests and vectors cite', () => {
    const families = new Set(stated.map(familyOf));
    const citations = ['protocol', 'src', 'test'].flatMap(citationsIn);
    const unknown = citations.filter(
      ({ clause }) => families.has(familyOf(clause)) && !stated.includes(clause),
    );
    expect(unknown).toEqual([]);
  });
});
