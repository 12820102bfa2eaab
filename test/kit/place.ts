/** Where a Teller of a test lives: a folder with a config, its secrets and its ledger. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKeyPair } from '../support/config-folder.ts';
import { TOKEN } from './vote.ts';

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
