import { printable } from '../core/printable.ts';
import type { Explanation } from '../operator/explain.ts';
import { noiseText } from '../operator/trace/refusals.ts';
import type { Shown } from '../operator/trace-json.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printDowntimes } from './downtimes-print.ts';
import { printRefused } from './explain-refused.ts';

/** Printed if this name has no votes: the possible reasons, most likely first. */
export function printNothing(terminal: Terminal, explanation: Explanation, { config }: Shown): void {
  const { name, isAllowed, otherNames, refusals, noise } = explanation;
  terminal.out(`no vote by ${printable(name, 64)} has arrived`);
  if (!isAllowed) {
    const prefixes = config.players.bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players after ${prefixes}`;
    terminal.out(
      `  no player can have this name, so votes for it are refused; a name is 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  if (otherNames.length > 0)
    terminal.out(`  similar names that did vote: ${otherNames.map((key) => printable(key)).join(', ')}`);
  if (!printRefused(terminal, refusals, 'Refused in the last 7 days')) {
    const refused =
      noise.length === 0
        ? 'nothing was refused in the last 7 days either'
        : `no vote was refused in the last 7 days, but ${noiseText(noise)}`;
    terminal.out(`  ${refused}${unless(explanation)} the site has not sent the vote to this port:`);
    terminal.out('  compare the address, the port and the key at the site with `teller keys`');
  }
  printDowntimes(terminal, explanation, config.sites);
}

function unless({ noise, downtimes }: Explanation): string {
  if (noise.length > 0) return '; if it was none of these,';
  return downtimes.length > 0 ? '; if it was not cast while no Teller was running,' : ', so';
}
