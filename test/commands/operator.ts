import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import { alarmsCommand } from '../../src/commands/alarms.ts';
import { checkCommand } from '../../src/commands/check.ts';
import { clockCommand } from '../../src/commands/clock.ts';
import { eventsCommand } from '../../src/commands/events.ts';
import { explainCommand } from '../../src/commands/explain.ts';
import { grantsCommand } from '../../src/commands/grants.ts';
import { partyCommand } from '../../src/commands/party.ts';
import { pauseCommand, resumeCommand } from '../../src/commands/pause.ts';
import { playersCommand } from '../../src/commands/players.ts';
import { previewCommand } from '../../src/commands/preview.ts';
import { rewardCommand } from '../../src/commands/reward.ts';
import { shadowCommand } from '../../src/commands/shadow.ts';
import { sitesCommand } from '../../src/commands/sites.ts';
import { topsCommand } from '../../src/commands/tops.ts';
import { votesCommand } from '../../src/commands/votes.ts';
import type { SiteGame } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { JudgedArrival } from '../../src/core/decide.ts';
import { reasonAfter } from '../../src/core/grant-reason.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { stateAfter } from '../../src/core/settlement.ts';
import type { Ledger, Recorded } from '../../src/ledger/ledger.ts';
import { acquireLock, type HeldLock, lockFileOf } from '../../src/platform/sqlite/lock.ts';
import { judgeArrival } from '../../src/votes/intake/arrival.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { judgeReport } from '../../src/votes/intake/vote-report.ts';
import { configFolder } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { freshLedger } from '../support/ledgers.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { type Ran, runCommand } from './run-command.ts';

export interface Cast {
  /** ISO 8601; by default the clock's time. */
  readonly at?: string;
  /** The timestamp as sent; by default the time of receipt. */
  readonly timestamp?: string;
  readonly wire?: string;
}

export interface Person {
  readonly answer?: boolean;
  readonly interactive?: boolean;
}

/** An operator with a config and a ledger that a test fills: votes are really received and decided. */
export interface Operator {
  readonly config: string;
  readonly file: string;
  readonly folder: string;
  readonly clock: SettableClock;
  readonly ledger: Ledger;
  /** The questions asked so far. */
  readonly asked: readonly string[];
  readonly vote: (player: string, service: string, cast?: Cast) => Promise<Recorded>;
  /** A vote by a user ID without a player, from a site's signed webhook; by default a site without player names. */
  readonly voteOf: (userId: string, site: string, game?: SiteGame) => Promise<Recorded>;
  /** A game server's answer to the next command of a grant. */
  readonly answer: (grantId: number, position: number, outcome: Outcome) => Promise<void>;
  /** Runs a command: `teller('votes', '--json')`. */
  readonly teller: (name: CommandName, ...words: string[]) => Promise<Ran>;
  readonly tellerAsked: (person: Person, name: CommandName, ...words: string[]) => Promise<Ran>;
}

type CommandName =
  | ('alarms' | 'check' | 'clock' | 'events' | 'explain' | 'grants' | 'pause' | 'players' | 'preview')
  | ('party' | 'resume' | 'reward' | 'shadow' | 'sites' | 'tops' | 'votes');

export async function operator(overrides: object = {}): Promise<Operator> {
  const { folder, config, ledger: file } = configFolder(overrides);
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const loaded = await loadConfig(config, { missingSecrets: 'defer' });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const { ledger } = freshLedger(file);
  const asked: string[] = [];
  const tellerAsked = async (person: Person, name: CommandName, ...words: string[]): Promise<Ran> => {
    const terminal = fakeTerminal(person.interactive ?? false);
    const ask = async (question: string) => {
      asked.push(question);
      return person.answer ?? false;
    };
    const tools = { clock, random: fixedRandom(7) };
    const commands = {
      alarms: () => alarmsCommand(terminal, tools),
      check: () => checkCommand(terminal, tools),
      clock: () => clockCommand(terminal, clock, ask),
      events: () => eventsCommand(terminal, tools),
      explain: () => explainCommand(terminal, clock),
      grants: () => grantsCommand(terminal, clock, ask),
      party: () => partyCommand(terminal, clock),
      pause: () => pauseCommand(terminal, clock),
      players: () => playersCommand(terminal, clock, ask),
      resume: () => resumeCommand(terminal, clock),
      preview: () => previewCommand(terminal, clock),
      reward: () => rewardCommand(terminal, tools),
      shadow: () => shadowCommand(terminal, clock),
      sites: () => sitesCommand(terminal, clock, ask),
      tops: () => topsCommand(terminal, clock),
      votes: () => votesCommand(terminal, tools, ask),
    };
    return await runCommand(commands[name](), terminal, [...words, '--config', config]);
  };
  const record = async (judged: JudgedArrival): Promise<Recorded> => {
    const rules = rulesOf(loaded, clock.zone);
    const draws = { kind: 'drawn', seed: 0.5 } as const;
    return await ledger.record({ ...judged, draws, rules }, null);
  };
  return {
    config,
    file,
    folder,
    clock,
    ledger,
    asked,
    tellerAsked,
    teller: (name, ...words) => tellerAsked({}, name, ...words),
    vote: async (player, service, cast = {}) => {
      if (cast.at !== undefined) clock.set(cast.at);
      return await record(arrivalOf(player, service, cast, loaded, clock.now()));
    },
    voteOf: (userId, site, game = 'fivem') => record(listedArrival(userId, site, game, loaded, clock.now())),
    answer: async (grantId, position, outcome) => {
      const [grant] = await ledger.grants({ id: grantId, limit: 1 });
      const isLast = grant?.commands.length === position + 1;
      await ledger.claim({ grantId, position, player: grant?.player ?? null, uuid: null, now: clock.now() });
      const state = stateAfter(outcome.kind, { isLast, safeToRunTwice: false });
      const times = { dueAt: clock.now(), endedAt: clock.now() };
      await ledger.settle({ grantId, position, outcome, state, reason: reasonAfter(outcome), ...times });
    },
  };
}

function arrivalOf(
  player: string,
  service: string,
  { timestamp, wire }: Cast,
  { sites, players }: Awaited<ReturnType<typeof loadConfig>>,
  now: number,
): JudgedArrival {
  const judged = judgeArrival(
    {
      wire: {
        serviceName: service,
        username: player,
        address: '198.51.100.7',
        timestamp: timestamp ?? String(now),
      },
      channel: 'listener-v2',
      address: '192.0.2.1',
      receivedAt: now,
      blockDigest: null,
      text: wire ?? '{}',
    },
    sites,
    players.bedrockPrefixes,
  );
  if (typeof judged === 'string') throw new Error(`refused: ${judged}`);
  return judged;
}

function listedArrival(
  userId: string,
  site: string,
  game: SiteGame,
  { sites, players }: Awaited<ReturnType<typeof loadConfig>>,
  now: number,
): JudgedArrival {
  const voter = { channel: 'webhook', site, eventId: userId, userId, player: null, game } as const;
  const times = { votedAt: now, receivedAt: now, address: null, unrewarded: null, text: '' };
  const judged = judgeReport({ ...voter, ...times }, sites, players.bedrockPrefixes);
  if (typeof judged === 'string') throw new Error(`refused: ${judged}`);
  return judged;
}

/** Until the test ends, or it is released, a Teller seems to pay from the ledger. */
export function withTeller({ file }: Operator): HeldLock {
  const lock = acquireLock(lockFileOf(file));
  if (lock === null) throw new Error('a Teller is running already');
  onTestFinished(() => lock.release());
  return lock;
}

/** Refusals, counted like the listener counts them. */
export const refusal = (code: string, service: string, lastAt: string, count = 1, sender = '192.0.2.66') => ({
  code,
  service: service === '' ? null : service,
  sender,
  count,
  lastAt: Date.parse(lastAt),
});
