import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Change, type Reloaded, toApply } from '../../config/changes.ts';
import type { Config } from '../../config/config.ts';
import { ConfigProblem } from '../../config/fault.ts';
import { PUBLIC_KEY } from '../../config/keys.ts';
import { readConfigText } from '../../config/load.ts';
import { secretsNamedIn } from '../../config/named-secrets.ts';
import { readSource } from '../../config/read-source.ts';
import type { Clock } from '../../core/clock.ts';
import type { ConfigNews } from '../../core/config-news.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { ListeningAddress } from '../../platform/listen.ts';
import type { Closable } from '../../platform/started.ts';
import { liveEntries } from './client.ts';
import {
  type Comparison,
  compareWith,
  type FileState,
  fileStateAfter,
  newsOf,
  refusedNews,
} from './comparison.ts';
import { configReply } from './config-reply.ts';
import { FileWatch } from './config-watch.ts';
import { CONFIG, RELOAD, type Reply } from './messages.ts';
import { controlFolder } from './place.ts';
import { keyPairChange, marksOf, newKey, publicKeyMark, publish, removeEntry } from './published.ts';
import { ControlServer, createControlFolder } from './server.ts';

/** The parts of a running Teller that control needs. */
export interface Reloadable {
  /** The config in effect. */
  readonly config: Config;
  readonly listener: ListeningAddress;
  /** The embedded practice servers by name. */
  readonly practiceServers: ReadonlyMap<string, unknown>;
  /** If it rejects with a Problem, the previous config stays in effect. */
  reload(next: Config): Promise<Reloaded>;
  /** Called when the config file differs from what runs, and with null when it does not any more. */
  noteConfig(news: ConfigNews | null): void;
}

export interface ControlParts {
  readonly app: Reloadable;
  /** Reads the config file that this process was started with again. Throws a Problem if the config is invalid. */
  readonly load: () => Promise<Config>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Accepts requests to reload, and publishes which config this process runs. */
export interface Control extends Closable {
  /** Reads the config again and applies it. Never rejects. */
  reload(): Promise<Reply>;
  /** Reads the config again and compares it with the one in effect. Applies nothing. */
  compare(): Promise<Comparison>;
  /** What the last look showed at the config and the files that it names. Reads nothing: they are looked at by themselves. */
  readonly file: FileState;
  /** The folder in which only the user who runs Teller can reach it. */
  readonly folder: string;
}

/** If the folder or socket cannot be created, logs that and runs without it. */
export async function startControl(parts: ControlParts): Promise<Control> {
  const control = new RunningControl(parts);
  await control.start();
  return control;
}

class RunningControl implements Control {
  readonly folder: string;
  private readonly id = randomBytes(3).toString('hex');
  private readonly key = newKey();
  private readonly startedAt: number;
  private readonly server = new ControlServer({
    [RELOAD]: () => this.reload(),
    [CONFIG]: async () => configReply(this.parts.app, this.parts.clock),
  });
  private readonly watch: FileWatch;
  /** The HMAC of the public key whose private key this process uses. */
  private publicKey: string | null = null;
  private hasSocket = false;
  private last: Promise<unknown> = Promise.resolve();
  private fileState: FileState = { kind: 'same' };

  constructor(private readonly parts: ControlParts) {
    this.folder = controlFolder(parts.app.config.ledger);
    this.startedAt = parts.clock.now();
    this.watch = new FileWatch(parts.clock, () => this.logChanges());
  }

  async start(): Promise<void> {
    this.publicKey = await publicKeyMark(this.parts.app.config.keys, this.key);
    await this.withFolder(async () => {
      await createControlFolder(this.folder);
      // Removes the files of killed processes, which commands might not do for a long time.
      await liveEntries(this.folder);
      this.hasSocket = await this.server.listen(this.folder, this.id);
      if (!this.hasSocket) this.warnOfNoSocket();
      // After the socket, because an entry without its socket is taken for that of a dead process.
      await this.publish();
    });
    await this.watchFiles();
  }

  get file(): FileState {
    return this.fileState;
  }

  reload(): Promise<Reply> {
    const reloading = this.last.then(() => this.reloadNow());
    this.last = reloading.catch(() => {});
    return reloading;
  }

  private async reloadNow(): Promise<Reply> {
    const { app, load, log } = this.parts;
    try {
      // First, so that a change during the reload is noticed afterwards.
      await this.watchFiles();
      const { applied, ...rest } = await app.reload(await load());
      const needRestart = await this.withKeyPairChange(rest.needRestart);
      await this.withFolder(() => this.publish());
      this.noteFile(newsOf(app.config, needRestart));
      log.info({ code: 'reloaded', applied: keysOf(applied) }, reloadedSentence(applied, needRestart));
      this.warnOfPractice(applied);
      return { kind: 'reloaded', applied: reported(applied), needRestart: reported(needRestart) };
    } catch (error) {
      if (!(error instanceof Problem)) return this.refuseForBug(error);
      this.noteFile(refusedNews(app.config, error));
      log.error(
        { code: error.code },
        `the config was not reloaded, so the previous one stays in effect: ${error.message}`,
      );
      return { kind: 'refused', code: error.code, exit: error.exit, sentence: error.message };
    }
  }

  /** A bug here must neither crash the process, which receives votes, nor prevent later reloads. */
  private refuseForBug(error: unknown): Reply {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const sentence = `the config could not be reloaded or compared because of a bug in Teller: ${message}`;
    this.parts.log.error({ code: 'bug', stack }, sentence);
    return { kind: 'refused', code: 'bug', exit: 1, sentence };
  }

  async compare(): Promise<Comparison> {
    const { app, load } = this.parts;
    const compared = await compareWith(app.config, load);
    if (compared.kind === 'refused') {
      this.noteFile(refusedNews(app.config, compared.problem));
      return compared;
    }
    const changes = await this.withKeyPairChange(compared.changes);
    this.noteFile(newsOf(app.config, changes));
    return { ...compared, changes };
  }

  private noteFile(news: ConfigNews | null): void {
    const { app, clock } = this.parts;
    this.fileState = fileStateAfter(this.fileState, news, clock.now());
    app.noteConfig(news);
  }

  /** A new key pair needs a restart, because the pair is read only at start. */
  private async withKeyPairChange(changes: readonly Change[]): Promise<readonly Change[]> {
    if (changes.some((change) => change.key === 'keys')) return changes;
    const { key, publicKey } = this;
    return [...changes, ...(await keyPairChange(this.parts.app.config.keys, { key, publicKey }))];
  }

  /** Votes matter more than the folder: if it cannot be written, logs that and continues. */
  private async withFolder(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const sentence = `commands cannot see which config this process runs: ${error.message}`;
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
    await publish(this.folder, this.id, {
      ...{ pid: process.pid, startedAt: this.startedAt, loadedAt: clock.now(), configFile },
      hasSocket: this.hasSocket,
      key: this.key,
      marks,
      publicKey: this.publicKey,
    });
  }

  /** Watches the config, the files with its secrets, and the key pair. */
  private async watchFiles(): Promise<void> {
    const { file, keys } = this.parts.app.config;
    const text = await readConfigText(file).catch(() => '');
    const { value } = await readSource(text, file);
    const { inFiles } = secretsNamedIn(value, path.dirname(file));
    await this.watch.watch([file, ...inFiles.keys(), path.join(keys, PUBLIC_KEY)]);
  }

  /** Logs nothing if all values are the same, for example after a changed comment. */
  private async logChanges(): Promise<void> {
    const { app, log } = this.parts;
    const name = path.basename(app.config.file);
    try {
      const compared = await this.compare();
      if (compared.kind === 'refused') {
        const { problem } = compared;
        const count = problem instanceof ConfigProblem ? problem.faults.length : 1;
        const sentence = `${name} changed and has ${count} problem(s), see \`teller config check\`; the previous config stays in effect`;
        return log.warn({ code: problem.code }, sentence);
      }
      const keys = keysOf(compared.changes);
      if (keys.length === 0) return;
      const sentence = `${name} or a file that it names changed (${keys.join(', ')}): ${toApply(compared.changes)}`;
      log.info({ code: 'config-changed', changes: keys }, sentence);
    } catch (error) {
      this.refuseForBug(error);
    }
  }

  private warnOfNoSocket(): void {
    const sentence = `\`teller reload\` cannot reach this process, because no socket can be created in ${this.folder} (its path may be too long); restart it or, if no terminal is attached to it, send it SIGHUP`;
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
  const nothing = needRestart.length === 0 ? 'nothing changed' : 'nothing was applied';
  const what = applied.length === 0 ? nothing : keysOf(applied).join(', ');
  const rest = needRestart.length === 0 ? '' : `; a restart is needed for ${keysOf(needRestart).join(', ')}`;
  return `reloaded the config: ${what}${rest}`;
}
