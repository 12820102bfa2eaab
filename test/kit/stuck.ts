/** A Teller that pays on one game server, or has grants that need its operator. */
import { FakeClock } from '../support/fake-clock.ts';
import { type Game, rconGame } from './game.ts';
import { type Here, here } from './here.ts';

/** A Teller with one game server and these rewards. @param settings of the game server's entry. */
export async function paying(rewards: readonly object[], settings: object = {}) {
  const game = await rconGame(settings);
  return { game, teller: await here({ gameServers: { main: game.entry }, rewards }) };
}

export const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };

/**
 * It is noon on 1 June 2026. Steve’s grant 1 has just been refused, the outcome of Alex’s grant 2 is unknown, and Zoe’s grant 3
 * was paid.
 */
export async function stuck(
  more: object = {},
  settings: object = {},
): Promise<{ readonly game: Game; readonly teller: Here }> {
  const game = await rconGame({ commandTimeout: '1s', ...settings });
  game.show('Steve', 'Alex', 'Zoe');
  const config = { gameServers: { main: game.entry }, rewards: [DAILY], ...more };
  const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
  const states: string[] = [];
  for (const [player, fault, state] of [
    ['Steve', 'refuse', 'refused'],
    ['Alex', 'silent', 'held'],
    ['Zoe', null, 'delivered'],
  ] as const) {
    if (fault !== null) game.fault(fault);
    await teller.vote({ player });
    states.push(state);
    await teller.untilGrants(...states);
  }
  return { game, teller };
}
