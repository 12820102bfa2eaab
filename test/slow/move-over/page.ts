import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configsIn, sectionsIn, shellLinesIn, spansIn } from '../../support/page-code.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/operators/move-over.md'), 'utf8');

/** The sections that each of the tests follows. Others have no commands. */
export const PATHS = {
  singleServer: [
    ...['1. Import', '2. Take the port', '3. Compare', '4. Hand over', '5. Remove the old plugin'],
    ...['Back again', 'If Teller already has other values'],
  ],
  versionOne: ['A listener of version 1 alone'],
  network: ['A proxy network'],
  otherMachine: ['Teller on another machine'],
} as const;

type Path = keyof typeof PATHS;

/** Lines to be typed, and commands in sentences, perhaps without their arguments. */
const linesOf = (section: string): readonly string[] => [
  ...shellLinesIn(section),
  ...spansIn(section).filter((span) => span.startsWith('teller ')),
];

const allLines = linesOf(text);
const sections = sectionsIn(text);

/** The sections that have something to type or to write. */
export const headingsWithCode = (): string[] =>
  [...sections]
    .filter(([, section]) => linesOf(section).length > 0 || configsIn(section).length > 0)
    .map(([heading]) => heading);

/** The guide as an operator on one of its paths follows it. */
export class Guide {
  private readonly lines: readonly string[];
  private readonly configs: readonly string[];
  private readonly done = new Set<string>();

  constructor(path: Path) {
    const own = PATHS[path].map((heading) => sectionOf(heading));
    this.lines = own.flatMap(linesOf);
    this.configs = own.flatMap((section) => configsIn(section).map((each) => each.text));
  }

  /** @throws if the page does not say so. */
  typed(line: string): void {
    if (!allLines.includes(line)) throw new Error(`the page has no line ${line}`);
    this.done.add(line);
  }

  /** The config of a section, which a path may share with another one. */
  config(heading: string): object {
    const [{ text: written, value } = { text: '', value: null }] = configsIn(sectionOf(heading));
    if (value === null) throw new Error(`the page has no config in ${heading}`);
    this.done.add(written);
    return value as object;
  }

  /** What is on the path and was not done. */
  left(): string[] {
    const isTyped = (line: string) => [...this.done].some((each) => `${each} `.startsWith(`${line} `));
    return [
      ...this.lines.filter((line) => !isTyped(line)),
      ...this.configs.filter((each) => !this.done.has(each)),
    ];
  }
}

function sectionOf(heading: string): string {
  const section = sections.get(heading);
  if (section === undefined) throw new Error(`the page has no section ${heading}`);
  return section;
}
