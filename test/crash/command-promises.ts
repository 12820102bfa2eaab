import type { HeardCommands } from './heard.ts';
import type { Kept } from './kept.ts';

interface Written {
  delivered: number;
  refused: number;
  unknown: number;
}

/**
 * Rules 1, 5 and 6 for one game server: what came to it against what the ledger has. Of one text (a player who votes
 * again earns the same commands again) it heard no more than the ledger calls tried, so nothing came twice and nothing
 * that came is `not tried`; and the ledger says yes or no only where a whole answer did.
 */
export function commandFaults(kept: Kept, server: string, heard: HeardCommands): string[] {
  const written = writtenFor(kept, server);
  const texts = new Set([...written.keys(), ...heard.texts()]);
  return [...texts].flatMap((text) => {
    const { delivered, refused, unknown } = written.get(text) ?? NOTHING;
    const { came, confirmed, refused: denied } = heard.of(text);
    const tried = delivered + refused + unknown;
    return [
      ...(came > tried ? [`“${text}” came to ${server} ${came} times, and ${tried} are known of`] : []),
      ...(delivered > confirmed ? [`“${text}” is delivered ${delivered} times, and ran ${confirmed}`] : []),
      ...(refused > denied ? [`“${text}” is refused ${refused} times, and was ${denied}`] : []),
    ];
  });
}

const NOTHING: Readonly<Written> = { delivered: 0, refused: 0, unknown: 0 };

function writtenFor({ grants }: Kept, server: string): ReadonlyMap<string, Written> {
  const written = new Map<string, Written>();
  const commands = [...grants.values()]
    .flat()
    .filter((grant) => grant.server === server)
    .flatMap((grant) => grant.commands);
  for (const { command, outcome } of commands) {
    const text = command.toLowerCase();
    const counts = written.get(text) ?? { ...NOTHING };
    if (outcome === 'delivered' || outcome === 'refused' || outcome === 'unknown') counts[outcome] += 1;
    written.set(text, counts);
  }
  return written;
}
