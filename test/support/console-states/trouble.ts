import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { HOUR_MS } from '../../../src/core/duration.ts';
import { isoTime } from '../../../src/core/instant.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { TOKEN, writeConfig } from '../config-folder.ts';
import { answer, PASSWORD, practice, scripted } from '../rcon.ts';
import { type RunningConsole, runningConsole } from '../running-console.ts';
import { SettableClock } from '../settable-clock.ts';
import { voteTo } from '../votes-to.ts';
import { type ConsoleState, NOW } from './state.ts';

/** Markup, quotes, and a mark that turns the direction of the text after it. */
const HOSTILE = '<script>alert(1)</script> "\u202E>';
const WRONG_TOKEN = 'another-token-of-thirty-two-chars';

/**
 * As much as can go wrong together: grants that are held and refused, game servers that are away, refuse the login or reply
 * with markup, listings without an entry, a config file that does not run yet, a doubtful clock, and whatever `check`
 * finds in such a config.
 */
export async function troubleState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const jumpsAt = isoTime(clock.now());
  clock.set(isoTime(clock.now() - 26 * HOUR_MS));
  const config = await brokenConfig();
  const running = await runningConsole(clock, config);
  await losePayments(running, clock);
  await sendBadVotes(running, clock);
  await running.app.ledger.pause({ server: 'shop', reward: null }, 'admin', clock.now());
  changeFiles(running, config);
  clock.jump(jumpsAt);
  await voteWithoutTime(running, 'Zoe');
  return { ...running, clock, browser: await running.operator() };
}

/** What `check` warns of in a config, and game servers of which only `main` works. */
async function brokenConfig() {
  const main = await practice();
  main.setFault('run-and-close', 1);
  const shop = await scripted((packet, socket) => {
    const list = 'There are 0 of a max of 20 players online: ';
    if (packet.type === 3) answer(socket, packet.id, '', 2);
    else answer(socket, packet.id, packet.body.includes('list') ? list : `Could not find ${HOSTILE}`);
  });
  const rcon = (port: number, password = PASSWORD) => ({ kind: 'rcon', host: '127.0.0.1', port, password });
  const api = { baseUrl: `http://0.0.0.0:${await freePort()}/api/v1`, token: 'tok' };
  return {
    sites: {
      default: { token: TOKEN },
      'Craft-List.example': { url: 'https://craft-list.example/vote' },
      'Silent.example': {},
      'Roads.example': { game: 'fivem', api },
    },
    gameServers: {
      main: { ...rcon(main.port), commandTimeout: '500ms' },
      shop: rcon(shop.port),
      away: rcon(await freePort()),
      locked: rcon(main.port, 'not its password'),
    },
    rewards: [
      { name: 'hello', when: 'always', servers: ['main'], commands: ['say {player} voted'] },
      { name: 'broken', when: 'always', servers: ['main'], commands: ['giv {player} <b>diamond</b>'] },
      { name: 'shop', when: 'always', servers: ['shop'], commands: ['shop open {player} "<b>&6now</b>"'] },
      { name: 'far', when: 'always', servers: ['away', 'locked'], commands: ['say &6{player} {rank}'] },
      {
        ...{ name: 'ten', servers: ['main'], commands: ['say {player} has ten'] },
        if: { votes: { every: 10 }, weekday: ['sat'] },
      },
    ],
    alarms: { url: `http://127.0.0.1:${await freePort()}/alarms`, format: 'chat' },
  };
}

/** The first command of a new connection runs and its reply is lost, so its grant is held; others are refused. */
async function losePayments({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  for (const player of ['Steve', 'Alex', 'Notch'])
    await voteTo(app.listener.port, player, 'Craft-List.example', TOKEN, clock);
  const states = () => app.ledger.grantStates();
  await expect.poll(states, { timeout: 15_000 }).toMatchObject({ held: 1, refused: 3, delivered: 5 });
}

/** From listings without an entry, with a hostile name too, and with a wrong token or player. */
async function sendBadVotes({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  const { port } = app.listener;
  for (const service of ['First', 'An-Unlisted-Name-As-Long-As-Listings-Have-It.example', HOSTILE])
    await voteTo(port, 'Steve', service, TOKEN, clock);
  await voteTo(port, HOSTILE, 'Craft-List.example', TOKEN, clock);
  await voteTo(port, 'Steve', 'Silent.example', WRONG_TOKEN, clock);
  await expect.poll(() => app.ledger.refusals(0), { timeout: 10_000 }).toHaveLength(2);
}

/** The config file is newer than what runs and readable by everyone, and half of the key pair is gone. */
function changeFiles({ config: file, folder }: RunningConsole, config: { readonly sites: object }): void {
  writeConfig(file, { ...config, sites: { ...config.sites, 'New.example': {} } });
  chmodSync(file, 0o644);
  rmSync(join(folder, 'data/keys/public.key'));
}

/** The listing states no time, so that this machine's clock decides. */
const voteWithoutTime = ({ app }: RunningConsole, username: string) =>
  sendVote(
    { serviceName: 'Craft-List.example', username, address: '', timestamp: '' },
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );
