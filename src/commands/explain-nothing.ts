import { printable } from '../core/printable.ts';
import type { Explanation } from '../operator/explain.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { noiseText } from '../trace/refusals.ts';
import { printRefused } from './explain-refused.ts';

/** There is no vote of this name: what may be the reason, the likeliest first. */
export function printNothing(
  terminal: Terminal,
  { name, isAllowed, otherNames, refusals, noise }: Explanation,
  bedrockPrefixes: readonly string[],
): void {
  terminal.out(`no vote of ${printable(name, 64)} has arrived here`);
  if (!isAllowed) {
    const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players behind ${prefixes}`;
    terminal.out(
      `  no player can have this name, and votes for it are refused: 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  if (otherNames.length > 0)
    terminal.out(`  names close to it that did vote: ${otherNames.map((key) => printable(key)).join(', ')}`);
  if (printRefused(terminal, refusals, 'Refused in the last 7 days')) return;
  terminal.out(
    noise.length === 0
      ? '  nothing was refused in the last 7 days either, so the site has not sent it to this port:'
      : `  no vote was refused in the last 7 days, but ${noiseText(noise)}; else the site has not sent it to this port:`,
  );
  terminal.out('  compare the address, the port and the key at the site with `teller keys`');
}
