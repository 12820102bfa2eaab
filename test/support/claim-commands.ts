/**
 * A process that claims commands in a ledger, as delivery does, and then waits to be killed.
 *
 * Arguments: ledger file, how many commands, `once` or `twice` for how often to open the ledger.
 */

import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { decide } from '../../src/rewards/decide.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { ONE_REWARD_RULES } from './one-reward.ts';
import { arrival } from './votes.ts';

const [, , file = '', commands = '1', times = 'once'] = process.argv;

const votes = Array.from({ length: Number(commands) }, (_, number) => arrival({ player: `P${number}` }));
let ledger = openLedger(file, 'create', systemClock);
await ledger.record(votes, (vote, rewarded) => decide(vote, rewarded, ONE_REWARD_RULES));
if (times === 'twice') {
  ledger.close();
  ledger = openLedger(file, 'create', systemClock);
}
for (let id = 1; id <= votes.length; id++) await ledger.claim(id, 0, `P${id - 1}`, 0);
process.stdout.write('{"msg":"ready"}\n');
setInterval(() => {}, 1_000);
