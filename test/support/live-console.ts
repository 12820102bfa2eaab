/** A Teller in the process of the test, whose console a real browser looks at: time passes by itself. */
import { expect } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openLink, visitor } from '../kit/page.ts';
import { furnish, type Place, typing } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { sendV2, type Vote } from '../kit/vote.ts';
import { grantsIn } from '../kit/witness.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { temporaryFolder } from './folder.ts';

export type LiveConsole = Awaited<ReturnType<typeof liveConsole>>;

/** @param more replaces keys at the top of its config. @param prepare what is done in its folder before it starts. */
export async function liveConsole(
  more: object = {},
  clock: Clock = systemClock,
  prepare: (place: Place) => unknown = () => {},
) {
  const place = furnish(temporaryFolder(), { log: { level: 'debug' }, ...more });
  await prepare(place);
  const running = await service(['run', '--config', place.config], { clock });
  if (running.ready === null) throw new Error(running.err.join('\n'));
  const { run } = typing(place, clock);
  /** The link that opens the console once. */
  const link = async (): Promise<string> => (await run('console', 'open', '--print')).out;
  // The console comes after the listener.
  await expect.poll(link).not.toBe('');
  // One that has not signed in.
  const { cookies: stranger, origin: url } = await visitor({ run });
  return {
    ...place,
    ...{ run, link, stranger, console: { url }, stop: running.stop },
    /** Sends a vote, by default of Steve for `List`, that is cast now. */
    vote: ({ player = 'Steve', ...vote }: Partial<Vote> = {}) =>
      sendV2(running.ready.listener.port, { player, at: clock.now(), ...vote }),
    /** The state of each grant, the first one first. */
    states: async () => (await grantsIn(place, run)).map(({ state }) => state),
    /** The commands that ran on the practice server, without those that ask. */
    commandsRun: (): readonly string[] =>
      running.err
        .map((line): { code: string; command: string } => JSON.parse(line))
        .filter(({ code, command }) => code === 'practice-command' && command.startsWith('say'))
        .map(({ command }) => command),
  };
}

/** The browser of an operator who has opened the link. */
export async function operatorOf({ run, link }: LiveConsole): Promise<FakeBrowser> {
  const reader = await visitor({ run });
  await openLink(reader, await link());
  return reader.cookies;
}

/** Both commands of `hello` run; the first one of `broken` is refused by every game server. */
const REWARDS = {
  hello: { name: 'hello', when: 'always', commands: ['say {player} voted', 'say thanks, {player}'] },
  broken: {
    name: 'broken',
    when: 'always',
    commands: ['giv {player} <b>diamond</b>', 'say {player} was paid'],
  },
} as const;

export type StuckConsole = Awaited<ReturnType<typeof stuckConsole>>;

/**
 * A Teller that has received one vote for each of these players. The reply to the first command of the first `lost` ones is
 * lost after it ran.
 */
export async function stuckConsole(
  name: keyof typeof REWARDS,
  players: readonly string[],
  { lost = 0 } = {},
) {
  const one = await liveConsole({ rewards: [REWARDS[name]] });
  for (const [at, player] of players.entries()) {
    if (at < lost) await one.run('practice', 'fault', 'run-and-close', '--for', '1');
    await one.vote({ player });
    const settled = name === 'broken' ? 'refused' : at < lost ? 'held' : 'delivered';
    await expect.poll(async () => (await one.states())[at], { timeout: 15_000 }).toBe(settled);
  }
  return { ...one, browser: await operatorOf(one) };
}
