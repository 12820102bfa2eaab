/**
 * A real Teller that kills itself (SIGKILL) at a chosen point while it handles a vote. The kill points wrap the
 * environment of app.ts, so that production code needs no hooks for them.
 *
 * Arguments: config file, kill point; for a call of the ledger, which of these calls (1).
 */

import { readyLine } from '../../src/commands/run.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import type { Ledger, LedgerCalls } from '../../src/ledger/ledger.ts';
import { startApp } from '../../src/main/app.ts';
import { environment } from '../../src/main/environment.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { Death, die } from './dying.ts';

export type KillPoint =
  /** The vote is committed, but not answered. A vote from the API needs no answer. */
  | 'between-commit-and-reply'
  /** The command is marked as being sent, but not written. */
  | 'between-claim-and-write'
  /** The third command is marked as being sent, in the commit that stored the outcome of the second, but not written. */
  | 'between-shared-claim-and-write'
  /** The game server has run the command, but the outcome is not stored. */
  | 'between-write-and-settlement'
  /** The listing's API has returned votes, but none is stored. */
  | 'between-page-and-commit'
  /** The votes are stored, but not how far the API was read. */
  | 'between-commit-and-bookmark'
  /** A call of the ledger, before it is made or after it has returned. */
  | `${'before' | 'after'}-${keyof LedgerCalls}`;

const [, , file = '', point, count = '1'] = process.argv as [string, string, string, KillPoint, string?];
const [when = '', call = ''] = point.split('-');
const death = new Death(when, Number(count));

const hasSender = ({ vote }: Arrival): boolean => vote.channel !== 'api';

let hasReadVotes = false;

const dyingLedger = (ledger: Ledger): Ledger => ({
  ...death.callsOf({ ...ledger }, call in ledger ? [call as keyof LedgerCalls] : []),
  record: async (arrival, reading) => {
    const recorded = await ledger.record(arrival, reading);
    if (point === 'between-commit-and-reply' && hasSender(arrival)) die();
    return recorded;
  },
  knownEvents: async (site, ids) => {
    hasReadVotes ||= ids.length > 0;
    if (point === 'between-page-and-commit' && hasReadVotes) die();
    return ledger.knownEvents(site, ids);
  },
  setRecoveredUntil: async (site, until) => {
    if (point === 'between-commit-and-bookmark' && hasReadVotes) die();
    return ledger.setRecoveredUntil(site, until);
  },
});

let commands = 0;

const dyingGameServer = (server: GameServer): GameServer => ({
  open: () => server.open(),
  ready: () => server.ready(),
  sendsAtOnce: () => server.sendsAtOnce(),
  ask: (question) => server.ask(question),
  presence: (wanted) => server.presence(wanted),
  ...(server.join === undefined ? {} : { join: (player: string) => server.join?.(player) ?? false }),
  close: () => server.close(),
  run: async (command) => {
    commands += 1;
    if (point === 'between-claim-and-write') die();
    if (point === 'between-shared-claim-and-write' && commands === 3) die();
    const outcome = await server.run(command);
    if (point === 'between-write-and-settlement') die();
    return outcome;
  },
});

const config = await loadConfig(file);
const log = createLog('info', systemTerminal);
const around = environment(systemClock, systemRandom, log);
const app = await startApp(config, {
  ...around,
  openLedger: async (...place) => dyingLedger(await around.openLedger(...place)),
  connect: async (...target) => dyingGameServer(await around.connect(...target)),
});
// At once: with the API it may kill itself in the next milliseconds.
systemTerminal.out(JSON.stringify(readyLine(config, app)));
await startControl({ app, load: () => loadConfig(file), clock: systemClock, log });
