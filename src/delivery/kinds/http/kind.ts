import type { GameServerKind } from '../../game-server-kind.ts';
import { reasons } from './codes.ts';
import { type HttpConfig, schema } from './schema.ts';

const load = () => import('./game-server.ts');

/** A program that accepts each command as signed JSON. */
export const http: GameServerKind<HttpConfig> = {
  name: 'http',
  means: 'a program that accepts signed JSON',
  schema,
  secretKey: 'secret',
  placeOf: ({ url }) => new URL(url).host,
  reasons,
  reportsPresence: ({ answers }) => answers === true,
  isPractice: false,
  load,
  async connect(server, { name, clock, random, log }) {
    const { httpGameServer } = await load();
    return httpGameServer({ ...server, name, clock, random, log });
  },
  async check(server, parts) {
    const { checkHttp } = await import('./check.ts');
    return [await checkHttp(server, parts)];
  },
};
