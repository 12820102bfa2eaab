import type { Config } from '../config/config.ts';
import { isoTime } from '../core/instant.ts';
import { parsePlayerName, playerKey } from '../core/player-name.ts';
import { printable } from '../core/printable.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { nearNames } from '../trace/near-names.ts';
import { REFUSALS_SHOWN_MS, type RefusalFigure, refusalFigures, refusalSenders } from '../trace/refusals.ts';

/** Refusals that are told at most; they come the latest first. */
const REFUSALS_MAX = 8;

/** There is no vote of this name: what may be the reason, from the likeliest on. */
export async function explainNothing(
  name: string,
  ledger: LedgerReader,
  config: Config,
  terminal: Terminal,
  now: number,
): Promise<void> {
  terminal.out(`no vote of ${printable(name, 64)} has arrived here`);
  const { bedrockPrefixes } = config.players;
  if (parsePlayerName(name, bedrockPrefixes).kind !== 'name') {
    const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players behind ${prefixes}`;
    terminal.out(
      `  no player can have this name, and votes for it are refused: 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  const near = await nearNames(ledger, playerKey(name), bedrockPrefixes);
  if (near.length > 0)
    terminal.out(`  names close to it that did vote: ${near.map((key) => printable(key)).join(', ')}`);
  printRefused(terminal, refusalFigures(await ledger.refusals(now - REFUSALS_SHOWN_MS)));
}

function printRefused(terminal: Terminal, refused: readonly RefusalFigure[]): void {
  if (refused.length === 0) {
    terminal.out(
      '  nothing was refused in the last 7 days either, so the site has not sent it to this port:',
    );
    terminal.out('  compare the address, the port and the key at the site with `teller keys`');
    return;
  }
  terminal.out('  refused in the last 7 days, and one of these may have been it:');
  for (const figure of refused.slice(0, REFUSALS_MAX)) {
    const { service, count, lastAt, cause, code } = figure;
    const who = `${refusalSenders(figure)}${service === '' ? '' : ` for “${service}”`}`;
    const times = count === 1 ? '' : `${count} times, last `;
    terminal.out(`    ${times}${isoTime(lastAt)}: ${who} ${cause} [${code}]`);
  }
  const left = refused.length - REFUSALS_MAX;
  if (left > 0) terminal.out(`    and ${left} other kinds, which \`teller sites\` lists`);
}
