/** A game server with Minecraft's remote console. */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import * as z from 'zod';
import { isPublicAddress, placeText } from '../../core/address.ts';
import { connectingPort, host, secretReference } from '../../core/config-values.ts';
import { type Finding, type FindingCode, warning } from '../../core/finding.ts';
import {
  type CheckParts,
  type ConfigOf,
  type GameServer,
  type GameServerKind,
  NOBODY,
} from '../game-server.ts';
import { type Answered, oneByOne, presenceFinding } from '../presence.ts';

const schema = {
  host: host.prefault('127.0.0.1').describe('rcon: where the game server listens.'),
  port: connectingPort.prefault(25_575).describe('rcon: `rcon.port` of server.properties; 25575 by default.'),
  password: secretReference.describe(
    'rcon: `rcon.password` of server.properties: "file:PATH", "env:NAME" or the text.',
  ),
  noReply: z
    .enum(['unknown', 'delivered'])
    .default('unknown')
    .describe(
      'rcon: what to assume when a command gets no reply but a following `list` does. Use "delivered" for a server that sends nothing for a command without output.',
    ),
};

type RconConfig = ConfigOf<typeof schema, 'password'>;

const load = () => import('./rcon-game-server.ts');

export const rcon: GameServerKind<RconConfig> = {
  name: 'rcon',
  means: 'a game server with RCON',
  schema,
  secretKey: 'password',
  placeOf: ({ host, port }) => placeText(host, port),
  reportsPresence: () => true,
  isPractice: false,
  load,
  async connect(server, { clock, random }) {
    const { rconGameServer } = await load();
    return rconGameServer(server, clock, random);
  },
  check: async (server, parts) => [
    ...(await tried(server, parts)),
    ...(await passwordInTheOpen(parts.name, server)),
  ],
};

/** Whether it accepts the login, and whether it reports who is online. */
async function tried(config: RconConfig, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, random, isInUse } = parts;
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const { rconGameServer } = await load();
  const server = rconGameServer(config, clock, random);
  try {
    const where = `${name} (${placeText(config.host, config.port)})`;
    const finding = await tryServer({ ...parts, where }, server);
    if (finding.mark === 'ok') return [finding, ...(await tryWithoutOutput(name, config, server))];
    if (!SECOND_LOGIN.has(finding.code) || !(await isInUse())) return [finding];
    return [
      warning(
        'single-connection',
        `${where} did not accept a second login while the running Teller is connected to it; some game servers allow only one RCON connection at a time`,
        'nothing, if rewards arrive; to test the login itself, stop Teller first',
      ),
    ];
  } finally {
    await server.close();
  }
}

/** How a second login fails on a game server that allows only one RCON connection at a time. */
const SECOND_LOGIN: ReadonlySet<FindingCode> = new Set([
  'login-timeout',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
]);

/** A server whose list is not understood is asked about a player too. */
async function tryServer(asked: Answered, server: GameServer): Promise<Finding> {
  const presence = await server.presence([]);
  if (presence.kind !== 'cannot-tell') return presenceFinding(asked, presence);
  const about = await server.presence([NOBODY]);
  if (about.kind === 'cannot-tell') return presenceFinding(asked, presence);
  return about.kind === 'unreachable' ? presenceFinding(asked, about) : oneByOne(asked.where);
}

/** Does nothing, because no player has that name. No game server prints anything, and most reply with an empty frame. */
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

/** Whether the password would cross the internet: RCON is not encrypted. A name that cannot be resolved is no finding of this. */
async function passwordInTheOpen(name: string, { host, port }: RconConfig): Promise<readonly Finding[]> {
  // What is sent to an address of this machine does not leave it.
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const found = await lookup(host, { all: true }).catch(() => []);
  const isAbroad = found.some(({ address }) => isPublicAddress(address) && !own.includes(address));
  if (!isAbroad) return [];
  return [
    warning(
      'rcon-public',
      `${name} (${placeText(host, port)}) has a public address, and RCON is not encrypted: anyone on the network path can read the password and run commands`,
      'connect over a private network, a VPN or an SSH tunnel; in a panel, use kind "pterodactyl"',
    ),
  ];
}
