/** Something that can be cited: a clause of a wire protocol (`[V2-5]`), one of the listing service (`AU-04`), a rule. */
export interface Definition {
  readonly name: string;
  /** `file:line`. */
  readonly at: string;
  readonly isPlanned: boolean;
}

export interface Citation {
  readonly name: string;
  readonly at: string;
}

/** The form of definitions, by page. The first group is the name, the second the text. */
const STATED: readonly { readonly page: RegExp; readonly form: RegExp }[] = [
  { page: /^protocol\/README\.md$/, form: /^- \*\*(\[[A-Z]+\d?-\d+\])\*\* (.*)/gm },
  { page: /^docs\/contributing\/listing\/[^/]+\.md$/, form: /^\| \*\*([A-Z]{2}-\d\d)\*\* \| (.*)/gm },
  { page: /^docs\/contributing\/rules\.md$/, form: /^## (Rule \d+)\n\n(.*)/gm },
];

export function definitionsIn(file: string, text: string): Definition[] {
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
export const citationsIn = (file: string, text: string): Citation[] => [
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
export const claimsIn = (file: string, text: string): Citation[] =>
  [...text.matchAll(COMMENT_OR_STRING)]
    .filter(({ index }) => !/[:=]\s*$/.test(text.slice(Math.max(0, index - 40), index)))
    .flatMap(({ index, 1: single, 2: double, 3: template }) =>
      citationsIn(file, single ?? double ?? template ?? '').map(({ name }) => ({
        name,
        at: place(file, text, index),
      })),
    );

/** As `file:line`. */
export const place = (file: string, text: string, index: number): string =>
  `${file}:${text.slice(0, index).split('\n').length}`;
