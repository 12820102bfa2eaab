import { listText } from './list-text.ts';

/**
 * A pool: several game servers, of which a grant is paid on the one that its player is on. It is written as people read
 * it, such as `sky, lobby or survival`, and stands where otherwise the name of a game server does: no such name contains
 * a space.
 */

/** @returns the name itself if there is only one. */
export const poolOf = (servers: readonly string[]): string => listText(servers, 'or');

export const isPool = (server: string): boolean => server.includes(' ');

/** Where a grant is paid, for people. */
export function placeText(server: string, isPractice: boolean): string {
  if (!isPractice) return server;
  return `${server}, ${isPool(server) ? 'practice servers' : 'a practice server'}`;
}

/** The game servers of a pool, or the one that is named. */
export const serversIn = (server: string): readonly string[] => server.split(/, | or /);
