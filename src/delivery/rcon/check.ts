import { type Finding, type FindingCode, ok, problem, warning } from '../../core/finding.ts';
import type { CannotTellCode, PauseCode } from '../../core/game-server-codes.ts';
import type { GameServer } from '../game-server.ts';
import type { CheckParts } from '../game-server-kind.ts';
import { rconGameServer } from './game-server.ts';
import type { RconConfig } from './schema.ts';

/** Whether it takes the login, and whether it reports who is online. */
export async function checkRcon(config: RconConfig, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, random, isInUse } = parts;
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const server = rconGameServer({ ...config, clock, random });
  try {
    const tried = { ...parts, where: `${name} (${config.host}:${config.port})`, server };
    const finding = await tryServer(tried);
    if (finding.mark === 'ok') return [finding, ...(await tryWithoutOutput(name, config, server))];
    const isSecondLogin = SECOND_LOGIN.has(finding.code) && (await isInUse());
    return [isSecondLogin ? oneConnection(name, config) : finding];
  } finally {
    await server.close();
  }
}

/** Asked for where the list is not understood: whether the server knows `execute if entity` at all. */
const NOBODY = 'Teller_check';

interface Tried extends Pick<CheckParts, 'needsUuids' | 'sentenceOf'> {
  /** Its name and address. */
  readonly where: string;
  readonly server: GameServer;
}

async function tryServer(tried: Tried): Promise<Finding> {
  const { where, server, needsUuids } = tried;
  const presence = await server.presence([]);
  switch (presence.kind) {
    case 'known': {
      // Of an empty list nobody can say whether it would show UUIDs.
      if (needsUuids && presence.names.length > 0 && presence.uuids === undefined) return withoutUuids(tried);
      const online = presence.names.length === 1 ? '1 player' : `${presence.names.length} players`;
      return ok('game-server', `${where} takes the login and says who is online: ${online}`);
    }
    case 'asked':
      return oneByOne(where);
    case 'cannot-tell':
      return await tryOneByOne(tried, presence.reason);
    case 'unreachable':
      return unreachable(tried, presence.reason);
  }
}

/** What a second login looks like on a game server that serves one RCON connection at a time. */
const SECOND_LOGIN: ReadonlySet<FindingCode> = new Set([
  'login-timeout',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
]);

const oneConnection = (name: string, { host, port }: RconConfig): Finding =>
  warning(
    'single-connection',
    `${name} (${host}:${port}) takes no second login while the running Teller is connected to it: some game servers serve one RCON connection at a time`,
    'nothing while rewards arrive; to try the login itself, stop Teller first',
  );

/** Runs nothing for nobody: no game server prints anything for it, and most say so with an empty frame. */
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
      `${name} sends nothing for a command without output, such as \`say\`: each of them waits for a reply until commandTimeout, and its grant is held`,
      `set gameServers.${name}.noReply to "delivered", if no proxy or plugin swallows its replies`,
    ),
  ];
}

const withoutUuids = ({ where, sentenceOf }: Tried): Finding =>
  warning(
    'uuid-unknown',
    `${where} takes the login and says who is online, but ${sentenceOf('uuid-unknown')}`,
    'commands with {uuid} wait there until then',
  );

const oneByOne = (where: string): Finding =>
  ok(
    'presence-one-by-one',
    `${where} takes the login; its player list is not understood, so it is asked for each player`,
  );

async function tryOneByOne(tried: Tried, reason: CannotTellCode): Promise<Finding> {
  const { where, server, sentenceOf } = tried;
  const asked = await server.presence([NOBODY]);
  if (asked.kind === 'asked' || asked.kind === 'known') return oneByOne(where);
  if (asked.kind === 'unreachable') return unreachable(tried, asked.reason);
  return warning(
    reason,
    `${where} takes the login, and cannot tell who is online: ${sentenceOf(reason)}; rewards with "when": "online" wait for ever`,
    'remove what reshapes `list` there, or pay its rewards with "when": "always"',
  );
}

function unreachable({ where, sentenceOf }: Tried, reason: PauseCode): Finding {
  const isAbsent = reason === 'unreachable' || reason === 'not-rcon' || reason === 'login-timeout';
  const toDo = isAbsent
    ? 'a proxy (Velocity, BungeeCord) has no RCON: name the game servers behind it instead'
    : null;
  return problem(reason, `${where}: ${sentenceOf(reason)}`, toDo);
}
