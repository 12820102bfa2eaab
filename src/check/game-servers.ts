import type { GameServerConfig, HttpServerConfig, RconServerConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { CannotTellCode, PauseCode } from '../core/game-server-codes.ts';
import { needs } from '../core/template.ts';
import type { GameServer } from '../delivery/game-server.ts';
import { reach } from '../delivery/http/reach.ts';
import { cannotTellReasons, notSentReasons, pauseReasons } from '../delivery/reasons.ts';
import { type Finding, type FindingCode, ok, problem, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Asked for where the list is not understood: whether the server knows `execute if entity` at all. */
const NOBODY = 'Teller_check';

/** Each game server's login, and whether it tells who is online. */
export async function checkGameServers(subject: Subject): Promise<readonly Finding[]> {
  const each = [...subject.config.gameServers].map(([name, server]) =>
    checkGameServer(name, server, subject),
  );
  return (await Promise.all(each)).flat();
}

async function checkGameServer(
  name: string,
  config: GameServerConfig,
  { connect, isOffline, clock, isRunning, ledger, config: { rewards } }: Subject,
): Promise<readonly Finding[]> {
  if (config.kind === 'practice') {
    const sentence = `${name} is a practice server: rewards go to nobody real`;
    return [
      warning('practice', sentence, `give gameServers.${name} the kind "rcon", with host, port and password`),
    ];
  }
  if (isOffline) return [];
  if (config.kind === 'http') return [await reachHttp(name, config, clock)];
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const server = connect(config);
  try {
    const usesUuid = rewards.some(
      ({ servers, commands }) => servers.includes(name) && commands.some((command) => needs(command, 'uuid')),
    );
    const finding = await tryServer(name, config, server, usesUuid);
    if (finding.mark === 'ok') return [finding, ...(await tryWithoutOutput(name, config, server))];
    const isConnected = isRunning && (await ledger?.queues())?.get(name)?.reason === null;
    return [isConnected && SECOND_LOGIN.has(finding.code) ? oneConnection(name, config) : finding];
  } finally {
    await server.close();
  }
}

/** It tells nothing, and posting a command to see would pay somebody: so it is reached, and nothing is written. */
async function reachHttp(
  name: string,
  { url, commandTimeoutMs }: HttpServerConfig,
  clock: Clock,
): Promise<Finding> {
  const { host } = new URL(url);
  const where = `${name} (${host})`;
  const target = { url: new URL(url), commandTimeoutMs, clock };
  const reached = await reach(target, new AbortController().signal);
  if (reached.kind === 'failed')
    return problem(reached.reason, `${where}: ${notSentReasons[reached.reason]}`);
  reached.socket.destroy();
  return ok('game-server', `${where} takes connections; whether it takes commands, the first one shows`);
}

async function tryServer(
  name: string,
  config: RconServerConfig,
  server: GameServer,
  usesUuid: boolean,
): Promise<Finding> {
  const where = `${name} (${config.host}:${config.port})`;
  const presence = await server.presence([]);
  switch (presence.kind) {
    case 'known': {
      // Of an empty list nobody can say whether it would show UUIDs.
      if (usesUuid && presence.names.length > 0 && presence.uuids === undefined) return withoutUuids(where);
      const online = presence.names.length === 1 ? '1 player' : `${presence.names.length} players`;
      return ok('game-server', `${where} takes the login and says who is online: ${online}`);
    }
    case 'asked':
      return oneByOne(where);
    case 'cannot-tell':
      return await tryOneByOne(where, presence.reason, server);
    case 'unreachable':
      return unreachable(where, presence.reason);
  }
}

/** What a second login looks like on a game server that serves one RCON connection at a time. */
const SECOND_LOGIN: ReadonlySet<FindingCode> = new Set([
  'login-timeout',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
]);

const oneConnection = (name: string, { host, port }: RconServerConfig): Finding =>
  warning(
    'single-connection',
    `${name} (${host}:${port}) takes no second login while the running Teller is connected to it: some game servers serve one RCON connection at a time`,
    'nothing while rewards arrive; to try the login itself, stop Teller first',
  );

/** Runs nothing for nobody: no game server prints anything for it, and most say so with an empty frame. */
const WITHOUT_OUTPUT = `execute as @a[name=${NOBODY}] run list`;

async function tryWithoutOutput(
  name: string,
  { noReply }: RconServerConfig,
  server: GameServer,
): Promise<readonly Finding[]> {
  if (noReply === 'delivered') return [];
  const outcome = await server.run(WITHOUT_OUTPUT, WITHOUT_OUTPUT);
  if (outcome.kind !== 'unknown' || outcome.reason !== 'no-frame') return [];
  return [
    warning(
      'no-frame',
      `${name} sends nothing for a command without output, such as \`say\`: each of them waits for a reply until commandTimeout, and its grant is held`,
      `set gameServers.${name}.noReply to "delivered", if no proxy or plugin swallows its replies`,
    ),
  ];
}

const withoutUuids = (where: string): Finding =>
  warning(
    'uuid-unknown',
    `${where} takes the login and says who is online, but ${cannotTellReasons['uuid-unknown']}`,
    'commands with {uuid} wait there until then',
  );

const oneByOne = (where: string): Finding =>
  ok(
    'presence-one-by-one',
    `${where} takes the login; its player list is not understood, so it is asked for each player`,
  );

async function tryOneByOne(where: string, reason: CannotTellCode, server: GameServer): Promise<Finding> {
  const asked = await server.presence([NOBODY]);
  if (asked.kind === 'asked' || asked.kind === 'known') return oneByOne(where);
  if (asked.kind === 'unreachable') return unreachable(where, asked.reason);
  return warning(
    reason,
    `${where} takes the login, and cannot tell who is online: ${cannotTellReasons[reason]}; rewards with "when": "online" wait for ever`,
    'remove what reshapes `list` there, or pay its rewards with "when": "always"',
  );
}

function unreachable(where: string, reason: PauseCode): Finding {
  const isAbsent = reason === 'unreachable' || reason === 'not-rcon' || reason === 'login-timeout';
  const toDo = isAbsent
    ? 'a proxy (Velocity, BungeeCord) has no RCON: name the game servers behind it instead'
    : null;
  return problem(reason, `${where}: ${pauseReasons[reason]}`, toDo);
}
