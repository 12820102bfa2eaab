/** What an operator types and writes, in the words of the guide. */
import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { configsIn, sectionsIn, shellLinesIn, spansIn, wordsOf } from '../../support/page-code.ts';
import {
  CLI,
  type Finished,
  type Launched,
  launchScript,
  type TellerReady,
  teller,
} from '../../support/processes.ts';
import type { World } from './world.ts';

/** An operator, and a Teller that runs. */
export class Operator {
  private running: Launched<TellerReady> | null = null;
  private runLine = '';

  constructor(
    private readonly world: World,
    readonly guide: Guide,
  ) {}

  /** Runs a line of the page to its end. */
  async type(line: string, ...more: readonly string[]): Promise<Finished> {
    this.guide.typed(line);
    const { folder } = this.world;
    const [program, ...words] = wordsOf(line);
    if (program === 'teller') return teller([...words, ...more], folder);
    await promisify(exec)(line, { cwd: folder });
    return { code: 0, out: '', err: '' };
  }

  /** Runs a line that has ID in place of a number. */
  async typeFor(id: number, line: string): Promise<Finished> {
    this.guide.typed(line);
    const words = wordsOf(line.replace(/\bID\b/, String(id))).slice(1);
    return teller([...words, '--yes'], this.world.folder);
  }

  /** Types a line that runs until it is stopped. */
  launch(line: string): Launched<TellerReady> {
    this.guide.typed(line);
    this.runLine = line;
    this.running = launchScript(CLI, wordsOf(line).slice(1), this.world.folder);
    this.running.ready.catch(() => {}); // It may be killed before.
    return this.running;
  }

  /** kill -9, then the same again. */
  async killAndLaunch(): Promise<Launched<TellerReady>> {
    const from = performance.now();
    await this.running?.kill();
    this.world.ends.kills.push({ from, to: performance.now() });
    return this.launch(this.runLine);
  }

  /** Ctrl+C. */
  async stop(): Promise<number | null> {
    return (await this.running?.stop()) ?? null;
  }

  log(): string {
    return this.running?.log() ?? '';
  }

  /** Puts the config of a section into the config file, with the ports and times of the test. */
  write(heading: string, times: object = {}): void {
    const { onPage } = this.world;
    const written = JSON.stringify({ ...this.guide.config(heading), ...times });
    const ofTest = Object.entries(onPage).reduce((text, [from, to]) => text.replaceAll(from, to), written);
    this.change((config) => ({ ...config, ...JSON.parse(ofTest) }));
  }

  /** Takes the old listener out of the config file. */
  takeOut(): void {
    this.change(({ gameServers: { old, ...gameServers }, ...config }) => ({ ...config, gameServers }));
  }

  private change(edit: (config: WrittenConfig) => object): void {
    const file = join(this.world.folder, 'config.json');
    const config = edit(JSON.parse(readFileSync(file, 'utf8')) as WrittenConfig) as WrittenConfig;
    const listener = { ...config.listener, host: '127.0.0.1' };
    writeFileSync(file, JSON.stringify({ ...config, listener }, null, 2));
  }
}

interface WrittenConfig {
  readonly listener: object;
  readonly gameServers: { readonly old?: object };
}

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
