import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigProblem } from '../config/fault.ts';
import { loadConfig } from '../config/load.ts';
import { outlineOf } from '../config/outline.ts';
import type { Clock } from '../core/clock.ts';
import { readJson } from '../core/json.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import { askForConfig, liveEntries } from './control/client.ts';
import { configIn } from './control/config-reply.ts';
import { controlFolder } from './control/place.ts';
import { ledgerClock } from './practice-clock.ts';
import { olderConfigs } from './running-config.ts';

/** What a command goes by. What runs is believed before the file. */
export interface ConfigInUse {
  readonly config: Config;
  /** The clock of the ledger, as `ledgerClock`. */
  readonly clock: Clock;
  /** Where the Teller that runs with this file listens; null: none can be asked. */
  readonly listening: ListeningAddress | null;
  /** Why the file cannot be used, and the process whose config this is; null: it is that of the file. */
  readonly instead: { readonly problem: ConfigProblem; readonly pid: number } | null;
}

/**
 * For commands that change nothing: the config of the file, with the address of the Teller that runs with it; while the file
 * has faults, the config of that Teller.
 * @throws ConfigProblem if the file has faults and no Teller runs with it; Problem `config-missing`
 */
export async function configInUse(file: string, clock: Clock): Promise<ConfigInUse> {
  const loaded = await loadConfig(file, { missingSecrets: 'defer' }).catch(ifConfigProblem);
  if (loaded instanceof ConfigProblem) {
    const running = await runningTeller(file, await ledgersNamedIn(file), clock);
    if (running === null) throw loaded;
    return { ...running, instead: { problem: loaded, pid: running.pid } };
  }
  const running = await runningTeller(file, [loaded.ledger], clock);
  if (running === null)
    return { config: loaded, clock: ledgerClock(loaded, clock), listening: null, instead: null };
  const { host, port } = running.config.listener;
  return { ...running, config: { ...loaded, listener: { ...loaded.listener, host, port } }, instead: null };
}

function ifConfigProblem(error: unknown): ConfigProblem {
  if (error instanceof ConfigProblem) return error;
  throw error;
}

export interface RunningTeller {
  readonly pid: number;
  /** In effect there, with its flags. Secrets outside the file are those of this process. */
  readonly config: Config;
  readonly clock: Clock;
  readonly listening: ListeningAddress;
}

/** The Teller that was started with this file and uses one of the ledgers; null: there is none that can be asked. */
export async function runningTeller(
  configFile: string,
  ledgers: readonly string[],
  clock: Clock,
): Promise<RunningTeller | null> {
  const file = path.resolve(configFile);
  for (const folder of new Set(ledgers.map(controlFolder))) {
    for (const { id, published } of await liveEntries(folder)) {
      if (published.configFile !== file) continue;
      const reply = await askForConfig(folder, id, clock);
      if (reply === null) continue;
      const config = await configIn(reply, file);
      if (config === null) continue;
      const time = reply.isOnPracticeClock ? ledgerClock(config, clock) : clock;
      return { pid: published.pid, config, clock: time, listening: reply.listening };
    }
  }
  return null;
}

/** Whatever is written after a key `ledger`, and the default: a Teller found there says whether the file is its own. */
async function ledgersNamedIn(file: string): Promise<readonly string[]> {
  const written = (await readFile(file, 'utf8')).matchAll(/\bledger["']?\s*:\s*("[^"\n]*"|[^\s,}][^,}\n]*)/g);
  const named = [...written].map(([, value = '']) => String(readJson(value) ?? bare(value)));
  return [...named, outlineOf({}).ledger].map((ledger) => path.resolve(path.dirname(file), ledger));
}

/** A string of YAML without its quotes and without a comment after it. */
const bare = (value: string): string => value.replace(/\s+(?:#.*)?$/, '').replaceAll("'", '');

/** The config of a file with the flags of its running Teller: where the file was changed since, it is as the file says. */
export async function withFlags(config: Config, running: RunningTeller | null): Promise<Config> {
  if (running === null) return config;
  const older = (await olderConfigs(config)).filter(({ pid }) => pid === running.pid);
  const edited = new Set(older.flatMap(({ changes }) => changes.map(({ key }) => key)));
  const { listener } = running.config;
  const host = edited.has('listener.host') ? config.listener.host : listener.host;
  const port = edited.has('listener.port') ? config.listener.port : listener.port;
  return { ...config, listener: { ...config.listener, host, port } };
}
