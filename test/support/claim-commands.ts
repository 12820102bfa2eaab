/**
 * A process that claims commands in a ledger, as delivery does, and then waits to be killed.
 *
 * Arguments: ledger file, how many commands, `once` or `twice` for how often to open the ledger.
 */

import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { arrival, ONE_REWARD_RULES } from './votes.ts';

const [, , file = '', commands = '1', times = 'once'] = process.argv;

const votes = Array.from({ length: Number(commands) }, (_, number) =>
  arrival(ONE_REWARD_RULES, `P${number}`),
);
let ledger = await openLedger(file, 'create', { clock: systemClock });
await Promise.all(votes.map((vote) => ledger.record(vote, null)));
if (times === 'twice') {
  await ledger.close();
  ledger = await openLedger(file, 'create', { clock: systemClock });
}
for (let id = 1; id <= votes.length; id++)
  await ledger.claim({ grantId: id, position: 0, player: `P${id - 1}`, uuid: null, now: 0 });
process.stdout.write('{"msg":"ready"}\n');
setInterval(() => {}, 1_000);
