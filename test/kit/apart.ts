/** A Teller in a process of its own, in a folder of the test. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Finished, type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import type { Place } from './place.ts';
import { type Ran, typed } from './typed.ts';
import { sendV2, type Vote } from './vote.ts';

export interface Apart
  extends Pick<Running<TellerReady>, 'ended' | 'kill' | 'log' | 'process' | 'ready' | 'stop'> {
  /** @returns `ok`, or the cause of the refusal. */
  vote(vote: Vote): Promise<string>;
  /** Resolves when this is true. It rejects if the process has ended. */
  until(seen: () => Promise<boolean>): Promise<void>;
  /** Resolves when nothing is left that can be paid now. */
  settled(): Promise<void>;
}

/** Starts a Teller there. @param within words before the command: `env`, with variables. @param flags of `run`. */
export async function apart(
  place: Place,
  within: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Apart> {
  const words = ['run', '--config', place.config, '--json', ...flags];
  const running = await startTeller(words, place.folder, within);
  let hasEnded = false;
  void running.ended().then(() => (hasEnded = true));
  const until = async (seen: () => Promise<boolean>): Promise<void> => {
    while (!(await seen())) {
      if (hasEnded) throw new Error(`Teller has ended:\n${running.log()}`);
      await sleep(40);
    }
  };
  const hasSettled = async (): Promise<boolean> => {
    const { json } = await typed(['grants', '--state', 'pending', '--json'], place.config);
    return json.length === 0;
  };
  return {
    ...running,
    until,
    settled: () => until(hasSettled),
    vote: (vote) => sendV2(running.ready.listener.port, vote),
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
