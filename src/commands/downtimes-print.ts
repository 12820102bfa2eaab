import type { SiteConfig } from '../config/config.ts';
import {
  DOWNTIMES_SHOWN_MAX,
  downtimeTexts,
  notRunningSentence,
  TO_START,
  toAddMissed,
  type Uptime,
} from '../operator/downtimes.ts';
import type { Terminal } from '../platform/terminal.ts';

/** Said first: while no Teller runs, nothing else matters. */
export function printNotRunning(terminal: Terminal, uptime: Uptime): void {
  const sentence = notRunningSentence(uptime);
  if (sentence !== null) terminal.out(`${sentence}; ${TO_START}`);
}

/** The times in which a vote could have been missed. */
export function printDowntimes(
  terminal: Terminal,
  uptime: Uptime,
  sites: ReadonlyMap<string, SiteConfig>,
): void {
  const texts = downtimeTexts(uptime);
  if (texts.length === 0) return;
  terminal.out('');
  terminal.out('In the last 30 days, votes could not arrive while no Teller was running:');
  for (const text of texts.slice(-DOWNTIMES_SHOWN_MAX)) terminal.out(`  ${text}`);
  const left = texts.length - DOWNTIMES_SHOWN_MAX;
  if (left > 0) terminal.out(`  and ${left} earlier times, which --json lists`);
  terminal.out(`  → ${toAddMissed(sites)}`);
}
