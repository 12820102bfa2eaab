import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exampleText } from '../src/config/example.ts';
import { examineText } from '../src/config/load.ts';
import { openTemporaryLedger } from '../src/ledger/ledger.ts';
import { readExamples } from '../src/operator/simulation/examples-file.ts';
import { runExamples } from '../src/operator/simulation/run-examples.ts';
import { systemClock } from '../src/platform/clock.ts';
import { everyCommand } from './kit/typed.ts';
import { currentPage, pageOf, tables, tablesIn } from './support/docs.ts';
import { temporaryFolder } from './support/folder.ts';
import {
  anchorsIn,
  blocksIn,
  configsIn,
  faultOfLine,
  faultOfSpan,
  type Known,
  linksIn,
  missingFilesIn,
  shellLinesIn,
  spansIn,
  wordsOfRepository,
} from './support/page-code.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
const topPages = readdirSync(ROOT).filter((file) => file.endsWith('.md'));
const pages = [...topPages, ...pagesIn('protocol'), ...pagesIn('docs')];

test.each(Object.keys(tables))(
  'generated tables %s on its page matches the code (npm run docs)',
  async (name) => {
    const { file, text } = await currentPage(name);
    expect(text).toBe(read(file));
  },
);

test('each generated table is on one page, and every marked table is generated', () => {
  const found = pages.flatMap((page) => tablesIn(read(page)).map((name) => [name, page]));
  expect(Object.fromEntries(found)).toEqual(pageOf);
  expect(found).toHaveLength(Object.keys(tables).length);
});

describe('names on pages', async () => {
  const { scripts } = JSON.parse(read('package.json'));
  const known: Known = { commands: await everyCommand(), scripts };
  const words = wordsOfRepository();

  test.each(pages)('commands, flags, scripts, config keys, codes and files of %s exist', (page) => {
    const faults = [
      ...shellLinesIn(read(page)).map((line) => [line, faultOfLine(line, known, 'typed')]),
      ...shellLinesIn(read(page))
        .flatMap(missingFilesIn)
        .map((path) => [path, 'is no file or folder']),
      ...spansIn(read(page)).map((span) => [span, faultOfSpan(span, known, words)]),
    ];
    expect(faults.filter(([, fault]) => fault !== null)).toEqual([]);
  });

  test.each([
    ['teller chek', 'there is no command "chek"'],
    ['npm run benches', 'package.json has no script "benches"'],
    ['npm run loop -- --v3', '"loop" has no flag --v3'],
    ['grants payy ID', '"grants" takes 0 argument(s), not 2'],
    ['sites.<name>.frmo', 'is no config key'],
    ['"safeToRunTwise": true', 'is no config key'],
    ['ledger-broken', 'is not in the code'],
    ['--offlin', 'is no flag'],
    ['npx vitest run test/doc.test.ts', 'is no file or folder'],
  ])('the name %j: %s', (span, fault) => {
    expect(faultOfSpan(span, known, words)).toBe(fault);
  });
});

/** Where an import follows, which replaces the rewards of a first start. */
const MOVING = 'docs/operators/move-over.md';

describe('code blocks', () => {
  test.each(pages)('on %s are commands, configs, generated code or output', (page) => {
    const kinds = blocksIn(read(page)).map(({ language }) => language);
    expect(['sh', 'json', 'yaml', 'text', 'js', 'ts']).toEqual(expect.arrayContaining(kinds));
  });

  test.each(pages)('JSON and YAML on %s are configs that load', async (page) => {
    const file = join(temporaryFolder(), 'config.json');
    for (const { text, value } of configsIn(read(page))) {
      expect(value, text).toBeInstanceOf(Object);
      if ('examples' in (value as object)) {
        expect(await failedExamples(value as object), text).toEqual([]);
        continue;
      }
      const example = JSON.parse(exampleText);
      const base = page === MOVING ? { ...example, rewards: [] } : example;
      const whole = { ...base, ...(value as object) };
      const { faults } = await examineText(JSON.stringify(whole), file);
      expect(faults, text).toEqual([]);
    }
  });
});

test('README.md has at most 150 lines, and the package ships what it links to', () => {
  const readme = read('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  const { files } = JSON.parse(read('package.json'));
  const shipped = (file: string): boolean =>
    file === '' || files.some((each: string) => file === each || file.startsWith(`${each}/`));
  expect(linksIn(readme).filter(({ file }) => !shipped(file))).toEqual([]);
});

test('.ci/run runs the test commands of CONTRIBUTING.md', () => {
  expect(read('.ci/run')).toMatch(/^npm test\b/m);
  expect(read('.ci/run')).toMatch(/^npm run test:slow\b/m);
  expect(shellLinesIn(read('CONTRIBUTING.md'))).toEqual(
    expect.arrayContaining(['npm test', 'npm run test:slow']),
  );
});

test('git ignores what the pages create in a clone: config, data, backups and secrets', () => {
  const folder = temporaryFolder({ '.gitignore': read('.gitignore') });
  const created = [
    'config.json',
    'config.schema.json',
    'data/secrets/default.token',
    'backups/2026-11-22/backup.json',
    'rcon-password.txt',
  ];
  const git = (...words: string[]) => spawnSync('git', words, { cwd: folder, encoding: 'utf8' }).stdout;
  git('init', '--quiet');
  expect(
    git('check-ignore', ...created)
      .trim()
      .split('\n'),
  ).toEqual(created);
});

test('the glossary has each word once, in alphabetical order', () => {
  const glossary = readFileSync(join(ROOT, 'docs/contributing/glossary.md'), 'utf8');
  const words = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, word = '']) => word.toLowerCase());
  expect(words.length).toBeGreaterThan(30);
  expect(words).toEqual([...new Set(words)].sort());
});

test.each(pages)('links between pages on %s lead to an existing file and heading', (page) => {
  const broken = linksIn(read(page)).filter(({ file, anchor }) => {
    const target = file === '' ? join(ROOT, page) : join(ROOT, dirname(page), file);
    if (!existsSync(target)) return true;
    return anchor !== null && !anchorsIn(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test('links between pages lead to every page', () => {
  const linked = pages.flatMap((page) => linksIn(read(page)).map(({ file }) => join(dirname(page), file)));
  expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
});

/** Runs the examples of a file that has a config of its own, and returns the names of those that fail. */
async function failedExamples(content: object): Promise<readonly string[]> {
  const folder = temporaryFolder({ 'examples.json': JSON.stringify(content) });
  const read = await readExamples(join(folder, 'examples.json'), async () => {
    throw new Error('the examples have no config of their own');
  });
  const failed: string[] = [];
  for await (const { example, mismatches } of runExamples(read, () => openTemporaryLedger(systemClock)))
    if (mismatches.length > 0) failed.push(example.name);
  return failed;
}
