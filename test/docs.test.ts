import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentReadme, README } from './support/docs.ts';

const ROOT = join(import.meta.dirname, '..');
const readme = readFileSync(README, 'utf8');

describe('README', () => {
  test('has the commands, config keys, codes and refusals of the code (npm run docs writes them)', async () => {
    expect(await currentReadme()).toBe(readme);
  });

  test('names no file that does not exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target as string);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect(() => readFileSync(join(ROOT, link))).not.toThrow();
  });

  test('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm (?:run )?(start|test|check|bench|docs)\b/g)].map(
      ([, name]) => name,
    );
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

test('.ci/run runs exactly the test command of README', () => {
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm test\b/m);
  expect(readme).toContain('`npm test` runs the');
});
