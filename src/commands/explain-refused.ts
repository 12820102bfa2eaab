import { isoTime } from '../core/instant.ts';
import { shownService } from '../core/service-name.ts';
import { REFUSALS_LISTED_MAX, type RefusalFigure, refusalSenders } from '../operator/trace/refusals.ts';
import type { Terminal } from '../platform/terminal.ts';

/**
 * Refusals keep no player names, so any of them may be the missing vote. Returns whether there are any.
 *
 * @param heading `Refused in the last 7 days`
 */
export function printRefused(
  terminal: Terminal,
  figures: readonly RefusalFigure[],
  heading: string,
): boolean {
  if (figures.length === 0) return false;
  terminal.out('');
  terminal.out(`${heading}; the missing vote may be one of these:`);
  for (const figure of figures.slice(0, REFUSALS_LISTED_MAX)) terminal.out(`  ${refusedLine(figure)}`);
  const left = figures.length - REFUSALS_LISTED_MAX;
  if (left > 0) terminal.out(`  and ${left} other kinds; \`teller sites\` lists them all`);
  return true;
}

function refusedLine(figure: RefusalFigure): string {
  const { service, count, lastAt, cause, code } = figure;
  const who = `${refusalSenders(figure)}${service === null ? '' : ` for “${shownService(service, 64)}”`}`;
  const times = count === 1 ? '' : `${count} times, last `;
  return `${times}${isoTime(lastAt)}: ${who} ${cause} [${code}]`;
}
