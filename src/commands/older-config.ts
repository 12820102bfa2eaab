import { toApply } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { isoTime } from '../core/instant.ts';
import { type OlderConfig, olderConfigs } from '../operator/running-config.ts';
import type { Terminal } from '../runtime/terminal.ts';

/** Keys that are named; the others are counted. */
const SHOWN = 5;

/** Rule 15: says first where a running Teller has another config than the file that a command is about to report on. */
export async function noteOlderConfig(config: Config, terminal: Terminal, json = false): Promise<void> {
  const print = json ? terminal.err : terminal.out;
  for (const older of await olderConfigs(config)) print(`note: ${olderSentence(older)}`);
}

export function olderSentence({ pid, loadedAt, changes }: OlderConfig): string {
  const keys = changes.map(({ key }) => key);
  const shown = keys.slice(0, SHOWN).join(', ');
  const rest = keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '';
  return `the running Teller (${pid}) has the config of ${isoTime(loadedAt)}, which differs in ${shown}${rest}: ${toApply(changes)}`;
}
