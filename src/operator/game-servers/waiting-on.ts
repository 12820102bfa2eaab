import { type Config, practiceNames } from '../../config/config.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withLedgerIfThere } from '../ledger-if-there.ts';
import { COUNTED_MAX } from '../now/game-servers.ts';

/** How many grants wait on a practice server, and will be held when a real game server takes its place. */
export async function waitingOn(
  server: string | null,
  config: Config,
  toRead: (file: string) => Promise<Ledger>,
): Promise<number> {
  if (server === null || !practiceNames(config).includes(server)) return 0;
  const lengths = await withLedgerIfThere(
    config.ledger,
    toRead,
    async (ledger) => (await ledger?.queueLengths(COUNTED_MAX)) ?? [],
  );
  const { pending = 0, waiting = 0 } = lengths.find((queue) => queue.server === server) ?? {};
  return pending + waiting;
}
