import { expect } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { record, rulesFor } from './ledgers.ts';
import { silentLog } from './log.ts';
import { reward } from './rewards.ts';
import { type RunningConsole, runningConsole } from './running-console.ts';
import { arrival } from './votes.ts';
import { voteTo } from './votes-to.ts';

type Json = ReturnType<typeof JSON.parse>;

const JSON_FORM = { accept: 'application/json' };

/** `hello` has one command; `broken` has one that every game server refuses, and one that runs. */
const REWARDS = {
  hello: { name: 'hello', when: 'always', commands: ['say {player} voted', 'say thanks, {player}'] },
  broken: {
    name: 'broken',
    when: 'always',
    commands: ['giv {player} <b>diamond</b>', 'say {player} was paid'],
  },
} as const;

export interface StuckConsole extends RunningConsole {
  readonly browser: FakeBrowser;
  /** What a page answers to a program. */
  readonly json: (path: string, browser?: FakeBrowser) => Promise<Json>;
  /** What a form answers to a program: its status and values. */
  readonly post: (
    fields: Readonly<Record<string, string | readonly string[]>>,
    browser?: FakeBrowser,
  ) => Promise<readonly [number, Json]>;
  /** The state of each grant, the first one first. */
  readonly states: () => Promise<readonly string[]>;
  readonly commandsRun: () => readonly string[];
}

/**
 * A Teller that has received one vote for each of these players. The reply to the first command of the first `lost` ones is
 * lost after it ran.
 */
export async function stuckConsole(
  name: keyof typeof REWARDS,
  players: readonly string[],
  { lost = 0, overrides = {}, log = silentLog }: { lost?: number; overrides?: object; log?: Log } = {},
): Promise<StuckConsole> {
  const running = await runningConsole(systemClock, { rewards: [REWARDS[name]], ...overrides }, log);
  const { app, look } = running;
  const states = async () => (await look.grants({ limit: 99 })).map(({ state }) => state).toReversed();
  const practice = app.practiceServers.get('main');
  for (const [at, player] of players.entries()) {
    if (at < lost) practice?.setFault('run-and-close', 1);
    await voteTo(app.listener.port, player);
    const settled = name === 'broken' ? 'refused' : at < lost ? 'held' : 'delivered';
    await expect.poll(async () => (await states())[at], { timeout: 15_000 }).toBe(settled);
  }
  const browser = await running.operator();
  await browser.get('/grants');
  const json: StuckConsole['json'] = async (path, by = browser) =>
    JSON.parse((await by.get(path, JSON_FORM)).text);
  const post: StuckConsole['post'] = async (fields, by = browser) => {
    const answer = await by.post('/grants/change', fields, JSON_FORM);
    return [answer.status, JSON.parse(answer.text)];
  };
  const commandsRun = () =>
    (practice?.commands() ?? []).map(({ command }) => command).filter((command) => command.startsWith('say'));
  return { ...running, browser, json, post, states, commandsRun };
}

/** Holds so many grants more, of a game server that is not in the config. */
export async function holdMany({ app }: Pick<StuckConsole, 'app'>, count: number): Promise<void> {
  const lobby = reward('old', { servers: ['lobby'] });
  const arrivals = Array.from({ length: count }, (_, at) => arrival({ player: `Bot${at}`, site: 'Old' }));
  await record(app.ledger, arrivals, rulesFor(lobby));
  const kinds = new Map([['main', 'practice']]);
  for (let upTo: number | null | undefined; upTo !== null; )
    ({ upTo } = await app.ledger.holdOrphaned(kinds, systemClock.now(), upTo));
}
