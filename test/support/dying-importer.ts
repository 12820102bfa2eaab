/**
 * A process that imports 450 players, and kills itself (SIGKILL) before or after its n-th call of the ledger, or while it stores
 * its n-th balance.
 *
 * Arguments: ledger file; `before`, `after`, `while` or `never`; n.
 */
import { loadConfig } from '../../src/config/load.ts';
import { importBalances } from '../../src/operator/import-balances.ts';
import { AS_OF, manyPlayers, sourceOf } from './balances.ts';
import { Death, ledgerAt, watchWrites } from './dying.ts';

const [, , config = '', when = '', count = ''] = process.argv;
const loaded = await loadConfig(config, { missingSecrets: 'defer' });
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(loaded.ledger);
if (when === 'while') watchWrites(database, [['balances', 'INSERT']], death.step);
const watched =
  when === 'while' ? ledger : death.callsOf(ledger, ['startImport', 'importVotes', 'importBalances']);

await importBalances(sourceOf(manyPlayers(450)), {
  ...{ ledger: watched, config: loaded, by: 'votingplugin by ann', now: AS_OF + 1_000 },
  onProgress: () => {},
});
await ledger.close();
