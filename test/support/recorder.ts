/**
 * A process that records votes of one player, as fast as it can, into a ledger that others write, too.
 *
 * Arguments: ledger file, number of the process, votes, votes in a transaction. Starts at the first line on
 * standard input; prints the sum of what became of them.
 */
import { once } from 'node:events';
import { decide } from '../../src/core/decide.ts';
import type { Recorded } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { systemTerminal } from '../../src/runtime/terminal.ts';
import { arrival } from './votes.ts';

const [, , file = '', self = '', count = '', batchSize = ''] = process.argv;
const THANKS = {
  name: 'thanks',
  if: {},
  when: 'always',
  servers: ['main'],
  commands: ['say {player} voted'],
  safeToRunTwice: false,
} as const;
const rules = { rewards: [THANKS], practiceServers: new Set<string>(), labels: new Map<string, string>() };

const ledger = openLedger(file, 'create', systemClock);
systemTerminal.out(JSON.stringify({ msg: 'ready' }));
await once(process.stdin, 'data');

const sums: Record<string, number> = { rewarded: 0, cooldown: 0, same: 0 };
const outcomeOf = (recorded: Recorded): string => (recorded.kind === 'new' ? recorded.decision.kind : 'same');

for (let done = 0; done < Number(count); done += Number(batchSize)) {
  // Every vote is its own: a service name of its own, so that only the window makes them one reward.
  const batch = Array.from({ length: Number(batchSize) }, (_, n) =>
    arrival({ service: `List ${self}-${done + n}` }),
  );
  for (const one of await ledger.record(batch, (vote, rewarded) =>
    decide(vote, rewarded, rules, systemDice),
  )) {
    const outcome = outcomeOf(one);
    sums[outcome] = (sums[outcome] ?? 0) + 1;
  }
  await new Promise((resolve) => setImmediate(resolve));
}
ledger.close();
systemTerminal.out(JSON.stringify(sums));
process.stdin.unref();
