/** A process that simulates votes of one player, and kills itself (SIGKILL) after the last one. Argument: the config. */
import { loadConfig } from '../../src/config/load.ts';
import { openTemporaryLedger } from '../../src/ledger/sqlite/temporary.ts';
import { hypotheticalVote, isRefused } from '../../src/operator/preview/hypothetical-votes.ts';
import { simulate } from '../../src/operator/simulation/simulate.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { die } from '../support/dying.ts';

const [, , file = ''] = process.argv;
const config = await loadConfig(file, { missingSecrets: 'defer' });
const votes = Array.from({ length: 600 }, (_, day) => {
  const vote = hypotheticalVote('Alex', 'My-List.com', Date.UTC(2026, 0, 1 + day, 18), config);
  if (isRefused(vote)) throw new Error(vote.code);
  return vote;
});
const ledger = await openTemporaryLedger(systemClock);
await simulate(ledger, votes, rulesOf(config, 'UTC'), 1, { tops: [], until: null, online: [] });
die();
