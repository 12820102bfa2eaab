/** The game server inside this process. It gets its commands by RCON over TCP, like a real one. */
import * as z from 'zod';
import { Secret } from '../../core/secret-value.ts';
import type { ConfigOf, GameServerKind } from '../game-server.ts';

const schema = {
  autoJoin: z.boolean().default(true).describe('practice: whether voters join automatically.'),
};

const load = () => import('./rcon-game-server.ts');

export const practice: GameServerKind<ConfigOf<typeof schema>> = {
  name: 'practice',
  means: 'the game server inside this process',
  schema,
  secretKey: null,
  placeOf: () => null,
  reportsPresence: () => true,
  isPractice: true,
  load,
  async connect(server, parts) {
    const { embedded } = parts;
    if (embedded === null) throw new Error('a practice server was not started');
    const { connect } = await load();
    const { host, port } = embedded;
    const place = { host, port, password: new Secret(embedded.password) };
    const connected = connect({ ...server, ...place }, parts);
    return server.autoJoin
      ? Object.assign(connected, { join: (player: string) => embedded.join(player) })
      : connected;
  },
  // It runs inside this process, so there is nothing to connect to.
  check: async () => [],
};
