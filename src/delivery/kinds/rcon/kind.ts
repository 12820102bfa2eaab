import { placeText } from '../../../core/address.ts';
import type { GameServerKind } from '../../game-server-kind.ts';
import { type RconConfig, schema } from './schema.ts';

const loadServer = () => import('./game-server.ts');
const loadCheck = () => import('./check.ts');

/** A game server with Minecraft's remote console. */
export const rcon: GameServerKind<RconConfig> = {
  name: 'rcon',
  means: 'a game server with RCON',
  schema,
  secretKey: 'password',
  placeOf: ({ host, port }) => placeText(host, port),
  reportsPresence: () => true,
  isPractice: false,
  // A page of a running Teller tries a game server before it is written into the config.
  load: () => Promise.all([loadServer(), loadCheck()]),
  async connect(server, { clock, random }) {
    const { rconGameServer } = await loadServer();
    return rconGameServer({ ...server, clock, random });
  },
  async check(server, parts) {
    const { checkRcon } = await loadCheck();
    return checkRcon(server, parts);
  },
};
