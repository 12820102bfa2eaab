import { reportsPresence } from '../delivery/kinds.ts';
import type { FaultAtPath, Path } from './fault.ts';
import type { Outline, RewardOutline } from './outline.ts';

/** Announcements are for players who were seen, which some game server has to report. */
export function unseenFaults(
  { announce = false, broadcast, strangers = false }: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  if (strangers || (!announce && broadcast === undefined)) return [];
  const servers = Object.values(gameServers);
  if (servers.length === 0 || servers.some((server) => reportsPresence(server) !== false)) return [];
  const sentence =
    'would never be sent: it is for players who were seen on a game server, and none of them can report who is online; set "strangers": true';
  return [{ code: 'config-value', path: [...path, announce ? 'announce' : 'broadcast'], sentence }];
}
