import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { DAY_MS } from '../../src/core/duration.ts';
import type { GrantFilter, LedgerReader, VoteFilter } from '../../src/ledger/ledger.ts';
import { explain } from '../../src/operator/explain.ts';
import { hypotheticalVotes } from '../../src/operator/preview/hypothetical-votes.ts';
import { previewVotes } from '../../src/operator/preview/preview.ts';
import { figuresOfSites } from '../../src/operator/sites/figures.ts';
import { voteList } from '../../src/operator/vote-list.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { SERVICES } from './config.ts';

export interface QueryInput {
  readonly ledger: LedgerReader;
  readonly config: Config;
  readonly now: number;
}

/** Something that an operator asks. */
export interface Query {
  /** The command, without `--config`. */
  readonly args: readonly string[];
  /** The same in a process that runs already, without loading a config and printing. */
  readonly inside: (input: QueryInput) => Promise<unknown>;
}

const LIMIT = 50;
const EXPLAIN_LIMIT = 20;
/** The player with the most votes, one with a few, and a name that never voted. */
const [HEAVY, RARE, UNKNOWN] = ['P0', 'P400', 'Nobody_Voted'];
const [SERVICE = ''] = SERVICES;
const DAYS_BACK = 7;

const explained = (name: string): Query => ({
  args: ['explain', name],
  inside: ({ ledger, config }) =>
    explain(name, EXPLAIN_LIMIT, ledger, config, { clock: systemClock, isRunning: true }),
});

const previewed = (name: string): Query => ({
  args: ['preview', name],
  inside: async ({ ledger, config, now }) => {
    const votes = hypotheticalVotes(name, undefined, now, config);
    if (votes.kind === 'refused') throw new Error(votes.code);
    return previewVotes(votes.arrivals, rulesOf(config, 'UTC'), ledger);
  },
});

const votes = (flags: readonly string[], filter: (now: number) => Omit<VoteFilter, 'limit'>): Query => ({
  args: ['votes', ...flags],
  inside: ({ ledger, now }) => voteList(ledger, { ...filter(now), limit: LIMIT }),
});

const grants = (flags: readonly string[], filter: (now: number) => Omit<GrantFilter, 'limit'>): Query => ({
  args: ['grants', ...flags],
  inside: ({ ledger, now }) => ledger.grants({ ...filter(now), limit: LIMIT }),
});

const STATES = ['pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled'] as const;

export const queries: readonly Query[] = [
  explained(HEAVY),
  explained(RARE),
  explained(UNKNOWN),
  previewed(HEAVY),
  previewed(RARE),
  votes([], () => ({})),
  votes(['--player', HEAVY], () => ({ recipient: HEAVY })),
  votes(['--site', SERVICE], () => ({ site: SERVICE })),
  votes(['--decision', 'rewarded'], () => ({ decision: 'rewarded' })),
  votes(['--decision', 'cooldown'], () => ({ decision: 'cooldown' })),
  votes(['--decision', 'too-old'], () => ({ decision: 'too-old' })),
  votes(['--since', `${DAYS_BACK}d`], (now) => ({ since: now - DAYS_BACK * DAY_MS })),
  votes(['--until', `${DAYS_BACK}d`], (now) => ({ until: now - DAYS_BACK * DAY_MS })),
  votes(['--channel', 'listener-v1'], () => ({ channel: 'listener-v1' })),
  votes(['--site', SERVICE, '--decision', 'cooldown'], () => ({ site: SERVICE, decision: 'cooldown' })),
  votes(['--player', HEAVY, '--site', SERVICE, '--decision', 'cooldown'], () => ({
    recipient: HEAVY,
    site: SERVICE,
    decision: 'cooldown',
  })),
  grants([], () => ({})),
  ...STATES.map((state) => grants(['--state', state], () => ({ state }))),
  grants(['--reward', 'daily'], () => ({ reward: 'daily' })),
  grants(['--reward', 'none'], () => ({ reward: 'none' })),
  grants(['--server', 'main'], () => ({ server: 'main' })),
  grants(['--player', HEAVY], () => ({ recipient: HEAVY })),
  grants(['--player', HEAVY, '--state', 'held'], () => ({ recipient: HEAVY, state: 'held' })),
  grants(['--since', `${DAYS_BACK}d`], (now) => ({ since: now - DAYS_BACK * DAY_MS })),
  grants(['--state', 'held', '--reward', 'daily'], () => ({ state: 'held', reward: 'daily' })),
  {
    args: ['sites'],
    inside: ({ ledger, config, now }) => figuresOfSites(ledger, config.sites, now),
  },
];

export const configOf = (file: string): Promise<Config> => loadConfig(file, { missingSecrets: 'defer' });
