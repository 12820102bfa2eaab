import type { GameServerKind } from '../../game-server-kind.ts';
import { reasons } from './codes.ts';
import { type PterodactylConfig, schema } from './schema.ts';

const load = () => import('./game-server.ts');

/** A server in a Pterodactyl or Pelican panel, whose console takes the commands. */
export const pterodactyl: GameServerKind<PterodactylConfig> = {
  name: 'pterodactyl',
  means: 'a server in a Pterodactyl or Pelican panel',
  schema,
  secretKey: 'apiKey',
  placeOf: ({ url, server }) => `${new URL(url).host}, server ${server}`,
  reasons,
  reportsPresence: ({ console: readsConsole = true }) => readsConsole === true,
  isPractice: false,
  load,
  async connect(server, { clock, random }) {
    const { pterodactylGameServer } = await load();
    return pterodactylGameServer({ ...server, clock, random });
  },
  async check(server, parts) {
    const { checkPterodactyl } = await import('./check.ts');
    return checkPterodactyl(server, parts);
  },
};
