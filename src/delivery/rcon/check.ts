import { type Finding, type FindingCode, ok, problem, warning } from '../../core/finding.ts';
import type { CannotTellCode, PauseCode } from '../../core/game-server-codes.ts';
import { conditionText } from '../../core/player-condition.ts';
import { printable } from '../../core/printable.ts';
import { ConditionAsker } from '../condition-asker.ts';
import { type GameServer, NOBODY } from '../game-server.ts';
import type { CheckParts } from '../game-server-kind.ts';
import { rconGameServer } from './game-server.ts';
import type { RconConfig } from './schema.ts';

/** Whether it accepts the login, and whether it reports who is online. */
export async function checkRcon(config: RconConfig, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, random, isInUse } = parts;
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const server = rconGameServer({ ...config, clock, random });
  try {
    const tried = { ...parts, where: `${name} (${config.host}:${config.port})`, server };
    const finding = await tryServer(tried);
    if (finding.mark === 'ok') {
      const unclear = await tryConditions(parts, server);
      return [finding, ...(await tryWithoutOutput(name, config, server)), ...unclear];
    }
    const isSecondLogin = SECOND_LOGIN.has(finding.code) && (await isInUse());
    return [isSecondLogin ? oneConnection(name, config) : finding];
  } finally {
    await server.close();
  }
}

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
      // An empty list does not show whether the server shows UUIDs.
      if (needsUuids && presence.names.length > 0 && presence.uuids === undefined) return withoutUuids(tried);
      const online = presence.names.length === 1 ? '1 player' : `${presence.names.length} players`;
      return ok('game-server', `${where} accepts the login and reports who is online: ${online}`);
    }
    case 'asked':
      return oneByOne(where);
    case 'cannot-tell':
      return await tryOneByOne(tried, presence.reason);
    case 'unreachable':
      return unreachable(tried, presence.reason);
  }
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
    `${name} (${host}:${port}) did not accept a second login while the running Teller is connected to it; some game servers allow only one RCON connection at a time`,
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

/** Asks about a player who does not exist, so each answer should be no. */
async function tryConditions(
  { name, conditions }: CheckParts,
  server: GameServer,
): Promise<readonly Finding[]> {
  const asker = new ConditionAsker(server);
  const byText = new Map(conditions.map((condition) => [conditionText(condition), condition]));
  const findings: Finding[] = [];
  for (const [text, condition] of byText) {
    const answer = await asker.ask(condition, NOBODY);
    if (answer.kind !== 'unclear') continue;
    const reply = printable(answer.reply) || '(an empty reply)';
    const sentence = `${name} gives no clear answer about ${text}: “${answer.question}” → ${reply}; rewards with this \`payIf\` wait there`;
    findings.push(
      warning(
        'condition-unclear',
        sentence,
        '`payIf` needs Minecraft Java 1.13 or newer; create the objective or dimension there, or correct it in the config',
      ),
    );
  }
  return findings;
}

const withoutUuids = ({ where, sentenceOf }: Tried): Finding =>
  warning(
    'uuid-unknown',
    `${where} accepts the login and reports who is online, but ${sentenceOf('uuid-unknown')}`,
    'commands with {uuid} wait there until then',
  );

const oneByOne = (where: string): Finding =>
  ok(
    'presence-one-by-one',
    `${where} accepts the login; Teller does not understand its player list, so it asks for each player`,
  );

async function tryOneByOne(tried: Tried, reason: CannotTellCode): Promise<Finding> {
  const { where, server, sentenceOf } = tried;
  const asked = await server.presence([NOBODY]);
  if (asked.kind === 'asked' || asked.kind === 'known') return oneByOne(where);
  if (asked.kind === 'unreachable') return unreachable(tried, asked.reason);
  return warning(
    reason,
    `${where} accepts the login, but cannot report who is online: ${sentenceOf(reason)}; rewards with "when": "online" wait forever`,
    'remove the plugin that changes `list` there, or give its rewards "when": "always"',
  );
}

function unreachable({ where, sentenceOf }: Tried, reason: PauseCode): Finding {
  const isAbsent = reason === 'unreachable' || reason === 'not-rcon' || reason === 'login-timeout';
  const toDo = isAbsent
    ? 'a proxy (Velocity, BungeeCord) has no RCON; enter the game servers behind it instead'
    : null;
  return problem(reason, `${where}: ${sentenceOf(reason)}`, toDo);
}
