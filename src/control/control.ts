import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Change, changesBetween, type Reloaded, toApply, valuesOf } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { ConfigProblem } from '../config/fault.ts';
import { PUBLIC_KEY } from '../config/keys.ts';
import { readConfigText } from '../config/load.ts';
import { secretsNamedIn } from '../config/named-secrets.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Closable } from '../runtime/started.ts';
import { liveEntries } from './client.ts';
import { FileWatch } from './config-watch.ts';
import type { Reply } from './messages.ts';
import { controlFolder } from './place.ts';
import { marksOf, newKey, newPair, publicKeyMark, publish, removeEntry } from './published.ts';
import { ControlServer, makeControlFolder } from './server.ts';

/** What control needs of a running Teller. */
export interface Reloadable {
  /** The config in force. */
  readonly config: Config;
  /** The embedded practice servers by name. */
  readonly practiceServers: ReadonlyMap<string, unknown>;
  /** Rejects with a Problem; the config before stays in force then. */
  reload(next: Config): Promise<Reloaded>;
}

export interface ControlParts {
  readonly app: Reloadable;
  /** Reads the config again from where this process was started with it. Throws what is wrong with it as a Problem. */
  readonly load: () => Promise<Config>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Lets a running Teller be told to reload, and tells others which config it runs. */
export interface Control extends Closable {
  /** Reads the config again and goes on by it. Answers in any case. */
  reload(): Promise<Reply>;
}

/** Where the folder or its socket cannot be made, the log says so, and the process runs without. */
export async function startControl(parts: ControlParts): Promise<Control> {
  const control = new RunningControl(parts);
  await control.start();
  return control;
}

class RunningControl implements Control {
  private readonly folder: string;
  private readonly id = randomBytes(3).toString('hex');
  private readonly key = newKey();
  private readonly startedAt: number;
  private readonly server = new ControlServer(() => this.reload());
  private readonly watch: FileWatch;
  /** Of the pair that this process decrypts with. */
  private publicKey: string | null = null;
  private hasSocket = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: ControlParts) {
    this.folder = controlFolder(parts.app.config.ledger);
    this.startedAt = parts.clock.now();
    this.watch = new FileWatch(parts.clock, () => this.sayWhatChanged());
  }

  async start(): Promise<void> {
    this.publicKey = await publicKeyMark(this.parts.app.config.keys, this.key);
    await this.withFolder(async () => {
      await makeControlFolder(this.folder);
      // What killed processes left: where one restarts often, no command comes to remove it.
      await liveEntries(this.folder);
      this.hasSocket = await this.server.listen(this.folder, this.id);
      if (!this.hasSocket) this.warnOfNoSocket();
      // After the socket: an entry without one is taken for that of a dead process.
      await this.publish();
    });
    await this.watchFiles();
  }

  reload(): Promise<Reply> {
    const reloading = this.last.then(() => this.reloadNow());
    this.last = reloading.catch(() => {});
    return reloading;
  }

  private async reloadNow(): Promise<Reply> {
    const { app, load, log } = this.parts;
    try {
      // First, so that a change that is made meanwhile is noticed afterwards.
      await this.watchFiles();
      const { applied, ...rest } = await app.reload(await load());
      const needRestart = await this.withNewPair(rest.needRestart);
      await this.withFolder(() => this.publish());
      log.info({ code: 'reloaded', applied: keysOf(applied) }, reloadedSentence(applied, needRestart));
      this.warnOfPractice(applied);
      return { kind: 'reloaded', applied: reported(applied), needRestart: reported(needRestart) };
    } catch (error) {
      if (!(error instanceof Problem)) return this.refuseForBug(error);
      log.error({ code: error.code }, `the config was not reloaded, the one before stays: ${error.message}`);
      return { kind: 'refused', code: error.code, exit: error.exit, sentence: error.message };
    }
  }

  /** A bug must not end the process, nor prevent later reloads: the process receives votes. */
  private refuseForBug(error: unknown): Reply {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const sentence = `the config could not be reloaded or compared, because of a bug in Teller: ${message}`;
    this.parts.log.error({ code: 'bug', stack }, sentence);
    return { kind: 'refused', code: 'bug', exit: 1, sentence };
  }

  /** The pair is read once, at the start. */
  private async withNewPair(changes: readonly Change[]): Promise<readonly Change[]> {
    if (changes.some((change) => change.key === 'keys')) return changes;
    const { key, publicKey } = this;
    return [...changes, ...(await newPair(this.parts.app.config.keys, { key, publicKey }))];
  }

  /** Votes matter more than the folder: where it cannot be written, the log says so and the process goes on. */
  private async withFolder(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const sentence = `commands cannot tell which config this process runs: ${error.message}`;
      this.parts.log.warn({ code: error.code }, sentence);
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.watch.close();
    await this.server.close();
    await removeEntry(this.folder, this.id).catch(() => {});
  }

  private async publish(): Promise<void> {
    const { app, clock } = this.parts;
    const { settings, file: configFile } = app.config;
    const marks = [...marksOf(settings, this.key).values()];
    const published = { pid: process.pid, startedAt: this.startedAt, loadedAt: clock.now() };
    await publish(this.folder, this.id, {
      ...published,
      configFile,
      hasSocket: this.hasSocket,
      key: this.key,
      marks,
      publicKey: this.publicKey,
    });
  }

  /** The config, the files that its secrets are in, and the key pair. */
  private async watchFiles(): Promise<void> {
    const { file, keys } = this.parts.app.config;
    const text = await readConfigText(file).catch(() => '');
    const inFiles = secretsNamedIn(text, path.dirname(file)).inFiles.keys();
    await this.watch.watch([file, ...inFiles, path.join(keys, PUBLIC_KEY)]);
  }

  /** Nothing where all values are the same as before, as after a change of a comment. */
  private async sayWhatChanged(): Promise<void> {
    const { app, load, log } = this.parts;
    const name = path.basename(app.config.file);
    try {
      const wanted = await load();
      const found = changesBetween(valuesOf(app.config.settings), valuesOf(wanted.settings));
      const changes = await this.withNewPair(found);
      const keys = keysOf(changes);
      if (keys.length === 0) return;
      const sentence = `${name} or a file that it names changed (${keys.join(', ')}): ${toApply(changes)}`;
      log.info({ code: 'config-changed', changes: keys }, sentence);
    } catch (error) {
      if (!(error instanceof Problem)) return void this.refuseForBug(error);
      const count = error instanceof ConfigProblem ? error.faults.length : 1;
      const sentence = `${name} changed and has ${count} problem(s), see \`teller config check\`; the config before stays in force`;
      log.warn({ code: error.code }, sentence);
    }
  }

  private warnOfNoSocket(): void {
    const sentence = `\`teller reload\` cannot reach this process, because no socket can be made in ${this.folder} (its path may be too long); restart it, or where no terminal is attached to it, send it SIGHUP`;
    this.parts.log.warn({ code: 'no-control-socket' }, sentence);
  }

  private warnOfPractice(applied: readonly Change[]): void {
    const { app, log } = this.parts;
    const isAboutServers = applied.some(({ path: [top] }) => top === 'gameServers');
    if (!isAboutServers || app.practiceServers.size === 0) return;
    log.warn({ code: 'practice' }, 'rewards go to a practice server until gameServers names a real one');
  }
}

const keysOf = (changes: readonly Change[]): readonly string[] => changes.map(({ key }) => key);

const reported = (changes: readonly Change[]) => changes.map(({ key, kind }) => ({ key, kind }));

function reloadedSentence(applied: readonly Change[], needRestart: readonly Change[]): string {
  const what = applied.length === 0 ? 'nothing changed' : keysOf(applied).join(', ');
  const rest = needRestart.length === 0 ? '' : `; a restart is needed for ${keysOf(needRestart).join(', ')}`;
  return `reloaded the config: ${what}${rest}`;
}
