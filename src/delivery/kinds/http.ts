/** A program that takes each command as signed JSON over HTTP, and says in its answer how it ended. */
import * as z from 'zod';
import { httpUrl, secretReference } from '../../core/config-values.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import type { CheckParts, ConfigOf, GameServerKind } from '../game-server.ts';
import { presenceFinding } from '../presence.ts';

const schema = {
  url: httpUrl.describe('http: the URL that each command is posted to.'),
  secret: secretReference.describe(
    'http: the secret that signs each command, as for a webhook: "file:PATH", "env:NAME" or the text.',
  ),
  answers: z
    .boolean()
    .default(false)
    .describe(
      'http: whether the program says in its signed answers how each command ended, and who is online when Teller asks.',
    ),
};

type HttpConfig = ConfigOf<typeof schema, 'secret'>;

/** The older codes of this kind, such as `http-busy`, stand with those that all kinds share. */
const reasons = {
  unknown: {
    'http.answer-unsigned':
      'the answer says how the command ended, but its signature is missing or wrong; sign the answer as docs/developers/http-game-server.md says',
  },
  cannotTell: {
    'http.players-unsigned':
      'the answer about who is online is not signed as docs/developers/http-game-server.md says',
    'http.players-unreadable':
      'the answer about who is online is not {"players": […]} with players who differ in name and UUID',
  },
};

const load = () => import('./http-game-server.ts');

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
  async connect(server, parts) {
    const { httpGameServer } = await load();
    return httpGameServer(server, parts);
  },
  check: async (server, parts) => [await check(server, parts)],
};

/** Asks who is online, if it can tell. Otherwise it only connects: a posted command would pay a player. */
async function check(config: HttpConfig, parts: CheckParts): Promise<Finding> {
  const { name, clock, sentenceOf } = parts;
  const where = `${name} (${new URL(config.url).host})`;
  const { httpGameServer, whyNotReached } = await load();
  if (!config.answers) {
    const reason = await whyNotReached(config, clock);
    if (reason !== null) return problem(reason, `${where}: ${sentenceOf(reason)}`);
    return ok(
      'game-server',
      `${where} accepts connections; only the first command will show whether it accepts commands`,
    );
  }
  const server = httpGameServer(config, parts);
  try {
    return presenceFinding({ ...parts, where }, await server.presence([]));
  } finally {
    await server.close();
  }
}
