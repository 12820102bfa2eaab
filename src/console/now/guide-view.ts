import { isLoopback } from '../../core/address.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import type { GameServerNow } from '../../operator/now/game-servers.ts';
import { type GuideNow, isConnected } from '../../operator/now/guide.ts';
import type { PracticePlayer } from '../../operator/trial/practice-worlds.ts';
import {
  actions,
  alert,
  type Content,
  card,
  code,
  copyLine,
  count,
  type Html,
  html,
  linkButton,
  postButton,
  quoted,
  type Step,
  steps,
  tag,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, told } from '../told.ts';
import { connectPath } from './connect-page.ts';

export interface GuideView {
  readonly guide: GuideNow;
  /** Where votes are received. */
  readonly listener: { readonly host: string; readonly port: number };
  /** The versions of votes that the listener takes. */
  readonly protocols: readonly ('v1' | 'v2')[];
  /** The name by which this machine is known from outside; null: not known. */
  readonly publicHost: string | null;
  readonly canConnect: boolean;
  readonly csrf: string;
  readonly command: Typed;
}

/** A step; its body depends on whether it is the current one. */
interface Stage {
  readonly title: string;
  readonly isDone: boolean;
  readonly body: (view: GuideView, isCurrent: boolean) => Content;
}

/** The first steps. Listings come last: what they send before a game server is connected is paid in practice only. */
export function guideView(view: GuideView): Html {
  const stages = stagesOf(view);
  const current = stages.findIndex(({ isDone }) => !isDone);
  return card({
    title: 'First steps',
    note: 'Each step is checked off by what has happened, not by a click.',
    body: steps(
      'First steps',
      stages.map(({ title, isDone, body }, index): Step => {
        const isCurrent = index === current;
        return { title, body: body(view, isCurrent), state: stateOf(isDone, isCurrent) };
      }),
    ),
  });
}

const stagesOf = ({ guide, canConnect }: GuideView): readonly Stage[] => [
  { title: 'Send a test vote', isDone: guide.testVote !== null, body: testVote },
  { title: 'See the first reward', isDone: guide.isPaid, body: firstReward },
  ...(canConnect
    ? [
        { title: 'Connect your game server', isDone: isConnected(guide), body: gameServer },
        { title: 'See a reward on your game server', isDone: guide.realReward !== null, body: realReward },
        { title: 'Tell your listings where to send votes', isDone: guide.hasListingVote, body: listings },
      ]
    : []),
];

const stateOf = (isDone: boolean, isCurrent: boolean): Step['state'] => {
  if (isDone) return 'done';
  return isCurrent ? 'current' : 'to-do';
};

function testVote({ guide, protocols, csrf }: GuideView, isCurrent: boolean): Content {
  const { testVote: last, nextPlayer, realServers } = guide;
  if (realServers.length > 0 && last !== null) return html`<p>${lastVote(last)}</p>`;
  if (realServers.length > 0)
    return html`<p>A test vote now pays a real player, so choose one on the <a href="${paths.test}">Test</a> page.</p>`;
  const version = protocols.includes('v2') ? 'v2' : 'v1';
  const text =
    last === null
      ? 'A listing sends a vote when a player has voted there. This button sends one to Teller in the same way, over the network. No real player gets anything.'
      : lastVote(last);
  return html`<p>${text}</p>${actions(
    postButton({
      label: `Send a test vote for ${nextPlayer}`,
      kind: isCurrent ? 'primary' : 'quiet',
      small: !isCurrent,
      action: paths.testVote,
      csrf,
      with: { player: nextPlayer, service: STAND_IN_SERVICE, version, next: paths.now },
    }),
  )}`;
}

const lastVote = ({ id, player }: NonNullable<GuideNow['testVote']>): Html =>
  html`The last one was for ${quoted(player)}: <a href="${paths.vote(id)}">vote ${id}</a>.`;

function firstReward({ guide }: GuideView): Content {
  const { worlds, testVote: last, isPaid } = guide;
  // A player whose first item is still to come is left out: the step is done when any reward was paid.
  const players = worlds
    .flatMap((world) => world.players)
    .filter(({ items }) => Object.keys(items).length > 0);
  if (isPaid && players.length > 0)
    return html`<p>On the practice server, a game server inside Teller for trying things out:</p>
      <ul class="prose">${players.map(inventory)}</ul>`;
  if (isPaid) return 'A reward was paid.';
  if (last === null)
    return html`<p>The vote is paid on a practice server: a game server inside Teller, where players and items are not real. What the
      player got appears here. <a href="${paths.rewards}">Rewards</a> shows what a vote earns.</p>`;
  return html`<p>Nothing was paid yet. <a href="${paths.vote(last.id)}">Vote ${last.id}</a> says why.</p>`;
}

function inventory({ name, items }: PracticePlayer): Html {
  const entries = Object.entries(items);
  const has = entries.map(([item, number], index) => [
    index > 0 && ', ',
    html`<strong>${count(number)} ${quoted(item)}</strong>`,
  ]);
  return html`<li>${quoted(name)} has ${has}.</li>`;
}

function gameServer({ guide, command }: GuideView, isCurrent: boolean): Content {
  const { realServers } = guide;
  if (realServers.length > 0) return realServers.map((server) => serverState(server, command));
  return html`<p>Until then, rewards go to the practice server. Your Minecraft server needs RCON, its remote console; the next
      page says how to turn it on.</p>
    ${actions(linkButton('Connect a game server', paths.connect, isCurrent ? 'primary' : 'quiet'))}`;
}

function realReward({ guide }: GuideView, isCurrent: boolean): Content {
  const { realReward: paid, realServers, testVote: last } = guide;
  const waiting = realServers.reduce((sum, { queue }) => sum + queue.waiting, 0);
  const waits =
    waiting > 0 &&
    html`<p>${waiting === 1 ? '1 reward waits' : `${count(waiting)} rewards wait`} for a player to join.</p>`;
  if (paid !== null)
    return html`<p>${quoted(paid.server)} paid <a href="${paths.grant(paid.id)}">${quoted(paid.reward)}</a> to
        ${quoted(paid.player ?? paid.recipient)}.</p>${waits}`;
  if (realServers.length === 0)
    return 'After that, send a vote for a real player, and look in the game for what it pays.';
  return html`<p>Join the game server, and send a test vote for yourself: the reward is real.
        ${last !== null && html`Choose another name than ${quoted(last.player)}: a player is paid once in 24 hours.`}</p>${waits}
    ${actions(linkButton('Choose a player', paths.test, isCurrent ? 'primary' : 'quiet'))}`;
}

function serverState({ name, kind, connection }: GameServerNow, command: Typed): Html {
  if (connection.kind === 'connected') return html`<p>${quoted(name)} is connected: it accepts commands.</p>`;
  if (connection.kind === 'untried')
    return html`<p>${quoted(name)} is in the config. Nothing was sent to it yet.</p>`;
  return html`<p>${quoted(name)}: ${told(connection.sentence, command)} ${tag(connection.code)}</p>
    ${kind === 'rcon' && actions(linkButton('Change its address or password', connectPath(name)))}`;
}

function listings({ guide, listener, publicHost }: GuideView): Content {
  const isLocal = isLoopback(listener.host);
  return html`<p>On the page of your listing, in its settings for votes (often called Votifier or NuVotifier), enter:</p>
    ${publicHost === null ? html`<p><strong>Address</strong>: the public IP address or host name of this machine.</p>` : copyLine({ id: 'vote-host', label: 'Address', text: publicHost })}
    ${copyLine({ id: 'vote-port', label: 'Port', text: String(listener.port) })}
    <p>and the token or the public key, whichever it asks for:</p>
    ${actions(linkButton('Show the token and the public key', paths.keys))}
    ${
      isLocal &&
      alert({
        tone: 'warn',
        title: 'Teller listens on this machine only',
        body: html`No listing can reach it. Set ${code('listener.host')} to ${code('"::"')} in the config and restart Teller.`,
      })
    }
    ${
      guide.realServers.length === 0 &&
      html`<p class="hint">Connect your game server first: until then, what players earn goes to the practice server.</p>`
    }`;
}
