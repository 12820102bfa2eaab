import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { wordsOf } from '../../support/page-code.ts';
import {
  CLI,
  type Finished,
  type Launched,
  launchScript,
  type TellerReady,
  teller,
} from '../../support/processes.ts';
import type { Guide } from './page.ts';
import type { World } from './world.ts';

/** What an operator types and writes, in the words of the guide, and a Teller that runs. */
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
