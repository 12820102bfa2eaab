/** A Teller that is started as an operator starts it, in a process of its own or in that of the test. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Finished, type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import type { Place } from './place.ts';
import { service } from './service.ts';
import { type Ran, typed } from './typed.ts';
import { sendV2, type Vote } from './vote.ts';

export interface Started {
  readonly ready: TellerReady;
  /** @returns `ok`, or the cause of the refusal. */
  vote(vote: Vote): Promise<string>;
  /** Resolves when this is true. It rejects if the Teller has ended. */
  until(seen: () => Promise<boolean>): Promise<void>;
  /** Resolves when nothing is left that can be paid now. */
  settled(): Promise<void>;
  stop(): Promise<number | null>;
}

export interface Apart extends Started, Pick<Running<TellerReady>, 'ended' | 'kill' | 'log' | 'process'> {}

/** Starts a Teller there. @param within words before the command: `env`, with variables. @param flags of `run`. */
export async function apart(place: Place, within: readonly string[] = [], flags: readonly string[] = []) {
  const words = ['run', '--config', place.config, '--json', ...flags];
  const running = await startTeller(words, place.folder, within);
  return { ...running, ...usedAt(place, running.ready, running.ended(), running.log) };
}

/** The same in the process of the test, where it starts in a fifth of the time. */
export async function startedHere(place: Place, flags: readonly string[] = []): Promise<Started> {
  const words = ['run', '--config', place.config, '--json', ...flags];
  const { ready, ended, err, stop } = await service(words);
  if (ready === null) throw new Error(err.join('\n'));
  return { ready, stop, ...usedAt(place, ready, ended, () => err.join('\n')) };
}

function usedAt(place: Place, { listener }: TellerReady, ended: Promise<unknown>, log: () => string) {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const until: Started['until'] = async (seen) => {
    while (!(await seen())) {
      if (hasEnded) throw new Error(`Teller has ended:\n${log()}`);
      await sleep(40);
    }
  };
  const hasSettled = async (): Promise<boolean> => {
    const { json } = await typed(['grants', '--state', 'pending', '--json'], place.config);
    return json.length === 0;
  };
  return {
    until,
    /** Resolves when nothing is left that can be paid now. */
    settled: () => until(hasSettled),
    vote: (vote: Vote) => sendV2(listener.port, vote),
  };
}

/** A command in a process of its own. */
export const typedApart = (
  { folder, config }: Place,
  words: readonly string[],
  within: readonly string[] = [],
): Promise<Finished> => teller([...words, '--config', config], folder, within);

/** A command in the process of the test. */
export const typedHere = ({ config }: Place, ...words: readonly string[]): Promise<Ran> =>
  typed(words, config);
