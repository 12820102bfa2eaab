import type { Config } from '../config/config.ts';
import { parsePlayerName, playerKey } from '../core/player-name.ts';
import { printable } from '../core/printable.ts';
import { isUserId } from '../intake/listed-vote.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { nearNames } from '../trace/near-names.ts';
import { noiseFigures, noiseText, REFUSALS_SHOWN_MS } from '../trace/refusals.ts';
import { mentionRefused } from './explain-refused.ts';

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
  if (parsePlayerName(name, bedrockPrefixes).kind !== 'name' && !mayBeUser(name, config)) {
    const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players behind ${prefixes}`;
    terminal.out(
      `  no player can have this name, and votes for it are refused: 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  const near = await nearNames(ledger, playerKey(name), bedrockPrefixes);
  if (near.length > 0)
    terminal.out(`  names close to it that did vote: ${near.map((key) => printable(key)).join(', ')}`);
  const since = now - REFUSALS_SHOWN_MS;
  const counts = await ledger.refusals(since);
  if (mentionRefused(counts, since, 'Refused in the last 7 days', terminal)) return;
  const noise = noiseFigures(counts);
  terminal.out(
    noise.length === 0
      ? '  nothing was refused in the last 7 days either, so the site has not sent it to this port:'
      : `  no vote was refused in the last 7 days, but ${noiseText(noise)}; else the site has not sent it to this port:`,
  );
  terminal.out('  compare the address, the port and the key at the site with `teller keys`');
}

/** By webhook and API votes come for user IDs, too. */
const mayBeUser = (name: string, { sites }: Config): boolean =>
  isUserId(name) && [...sites.values()].some(({ api, webhook }) => api !== null || webhook !== null);
