import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const TOPS = ['src', 'protocol', 'test', 'docs'];
/** Excluded because it names the pages that nothing may refer to. */
const ITSELF = 'test/citations.test.ts';

const inFolder = (top: string): string[] =>
  readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|json|md|sql)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));

/** Something that can be cited: a clause of a wire protocol (`[V2-5]`), one of the listing service (`AU-04`), a rule. */
interface Definition {
  readonly name: string;
  /** `file:line`. */
  readonly at: string;
  readonly isPlanned: boolean;
}

interface Citation {
  readonly name: string;
  readonly at: string;
}

/** The form of definitions, by page. The first group is the name, the second the text. */
const STATED: readonly { readonly page: RegExp; readonly form: RegExp }[] = [
  { page: /^protocol\/README\.md$/, form: /^- \*\*(\[[A-Z]+\d?-\d+\])\*\* (.*)/gm },
  { page: /^docs\/contributing\/listing\/[^/]+\.md$/, form: /^\| \*\*([A-Z]{2}-\d\d)\*\* \| (.*)/gm },
  { page: /^docs\/contributing\/rules\.md$/, form: /^## (Rule \d+)\n\n(.*)/gm },
];

function definitionsIn(file: string, text: string): Definition[] {
  const forms = STATED.filter(({ page }) => page.test(file)).map(({ form }) => form);
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map(({ index, 1: name = '', 2: says = '' }) => ({
      name: name.replace('Rule', 'rule'),
      at: place(file, text, index),
      isPlanned: /^Planned|Planned as a whole/.test(says),
    })),
  );
}

/** Everything that looks like a citation, so that wrong numbers, families and forms are found. */
const citationsIn = (file: string, text: string): Citation[] => [
  ...[...text.matchAll(CLAUSE)].map(({ index, 0: name }) => ({ name, at: place(file, text, index) })),
  ...[...text.matchAll(RULES)].flatMap(({ index, 1: numbers = '' }) =>
    (numbers.match(/\d+/g) ?? []).map((number) => ({
      name: `rule ${number}`,
      at: place(file, text, index),
    })),
  ),
];

/** In brackets, as clauses of the protocols; two letters and two digits; or a known family in another form. */
const CLAUSE =
  /\[[A-Z]+\d?-\d+\]|(?<![\w[-])(?:[A-Z]{2}-\d\d|(?:V1|V2|WH|API|RCON|AU|DO|NS|VC|VT|WR)-\d+)(?![\w-])/g;

/** `rule 7`, `rules 7 and 11`, `Rules 1, 2 and 4`, also with the line break of a comment inside. */
const GAP = String.raw`(?:\s|\n\s*(?:\*|\/\/))+`;
const RULES = new RegExp(
  String.raw`\b[Rr]ules?${GAP}(\d+(?:(?:,|${GAP}(?:and|to))${GAP}(?:and${GAP})?\d+)*)\b`,
  'g',
);

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/.*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** What the titles of a test file and the rows of its tables claim to prove. Comments and properties prove nothing. */
const claimsIn = (file: string, text: string): Citation[] =>
  [...text.matchAll(COMMENT_OR_STRING)]
    .filter(({ index }) => !/[:=]\s*$/.test(text.slice(Math.max(0, index - 40), index)))
    .flatMap(({ index, 1: single, 2: double, 3: template }) =>
      citationsIn(file, single ?? double ?? template ?? '').map(({ name }) => ({
        name,
        at: place(file, text, index),
      })),
    );

/** As `file:line`. */
const place = (file: string, text: string, index: number): string =>
  `${file}:${text.slice(0, index).split('\n').length}`;

const files = [...TOPS.flatMap(inFolder), ...readdirSync(ROOT).filter((name) => name.endsWith('.md'))]
  .filter((file) => file !== ITSELF)
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

const definitions = files.flatMap(({ file, text }) => definitionsIn(file, text));
const defined = new Set(definitions.map(({ name }) => name));
const isTest = (file: string): boolean => file.endsWith('.test.ts');
const isVector = (file: string): boolean => file.startsWith('protocol/vectors/');

/** Pages outside this repository, which its readers do not have. */
const OUTSIDE =
  /\b(?:DESIGN|WIRE-FACTS|TRIALS|(?:LISTING-)?CHECKLIST|LISTING-SERVICE|HOUSE-STYLE|PLAIN-ENGLISH)\b/g;

const outsideCitationsIn = (file: string, text: string): Citation[] =>
  [...text.matchAll(OUTSIDE)].map(({ index, 0: name }) => ({ name, at: place(file, text, index) }));

/** The citations as a failing test prints them. */
const lines = (found: readonly Citation[]): string[] => found.map(({ name, at }) => `${at} ${name}`);

test('every citation is defined', () => {
  const cited = files.flatMap(({ file, text }) => citationsIn(file, text));
  expect(lines(cited.filter(({ name }) => !defined.has(name)))).toEqual([]);
  expect(cited.length).toBeGreaterThan(1_000);
});

test('every citation refers to a page in this repository', () => {
  expect(lines(files.flatMap(({ file, text }) => outsideCitationsIn(file, text)))).toEqual([]);
});

test('every clause and rule is defined once', () => {
  const first = new Map(definitions.toReversed().map(({ name, at }) => [name, at]));
  expect(lines(definitions.filter(({ name, at }) => first.get(name) !== at))).toEqual([]);
});

test('every clause and rule is numbered without gaps', () => {
  const familyOf = (name: string): string => name.replace(/\d+\]?$/, '');
  const families = new Set(definitions.map(({ name }) => familyOf(name)));
  for (const family of families) {
    const members = definitions.filter(({ name }) => familyOf(name) === family);
    const numbers = members.map(({ name }) => Number(/\d+(?=\]?$)/.exec(name)?.[0]));
    expect(numbers, family).toEqual(numbers.map((_, index) => index + 1));
  }
  expect(families.size).toBeGreaterThan(30);
});

test('every clause and rule is named by a test, in a title or a table row, or by a vector', () => {
  const claims = [
    ...files.filter(({ file }) => isTest(file)).flatMap(({ file, text }) => claimsIn(file, text)),
    ...files.filter(({ file }) => isVector(file)).flatMap(({ file, text }) => citationsIn(file, text)),
  ];
  const claimed = new Set(claims.map(({ name }) => name));
  expect(lines(definitions.filter(({ name, isPlanned }) => !isPlanned && !claimed.has(name)))).toEqual([]);
});
