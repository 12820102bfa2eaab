import { countText } from '../../core/list-text.ts';
import {
  COUNTED_MAX,
  type Connection,
  type GameServerNow,
  type GameServersNow,
  type Reports,
} from '../../operator/now/game-servers.ts';
import {
  actions,
  badge,
  type Content,
  card,
  columns,
  count,
  facts,
  type Html,
  html,
  instant,
  linkButton,
  quoted,
  tag,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, told } from '../told.ts';
import { connectPath } from './connect-page.ts';

/** Players beyond this number are counted and not named. */
const NAMED_MAX = 40;

export interface GameServersView {
  readonly command: Typed;
  /** Whether real game servers can be connected. */
  readonly canConnect: boolean;
}

/** Each game server with its connection, who is online, and what waits for it. */
export const gameServersView = ({ servers, others }: GameServersNow, view: GameServersView): Html =>
  html`${columns(...servers.map((server) => serverCard(server, view)))}${others.length > 0 && othersCard(others)}`;

const serverCard = (server: GameServerNow, view: GameServersView): Html => {
  const { command, canConnect } = view;
  return card({
    title: server.name,
    actions: connectionBadge(server),
    note: server.place === null ? server.means : html`${server.means}, ${server.place}`,
    body: [
      facts([
        ['Connection', connectionText(server.connection, command)],
        ...(server.retryAt === null ? [] : [['Next try', instant(server.retryAt)] as const]),
        ['Online', onlineText(server)],
        ['Reports', reportsText(server.reports, command)],
        ['Queue', queueText(server.queue)],
      ]),
      canConnect &&
        server.kind === 'rcon' &&
        server.connection.kind === 'trouble' &&
        actions(linkButton('Change its address or password', connectPath(server.name))),
    ],
  });
};

function connectionBadge({ connection, isPractice }: GameServerNow): Html {
  if (connection.kind === 'trouble') return badge('Not connected', 'bad');
  if (isPractice) return badge('Practice', 'busy');
  return connection.kind === 'connected' ? badge('Connected', 'good') : badge('Not tried yet');
}

function connectionText(connection: Connection, command: Typed): Content {
  switch (connection.kind) {
    case 'connected':
      return 'It accepts commands.';
    case 'untried':
      return 'Nothing was sent to it yet.';
    case 'trouble':
      return html`${told(connection.sentence, command)} ${tag(connection.code)}`;
  }
}

function onlineText({ online, reports, connection }: GameServerNow): Content {
  if (online === null) {
    if (reports.kind === 'one-by-one') return 'It is asked about one player at a time.';
    return connection.kind === 'untried' ? 'Not asked yet.' : 'Not known.';
  }
  if (online.length === 0) return 'Nobody.';
  const named = online.slice(0, NAMED_MAX).map((name, index) => [index > 0 && ', ', quoted(name)]);
  const rest = online.length - NAMED_MAX;
  return html`${countText(online.length, 'player')}: ${named}${rest > 0 && ` and ${count(rest)} more`}`;
}

const LISTS = {
  true: 'Its players, with their UUIDs.',
  false: 'Its players by name, without UUIDs.',
  null: 'Its players.',
} as const;

function reportsText(reports: Reports, command: Typed): Content {
  switch (reports.kind) {
    case 'list':
      return LISTS[String(reports.hasUuids) as keyof typeof LISTS];
    case 'one-by-one':
      return 'Whether one player is online; its list of players is not understood.';
    case 'nothing':
      return html`${told(reports.sentence, command)} ${tag(reports.code)}`;
    case 'unknown':
      return 'Not known yet.';
  }
}

const atMost = (number: number): string =>
  number >= COUNTED_MAX ? `${count(number)} or more` : count(number);

function queueText({ pending, waiting, held, refused }: GameServerNow['queue']): Content {
  const parts: readonly Content[] = [
    pending > 0 && `${atMost(pending)} to pay now`,
    waiting > 0 && `${atMost(waiting)} waiting for players`,
    held > 0 && html`<a href="${paths.grants}">${atMost(held)} held</a>`,
    refused > 0 && html`<a href="${paths.grants}">${atMost(refused)} refused</a>`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Empty.' : parts.map((part, index) => [index > 0 && ', ', part]);
}

const othersCard = (others: GameServersNow['others']): Html =>
  card({
    title: 'Other queues',
    note: 'Rewards that one of several game servers pays, and those of game servers that are not in the config.',
    body: facts(others.map(({ server, ...queue }) => [server, queueText(queue)])),
  });
