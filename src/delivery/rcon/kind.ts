import type { GameServerKind } from '../game-server-kind.ts';
import { type RconConfig, schema } from './schema.ts';

const load = () => import('./game-server.ts');

/** A game server with Minecraft's remote console. */
export const rcon: GameServerKind<RconConfig> = {
  name: 'rcon',
  means: 'a game server with RCON',
  schema,
  secretKey: 'password',
  reportsPresence: true,
  isPractice: false,
  load,
  async connect(server, { clock, random }) {
    const { rconGameServer } = await load();
    return rconGameServer({ ...server, clock, random });
  },
  async check(server, parts) {
    const { checkRcon } = await import('./check.ts');
    return checkRcon(server, parts);
  },
};
