/** Where a Teller of a test lives: a folder with a config, its secrets and its ledger. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/core/clock.ts';
import { SettableClock } from '../support/fake-clock.ts';
import { placeEmptyLedger, temporaryFolder, writeKeyPair } from '../support/folder.ts';
import { type Person, type Ran, typed } from './typed.ts';
import { TOKEN } from './vote.ts';

/** A password of the console, and what a config says of it. */
export const PASSWORD = 'correct horse battery';
export const HASH =
  '$scrypt$ln=4,r=8,p=1$c2FsdC1vZi10aGUtZmlycw==$5PzGhnDd6hCyjkeJvxPEupAXM4IsIeFz3JdrLAujqXs=';

/** A folder with a config and its secrets. */
export interface Place {
  readonly folder: string;
  readonly config: string;
}

/** Writes the config of a place; `more` replaces keys at its top. A key pair is there, because creating one takes long. */
export function furnish(folder: string, more: object = {}): Place {
  writeKeyPair(join(folder, 'data/keys'));
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

/** A place where commands are typed. */
export type Desk = Place & ReturnType<typeof typing>;

/**
 * A folder of its own with a config and an empty ledger, where no Teller runs. It is noon on 1 June 2026.
 *
 * @param files more of them, by their names.
 * @param clock by default its time stands still, but what is on the network is waited for.
 */
export function desk<Own extends Clock = SettableClock>(
  more: object = {},
  files: Readonly<Record<string, string>> = {},
  clock: Own = new SettableClock('2026-06-01T12:00:00Z') as Clock as Own,
): Desk & { readonly clock: Own } {
  const place = furnish(temporaryFolder(files), more);
  placeEmptyLedger(join(place.folder, 'data/teller.db'));
  return { ...place, clock, ...typing(place, clock) };
}

export const typing = ({ config }: Place, clock: Clock) => ({
  run: (...words: readonly string[]): Promise<Ran> => typed(words, config, clock),
  /** The same, typed by a person at a terminal. */
  runBy: (person: Person, ...words: readonly string[]): Promise<Ran> => typed(words, config, clock, person),
});
