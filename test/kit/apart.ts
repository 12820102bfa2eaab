/** A Teller in a process of its own, in a folder of the test. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { type Finished, type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import { type Ran, typed } from './typed.ts';
import { sendV2, TOKEN, type Vote } from './vote.ts';

export interface Apart extends Pick<Running<TellerReady>, 'ended' | 'kill' | 'log' | 'ready' | 'stop'> {
  /** @returns `ok`, or the cause of the refusal. */
  vote(vote: Vote): Promise<string>;
  /** Resolves when this is true. It rejects if the process has ended. */
  until(seen: () => Promise<boolean>): Promise<void>;
  /** Resolves when nothing is left that can be paid now. */
  settled(): Promise<void>;
}

/** A folder with a config and its secrets. */
export interface Place {
  readonly folder: string;
  readonly config: string;
}

/** Writes the config of a place; `more` replaces keys at its top. A key pair is there, because creating one takes long. */
export function furnish(folder: string, more: object = {}): Place {
  const keys = join(folder, 'data/keys');
  mkdirSync(keys, { recursive: true, mode: 0o700 });
  const { privateKey, publicKey } = inject('keyPair');
  writeFileSync(join(keys, 'private.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(keys, 'public.key'), publicKey);
  return rewrite({ folder, config: join(folder, 'config.json') }, more);
}

/** Writes its config again. */
export function rewrite(place: Place, more: object): Place {
  const base = {
    listener: { host: '127.0.0.1', port: 0 },
    console: { port: 0 },
    sites: { default: { token: TOKEN }, List: {} },
    gameServers: { main: { kind: 'practice', joinDelay: '0s' } },
    rewards: [{ name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] }],
  };
  writeFileSync(place.config, JSON.stringify({ ...base, ...more }, null, 2), { mode: 0o600 });
  return place;
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
