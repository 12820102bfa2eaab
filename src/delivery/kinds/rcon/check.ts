import { placeText } from '../../../core/address.ts';
import { type Finding, type FindingCode, warning } from '../../../core/finding.ts';
import { type GameServer, NOBODY } from '../../game-server.ts';
import type { CheckParts } from '../../game-server-kind.ts';
import { type Answered, oneByOne, presenceFinding } from '../../presence-finding.ts';
import { rconGameServer } from './game-server.ts';
import { publicHost } from './public-host.ts';
import type { RconConfig } from './schema.ts';

/** Whether it accepts the login, and whether it reports who is online. */
export const checkRcon = async (config: RconConfig, parts: CheckParts): Promise<readonly Finding[]> => [
  ...(await tried(config, parts)),
  ...(await publicHost(parts.name, config)),
];

async function tried(config: RconConfig, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, random, isInUse } = parts;
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const server = rconGameServer({ ...config, clock, random });
  try {
    const where = `${name} (${placeText(config.host, config.port)})`;
    const finding = await tryServer({ ...parts, where }, server);
    if (finding.mark === 'ok') {
      return [finding, ...(await tryWithoutOutput(name, config, server))];
    }
    const isSecondLogin = SECOND_LOGIN.has(finding.code) && (await isInUse());
    return [isSecondLogin ? oneConnection(name, config) : finding];
  } finally {
    await server.close();
  }
}

/** A server whose list is not understood is asked about a player too. */
async function tryServer(asked: Answered, server: GameServer): Promise<Finding> {
  const presence = await server.presence([]);
  if (presence.kind !== 'cannot-tell') return presenceFinding(asked, presence);
  const about = await server.presence([NOBODY]);
  if (about.kind === 'cannot-tell') return presenceFinding(asked, presence);
  return about.kind === 'unreachable' ? presenceFinding(asked, about) : oneByOne(asked.where);
}

/** How a second login fails on a game server that allows only one RCON connection at a time. */
const SECOND_LOGIN: ReadonlySet<FindingCode> = new Set([
  'login-timeout',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
]);

const oneConnection = (name: string, { host, port }: RconConfig): Finding =>
  warning(
    'single-connection',
    `${name} (${placeText(host, port)}) did not accept a second login while the running Teller is connected to it; some game servers allow only one RCON connection at a time`,
    'nothing, if rewards arrive; to test the login itself, stop Teller first',
  );

/**
 * Does nothing, because no player has that name. No game server prints anything, and most reply with an empty frame.
 */
const WITHOUT_OUTPUT = `execute as @a[name=${NOBODY}] run list`;

async function tryWithoutOutput(
  name: string,
  { noReply }: RconConfig,
  server: GameServer,
): Promise<readonly Finding[]> {
  if (noReply === 'delivered') return [];
  const outcome = await server.run(WITHOUT_OUTPUT, WITHOUT_OUTPUT);
  if (outcome.kind !== 'unknown' || outcome.reason !== 'no-frame') return [];
  return [
    warning(
      'no-frame',
      `${name} sends no reply to a command without output, such as \`say\`; for each of them Teller waits until commandTimeout, and the grant is held`,
      `set gameServers.${name}.noReply to "delivered", unless a proxy or plugin swallows its replies`,
    ),
  ];
}
