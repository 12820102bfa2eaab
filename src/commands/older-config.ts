import { toApply } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { isoTime } from '../core/instant.ts';
import { type OlderConfig, olderConfigs } from '../operator/running-config.ts';
import type { Terminal } from '../platform/terminal.ts';

/** At most this many keys are named; the others are only counted. */
const SHOWN = 5;

/** Rule 15: notes that the config of a running Teller differs from the file that a command is about to report on. */
export async function noteOlderConfig(config: Config, terminal: Terminal, json = false): Promise<void> {
  const print = json ? terminal.err : terminal.out;
  for (const older of await olderConfigs(config)) print(`note: ${olderSentence(older)}`);
}

export function olderSentence({ pid, loadedAt, changes }: OlderConfig): string {
  const keys = changes.map(({ key }) => key);
  const shown = keys.slice(0, SHOWN).join(', ');
  const rest = keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '';
  return `the running Teller (process ${pid}) loaded its config at ${isoTime(loadedAt)}, and the file has changed since: ${shown}${rest}. To apply it: ${toApply(changes)}`;
}
