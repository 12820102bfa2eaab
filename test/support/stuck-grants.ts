import { expect } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendV2 } from '../kit/vote.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { record, rulesFor } from './ledgers.ts';
import { silentLog } from './log.ts';
import { textOf } from './page-text.ts';
import { reward } from './rewards.ts';
import { type RunningConsole, runningConsole } from './running-console.ts';
import { arrival } from './votes.ts';

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
  /** The marks of the grants on a page, by their IDs. */
  readonly marks: (path?: string) => Promise<Readonly<Record<number, string>>>;
  /** The page that shows what a change would do. */
  readonly shown: (query: string, browser?: FakeBrowser) => Promise<ShownChange>;
  /** Sends the form of a change: the status of its answer, and the text of the page that it leads to. */
  readonly post: (
    fields: Readonly<Record<string, string | readonly string[]>>,
    browser?: FakeBrowser,
  ) => Promise<{ readonly status: number; readonly said: string }>;
  /** The state of each grant, the first one first. */
  readonly states: () => Promise<readonly string[]>;
  readonly commandsRun: () => readonly string[];
}

interface ShownChange {
  readonly status: number;
  readonly text: string;
  /** What the button of the page sends. */
  readonly marks: readonly string[];
  /** What becomes of each command: `runs say hi`. */
  readonly commands: readonly string[];
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
  const marks: StuckConsole['marks'] = async (path = '/grants') => {
    const { text } = await browser.get(path);
    const found = [...text.matchAll(/name="grant" value="((\d+)\.\d+)"/g)];
    return Object.fromEntries(found.map(([, mark, id]) => [id, mark]));
  };
  const shown: StuckConsole['shown'] = async (query, by = browser) => {
    const { status, text } = await by.get(`/grants/change?${query}`);
    const parts = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, part = '']) => part);
    const lists = parts(/<ol class="fates">(.*?)<\/ol>/gs).flatMap((list) =>
      list.split('</li>').slice(0, -1),
    );
    return {
      ...{ status, text },
      marks: parts(/name="grant" value="(\d+\.\d+\.[\w-]{16})"/g),
      commands: lists.map((command) => textOf({ text: command })),
    };
  };
  const post: StuckConsole['post'] = async (fields, by = browser) => {
    const answer = await by.post('/grants/change', fields);
    const page = answer.to === null ? answer : await by.get(answer.to);
    return { status: answer.status, said: textOf(page) };
  };
  const commandsRun = () =>
    (practice?.commands() ?? []).map(({ command }) => command).filter((command) => command.startsWith('say'));
  return { ...running, browser, marks, shown, post, states, commandsRun };
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
