/** A whole Teller in the process of the test, whose time passes only when the test lets it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { serveConsole } from '../../src/commands/serve-console.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { environment } from '../../src/main/environment.ts';
import { metricsFor } from '../../src/notify/metrics/wanted.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { openSharedLedger, quiet } from '../support/environment.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/log.ts';
import type { Faults } from './faults.ts';
import { ledgerFileOf } from './ledger-file.ts';
import { furnish, type Place, rewrite, typing } from './place.ts';
import { sendV1, sendV2, type Vote } from './vote.ts';
import { grantsIn } from './witness.ts';

export type Here = Awaited<ReturnType<typeof here>>;

const STEP_MS = 50;
const PATIENT_TURNS = 250;
/** Looking costs more than waiting. */
const LOOK_MS = 4 * STEP_MS;
const GIVE_UP_MS = 60_000;
/** Another thread or process takes its own time, so later looks are further apart. */
const PROMPT_LOOKS = 25;
const PATIENT_MS = 10;

/**
 * Starts it in a folder of its own. By default it is now, but not a whole second: times in whole seconds are compared in seconds [T-4].
 *
 * @param more replaces keys at the top of its config: see `furnish`.
 * @param beside another Teller, with which it shares its folder and its ledger.
 * @param faults makes its parts fail.
 */
export async function here(
  more: object = {},
  clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000 + 1),
  beside?: Pick<Place, 'folder'>,
  faults?: Faults,
) {
  const place =
    beside === undefined
      ? furnish(temporaryFolder(), more)
      : rewrite({ folder: beside.folder, config: join(beside.folder, 'beside.json') }, more);
  const { log, lines } = loggedLines();
  let running: { app: App; close(): Promise<void> } | null = null;
  const start = async (): Promise<void> => {
    const load = () => loadConfig(place.config);
    const config = await load();
    const metrics = await metricsFor(config);
    const around = { ...environment(clock, systemRandom, log), openLedger: openSharedLedger(clock) };
    const observed = metrics === null ? around : { ...around, observer: metrics };
    const app = await startApp(config, observed, faults?.build);
    const control = await startControl({ app, load, clock, log });
    const pages = await serveConsole({
      ...{ teller: app, control, clock, log, metrics, random: systemRandom },
      command: (words) => `teller ${words}`,
    });
    const close = async () => {
      await pages?.close();
      await control.close();
      await app.close();
    };
    running = { app, close };
  };
  const stop = async (): Promise<void> => {
    let isClosed = running === null;
    const closing = running?.close().finally(() => (isClosed = true));
    running = null;
    // What is in progress ends by the clock at the latest, which stands still as long as it may end by itself.
    for (let turn = 0; !isClosed; turn += 1) {
      await sleep(1);
      if (turn > PATIENT_TURNS) clock.advance(STEP_MS);
    }
    await closing;
  };
  await start();
  onTestFinished(stop);

  const { run, runBy } = typing(place, clock);
  /** Time passes in steps, between which whatever waits on sockets is read. */
  const pass = async (ms: number, stepMs = STEP_MS): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      await quiet();
    }
    // For other threads and processes.
    await sleep(1);
  };
  /** Time passes until this is true; the test fails if it is not within a minute of it, or within 300 steps if those are longer. */
  const until = async (seen: () => boolean | Promise<boolean>, stepMs = LOOK_MS): Promise<void> => {
    const end = clock.monotonic() + Math.max(GIVE_UP_MS, 300 * stepMs);
    for (let looks = 1; !(await seen()); looks += 1) {
      if (clock.monotonic() > end) throw new Error(`it did not come in a minute: ${seen}`);
      await pass(stepMs, Math.max(STEP_MS, stepMs / 4));
      if (looks > PROMPT_LOOKS) await sleep(PATIENT_MS);
    }
  };
  /** Time passes until this is done. */
  const during = async <Done>(work: Promise<Done>): Promise<Done> => {
    let isDone = false;
    void work.catch(() => {}).then(() => (isDone = true));
    await until(() => isDone);
    return work;
  };
  /** What `teller grants` says, oldest first. */
  const grants = () => grantsIn(place, run);
  return {
    ...place,
    ...{ clock, run, runBy, pass, until, during, grants },
    /** What it has logged since its first start. */
    log: lines,
    /** @returns `ok`, or the cause of the refusal; nothing by v1. By default the vote is cast now. */
    vote: ({ via, ...vote }: Vote): Promise<string> => {
      const port = running?.app.listener.port ?? 0;
      const timed = { at: clock.now(), ...vote };
      return via === 'v1' ? sendV1(port, timed, place.folder) : sendV2(port, timed);
    },
    /** Time passes until the grants are in these states, oldest first. */
    untilGrants: async (...states: readonly string[]): Promise<void> => {
      let looked = '';
      await until(async () => {
        const now = changesOf(ledgerFileOf(place));
        if (now === looked) return false;
        looked = now;
        return (await grants()).map(({ state }) => state).join() === states.join();
      });
    },
    /** Writes another config and types `teller reload`. */
    reload: (next: object) => {
      rewrite(place, next);
      return run('reload');
    },
    /** Stops it, does this while it is stopped, and starts it again. */
    restart: async (meanwhile: () => unknown = () => {}): Promise<void> => {
      await stop();
      await meanwhile();
      await start();
    },
    /** Stops it; commands are typed as before. */
    stop,
    /** Where it accepts votes, and signed webhooks. */
    get port() {
      return running?.app.listener.port ?? 0;
    },
    get webhookPort() {
      return running?.app.webhook?.port ?? 0;
    },
  };
}

/** Another text after each change of a ledger, because the end of its files moves or their newest time does. */
const changesOf = (ledger: string): string =>
  ['', '-wal']
    .map((end) => {
      const file = statSync(ledger + end, { bigint: true, throwIfNoEntry: false });
      return `${file?.size} ${file?.mtimeNs}`;
    })
    .join();
