/** One game server of any kind as delivery meets it, by its entry in a config. Time passes only when the test lets it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { kindOf } from '../../src/delivery/kinds.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/log.ts';
import { typedHere } from './apart.ts';
import { furnish } from './place.ts';

/** A command that is tried for the first time. */
export const ABOUT = {
  ...{ grant: 7, position: 0, vote: 31, reward: 'daily', occasion: '', site: 'A.example' },
  ...{ player: 'Steve', uuid: null, attempt: 1 },
};

export type Connected = Awaited<ReturnType<typeof connected>>;

/** Connects as the game server `main`. @param drawn every random number. */
export async function connected(entry: object, drawn = 0) {
  const { config } = furnish(temporaryFolder(), { gameServers: { main: entry }, rewards: [] });
  const main = (await loadConfig(config)).gameServers.get('main');
  if (main === undefined) throw new Error('there is no game server main');
  const clock = new FakeClock();
  const { log, lines } = loggedLines();
  const random = { next: () => drawn, bytes: randomBytes };
  const server = await kindOf(main).connect(main, { name: 'main', clock, random, log, embedded: null });
  onTestFinished(() => server.close());
  /** Lets time pass, 50 ms in each millisecond, until this is settled. */
  const soon = async <Value>(promise: Promise<Value>): Promise<Value> => {
    const isOver = watched(promise);
    for (await arrived(); !isOver(); await arrived()) clock.advance(50);
    return promise;
  };
  return {
    ...{ server, clock, soon },
    log: lines,
    /** Runs a command, and lets time pass until it has ended. */
    run: (...given: Parameters<GameServer['run']>) => soon(server.run(...given)),
    /** Who is online, for whom grants wait. */
    presence: (...wanted: readonly string[]) => soon(server.presence(wanted)),
  };
}

/** What `teller check` finds about the game server `main` that has this entry: its marks and codes. */
export async function checked(entry: object): Promise<readonly string[]> {
  const place = furnish(temporaryFolder(), { gameServers: { main: entry }, rewards: [] });
  const { json, out } = await typedHere(place, 'check', '--json');
  if (out.includes(String(Object(entry).apiKey))) throw new Error('it shows the key');
  const findings: readonly { mark: string; code: string; sentence: string }[] = json;
  return findings
    .filter(({ sentence }) => /\bmain\b/.test(sentence))
    .map(({ mark, code }) => `${mark} ${code}`);
}

/** Lets everything arrive that is on its way between sockets of this process, while time stands still. */
export const arrived = (): Promise<void> => sleep(2);

/** Whether a promise is settled when everything has arrived. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const isOver = watched(promise);
  await sleep(10);
  return isOver();
}

/** @returns whether it is settled. */
function watched(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  promise.then(end, end);
  return () => isOver;
}

/** Resolves when this is true, while time stands still. */
export async function until(seen: () => boolean): Promise<void> {
  while (!seen()) await arrived();
}
