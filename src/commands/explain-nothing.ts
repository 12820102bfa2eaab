import { printable } from '../core/printable.ts';
import type { Explanation } from '../operator/explain.ts';
import { noiseText } from '../operator/trace/refusals.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printRefused } from './explain-refused.ts';

/** Printed if this name has no votes: the possible reasons, most likely first. */
export function printNothing(
  terminal: Terminal,
  { name, isAllowed, otherNames, refusals, noise }: Explanation,
  bedrockPrefixes: readonly string[],
): void {
  terminal.out(`no vote by ${printable(name, 64)} has arrived`);
  if (!isAllowed) {
    const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players after ${prefixes}`;
    terminal.out(
      `  no player can have this name, so votes for it are refused; a name is 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  if (otherNames.length > 0)
    terminal.out(`  similar names that did vote: ${otherNames.map((key) => printable(key)).join(', ')}`);
  if (printRefused(terminal, refusals, 'Refused in the last 7 days')) return;
  terminal.out(
    noise.length === 0
      ? '  nothing was refused in the last 7 days either, so the site has not sent the vote to this port:'
      : `  no vote was refused in the last 7 days, but ${noiseText(noise)}; if it was none of these, the site has not sent the vote to this port:`,
  );
  terminal.out('  compare the address, the port and the key at the site with `teller keys`');
}
