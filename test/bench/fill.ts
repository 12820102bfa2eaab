/**
 * Fills a ledger through the interface that records votes: each player voted ten times in the past year.
 * Arguments: ledger file, votes. Prints seconds and bytes.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { decide } from '../../src/rewards/decide.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { arrival, DAY } from '../support/votes.ts';
import { playersOf } from './servers.ts';

const [, , file = '', votesText = ''] = process.argv;
const votes = Number(votesText);
const BATCH = 1_000;
const PLAYERS = playersOf(votes);
const YEAR_AGO = Date.now() - 365 * DAY;
const rules = {
  rewards: [],
  practiceServers: new Set<string>(),
  labels: new Map<string, string>(),
  zone: 'UTC',
};

mkdirSync(dirname(file), { recursive: true });
const ledger = openLedger(file, 'create', systemClock);
const startedAt = performance.now();
for (let done = 0; done < votes; done += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, votes - done) }, (_, n) => {
    const number = done + n;
    const receivedAt = YEAR_AGO + Math.floor((number / votes) * 360 * DAY);
    const payload = {
      serviceName: 'Bench',
      username: `P${number % PLAYERS}`,
      address: '192.0.2.1',
      timestamp: receivedAt,
      challenge: 'x'.repeat(26),
    };
    return arrival({
      player: payload.username,
      service: 'Bench',
      site: 'Bench',
      receivedAt,
      wire: JSON.stringify(payload),
    });
  });
  await ledger.record(batch, (vote, rewarded) => decide(vote, rewarded, rules));
}
ledger.close();
process.stdout.write(
  `${JSON.stringify({ seconds: (performance.now() - startedAt) / 1_000, bytes: statSync(file).size })}\n`,
);
