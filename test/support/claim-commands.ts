/**
 * A process that claims commands in a ledger, as delivery does, and then waits to be killed.
 *
 * Arguments: ledger file, how many commands, `once` or `twice` for how often to open the ledger.
 */
import { openLedger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { rulesOf } from '../../src/votes/sites.ts';
import { arrivalOf, loaded, reward } from '../kit/arrivals.ts';

const [, , file = '', commands = '1', times = 'once'] = process.argv;

const config = await loaded({ rewards: [reward('thanks')] });
const rules = rulesOf(config, 'UTC');
const players = Array.from({ length: Number(commands) }, (_, number) => `P${number}`);
let ledger = await openLedger(file, 'create', { clock: systemClock });
await Promise.all(players.map((player) => ledger.record(arrivalOf({ player }, config, rules), null)));
if (times === 'twice') {
  await ledger.close();
  ledger = await openLedger(file, 'create', { clock: systemClock });
}
for (const [at, player] of players.entries())
  await ledger.claim({ grantId: at + 1, position: 0, player, uuid: null, now: 0 });
process.stdout.write('{"msg":"ready"}\n');
setInterval(() => {}, 1_000);
