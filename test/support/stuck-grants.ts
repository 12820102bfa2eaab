import { expect } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendV2 } from '../kit/vote.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { type RunningConsole, runningConsole } from './running-console.ts';

/** `hello` has one command; `broken` has one that every game server refuses, and one that runs. */
const REWARDS = {
  hello: { name: 'hello', when: 'always', commands: ['say {player} voted', 'say thanks, {player}'] },
  broken: {
    name: 'broken',
    when: 'always',
    commands: ['giv {player} <b>diamond</b>', 'say {player} was paid'],
  },
} as const;

/** Sends a vote that is cast now to a listener of this machine. */
export const voteTo = (port: number, player = 'Steve', site = 'List'): Promise<string> =>
  sendV2(port, { player, site });

export interface StuckConsole extends RunningConsole {
  readonly browser: FakeBrowser;
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
  { lost = 0 } = {},
): Promise<StuckConsole> {
  const running = await runningConsole(systemClock, { rewards: [REWARDS[name]] });
  const { app, look } = running;
  const states = async () => (await look.grants({ limit: 99 })).map(({ state }) => state).toReversed();
  const practice = app.practiceServers.get('main');
  for (const [at, player] of players.entries()) {
    if (at < lost) practice?.setFault('run-and-close', 1);
    await voteTo(app.listener.port, player);
    const settled = name === 'broken' ? 'refused' : at < lost ? 'held' : 'delivered';
    await expect.poll(async () => (await states())[at], { timeout: 15_000 }).toBe(settled);
  }
  const commandsRun = () =>
    (practice?.commands() ?? []).map(({ command }) => command).filter((command) => command.startsWith('say'));
  return { ...running, browser: await running.operator(), states, commandsRun };
}
