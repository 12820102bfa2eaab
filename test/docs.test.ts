import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentReadme, README } from './support/docs.ts';
import { currentLayersPage, LAYERS_PAGE } from './support/layers-page.ts';
import { anchorsIn, linksIn } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const readme = readFileSync(README, 'utf8');

describe('README', () => {
  test('has the commands, config keys, codes and refusals of the code (npm run docs writes them)', async () => {
    expect(await currentReadme()).toBe(readme);
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

test('docs/contributing/layers.md has the layers that the test enforces (npm run docs writes them)', () => {
  expect(currentLayersPage()).toBe(readFileSync(LAYERS_PAGE, 'utf8'));
});

test('the glossary has each word once, in alphabetical order', () => {
  const glossary = readFileSync(join(ROOT, 'docs/contributing/glossary.md'), 'utf8');
  const words = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, word = '']) => word.toLowerCase());
  expect(words.length).toBeGreaterThan(30);
  expect(words).toEqual([...new Set(words)].sort());
});

describe('links between pages', () => {
  const pagesIn = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file));
  const topPages = readdirSync(ROOT).filter((file) => file.endsWith('.md'));
  const pages = [...topPages, ...pagesIn('protocol'), ...pagesIn('docs')];

  test.each(pages)('those of %s lead to a file, and to a heading if they name one', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const broken = linksIn(text).filter(({ file, anchor }) => {
      const target = file === '' ? join(ROOT, page) : join(ROOT, dirname(page), file);
      if (!existsSync(target)) return true;
      return anchor !== null && !anchorsIn(readFileSync(target, 'utf8')).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('are found with and without a heading, and not in code or on other sites', () => {
    const text =
      'See [a](x/y.md), [b](#of-this-page) and [c](y.md#z).\n```\n[no](no.md)\n```\n[d](https://a.b/c)';
    expect(linksIn(text)).toEqual([
      { file: 'x/y.md', anchor: null },
      { file: '', anchor: 'of-this-page' },
      { file: 'y.md', anchor: 'z' },
    ]);
    expect(anchorsIn("# It's `code`, and more\n```\n# no\n```\n## Rule 7\n")).toEqual([
      'its-code-and-more',
      'rule-7',
    ]);
  });
});
