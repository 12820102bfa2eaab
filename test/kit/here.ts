/** A whole Teller in the process of the test, whose time passes only when the test lets it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { testEnvironment } from '../support/environment.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Line, loggedLines } from '../support/logged-lines.ts';
import { furnish, type Place, rewrite } from './place.ts';
import { type Ran, typed } from './typed.ts';
import { sendV2, type Vote } from './vote.ts';
import { type GrantSeen, grantsIn } from './witness.ts';

export interface Here extends Place {
  readonly clock: FakeClock;
  /** What it has logged since its first start. */
  readonly log: readonly Line[];
  /** @returns `ok`, or the cause of the refusal. By default the vote is cast now. */
  vote(vote: Vote): Promise<string>;
  /** A command, as an operator types it. */
  run(...words: readonly string[]): Promise<Ran>;
  /** What `teller grants` says, oldest first. */
  grants(): Promise<readonly GrantSeen[]>;
  /** Time passes until this is true; the test fails if it is not within a minute of it. */
  until(seen: () => boolean | Promise<boolean>): Promise<void>;
  /** Time passes until the grants are in these states, oldest first. */
  untilGrants(...states: readonly string[]): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Writes another config and types `teller reload`. */
  reload(more: object): Promise<Ran>;
  /** Stops it and starts it again. */
  restart(): Promise<void>;
}

/** Between two steps, whatever waits on sockets is read: all of Teller's peers live in this process. */
const STEP_MS = 50;
/** Looking costs more than waiting. */
const LOOK_MS = 4 * STEP_MS;
const GIVE_UP_MS = 60_000;

/** Starts it in a folder of its own. @param more replaces keys at the top of its config: see `furnish`. */
export async function here(more: object = {}, clock = new FakeClock(Date.now())): Promise<Here> {
  const place = furnish(temporaryFolder(), more);
  const { log, lines } = loggedLines();
  let running: { app: App; close(): Promise<void> } | null = null;
  const start = async (): Promise<void> => {
    const load = () => loadConfig(place.config);
    const app = await startApp(await load(), testEnvironment(clock, log));
    const control = await startControl({ app, load, clock, log });
    const close = async () => {
      await control.close();
      await app.close();
    };
    running = { app, close };
  };
  const stop = async (): Promise<void> => {
    const closing = running?.close();
    running = null;
    await closing;
  };
  await start();
  onTestFinished(stop);

  const run: Here['run'] = (...words) => typed(words, place.config, clock);
  const pass: Here['pass'] = async (ms) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(left, STEP_MS));
      await sleep(1);
    }
  };
  const until: Here['until'] = async (seen) => {
    const end = clock.monotonic() + GIVE_UP_MS;
    while (!(await seen())) {
      if (clock.monotonic() > end) throw new Error(`it did not come in a minute: ${seen}`);
      await pass(LOOK_MS);
    }
  };
  const grants = () => grantsIn(place, run);
  return {
    ...place,
    ...{ clock, run, pass, until, grants },
    log: lines,
    vote: (vote) => sendV2(running?.app.listener.port ?? 0, { at: clock.now(), ...vote }),
    untilGrants: (...states) =>
      until(async () => (await grants()).map(({ state }) => state).join() === states.join()),
    reload: (next) => {
      rewrite(place, next);
      return run('reload');
    },
    restart: async () => {
      await stop();
      await start();
    },
  };
}
