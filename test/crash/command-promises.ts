import { allGrantsIn, type LedgerContents } from './ledger-contents.ts';
import type { ReceivedCommands } from './received-commands.ts';

interface LedgerCounts {
  delivered: number;
  refused: number;
  unknown: number;
}

/**
 * Rules 1, 5 and 6 for one game server: compares the commands it received with those in the ledger. Votes of one player
 * earn the same commands again, so commands are counted by their text. The server must not receive one more often than
 * the ledger counts attempts, and the ledger may say delivered or refused only if the server answered so completely.
 */
export function commandFaults(
  contents: LedgerContents,
  server: string,
  received: ReceivedCommands,
): string[] {
  const counted = ledgerCountsOf(contents, server);
  const texts = new Set([...counted.keys(), ...received.texts()]);
  return [...texts].flatMap((text) => {
    const { delivered, refused, unknown } = counted.get(text) ?? NOTHING;
    const { times, confirmed, refused: denied } = received.of(text);
    const tried = delivered + refused + unknown;
    return [
      ...(times > tried ? [`“${text}” reached ${server} ${times} times, and the ledger has ${tried}`] : []),
      ...(delivered > confirmed
        ? [`“${text}” is delivered ${delivered} times in the ledger, and ran ${confirmed} times`]
        : []),
      ...(refused > denied
        ? [`“${text}” is refused ${refused} times in the ledger, and was refused ${denied} times`]
        : []),
    ];
  });
}

const NOTHING: Readonly<LedgerCounts> = { delivered: 0, refused: 0, unknown: 0 };

function ledgerCountsOf(contents: LedgerContents, server: string): ReadonlyMap<string, LedgerCounts> {
  const counted = new Map<string, LedgerCounts>();
  const commands = allGrantsIn(contents)
    .filter((grant) => grant.server === server)
    .flatMap((grant) => grant.commands);
  for (const { command, outcome } of commands) {
    const text = command.toLowerCase();
    const counts = counted.get(text) ?? { ...NOTHING };
    if (outcome === 'delivered' || outcome === 'refused' || outcome === 'unknown') counts[outcome] += 1;
    counted.set(text, counts);
  }
  return counted;
}
