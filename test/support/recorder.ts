/**
 * A process that records votes into a ledger that other processes also write. Each line on standard input is a number of
 * votes, which it records as fast as it can. It then prints the totals of all outcomes.
 *
 * Arguments: ledger file, number of the process, votes in a transaction, and `one` if all votes are of one player, so
 * that they share a window, or `many` if each is of another one.
 */
import { createInterface } from 'node:readline';
import type { Recorded } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';
import type { Arrival } from '../../src/rewards/reward.ts';
import { rulesOf } from '../../src/votes/sites.ts';
import { arrivalOf, loaded, reward } from '../kit/arrivals.ts';

const [, , file = '', self = '', batchSize = '', players = ''] = process.argv;
const ledger = await openLedger(file, 'create', { clock: systemClock });
systemTerminal.out(JSON.stringify({ msg: 'ready' }));

/** One reward for each vote, or rewards of which all players together get only some. */
const rewards =
  players === 'one'
    ? [reward('thanks')]
    : [
        reward('three', { limit: { per: 'network', count: 3, within: 'day' } }),
        reward('tenths', { if: { votes: { of: 'network', every: 10 } } }),
      ];
const config = await loaded({ rewards });
const rules = rulesOf(config, 'UTC');

const sums: Record<string, number> = { rewarded: 0, unlisted: 0, same: 0 };
const outcomeOf = (recorded: Recorded): string => (recorded.kind === 'new' ? recorded.decision.kind : 'same');
let sent = 0;

/** Every vote of one player has its own service name, so that only the window makes them one reward. */
const next = (): Arrival => {
  sent += 1;
  const cast = players === 'one' ? { on: `List ${self}-${sent}` } : { player: `P${self}_${sent}` };
  return arrivalOf(cast, config, rules);
};

const batchOf = (size: number): Arrival[] => Array.from({ length: size }, next);

for await (const line of createInterface({ input: process.stdin })) {
  for (let left = Number(line); left > 0; left -= Number(batchSize)) {
    const batch = batchOf(Number(batchSize));
    const recorded = await Promise.all(batch.map((one) => ledger.record(one, null)));
    for (const outcome of recorded.map(outcomeOf)) sums[outcome] = (sums[outcome] ?? 0) + 1;
  }
  systemTerminal.out(JSON.stringify(sums));
}
await ledger.close();
