import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { operatorsPage } from '../support/console-page.ts';
import { faultsOf } from '../support/page-faults.ts';
import { answer, PASSWORD, scripted } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();

const MARKUP = '<img src=x onerror=alert(1)>';
/** Markup, a mark that turns the direction of the text after it, and no place to break the line. */
const HOSTILE = `${MARKUP}\u202E"'`;
const LONG = `${HOSTILE}${'W'.repeat(400 - HOSTILE.length)}`;
const SERVICE = LONG.slice(0, 128);

/**
 * Names of sites, rewards and players, and the replies of a game server, that want to be more than text: in votes, in the
 * list of players, in what a command answered, and in what the operator types.
 */
async function hostileConsole() {
  const server = await scripted((packet, socket) => {
    const list = `There are 2 of a max of 20 players online: ${MARKUP}, Steve`;
    if (packet.type === 3) answer(socket, packet.id, '', 2);
    else if (packet.body.startsWith('list')) answer(socket, packet.id, list);
    else answer(socket, packet.id, packet.body.startsWith('say') ? `Unknown command ${LONG}` : LONG);
  });
  const running = await runningConsole(systemClock, {
    sites: { default: { token: TOKEN }, [SERVICE]: {} },
    gameServers: {
      main: {
        kind: 'rcon',
        host: '127.0.0.1',
        port: server.port,
        password: PASSWORD,
        refusedReplies: ['^Unknown'],
      },
    },
    rewards: [
      { name: 'broken', when: 'always', commands: [`say {player} ${MARKUP}`] },
      { name: 'fine', when: 'always', commands: [`tellraw {player} "${MARKUP}"`] },
    ],
  });
  const { app } = running;
  await voteTo(app.listener.port, 'Steve', SERVICE);
  await voteTo(app.listener.port, 'Alex', `${MARKUP} unlisted`);
  await voteTo(app.listener.port, MARKUP, SERVICE);
  await expect.poll(() => app.ledger.grantStates(), { timeout: 15_000 }).toMatchObject({ refused: 2 });
  const page = await operatorsPage(newPage, { ...running, browser: await running.operator() });
  return { ...running, page };
}

/** What became more than text, and text whose direction reaches beyond it. */
const ESCAPED = `[
  ...[...document.querySelectorAll('main img, main script, [onerror]')].map((part) => part.outerHTML),
  ...(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      if (!text.data.includes('\\u202E')) continue;
      const isolated = (part) => /isolate|plaintext/.test(getComputedStyle(part).unicodeBidi);
      let part = text.parentElement;
      while (part !== null && !isolated(part)) part = part.parentElement;
      if (part === null || part.matches('main, body, html')) found.push('not isolated: ' + text.data.slice(0, 60));
    }
    return found;
  })(),
]`;

/** Also what is in fields. */
const SHOWN = `document.body.textContent + [...document.querySelectorAll('input')].map(({ value }) => value)`;

async function look(page: Page): Promise<string[]> {
  const text = await page.evaluate<string>(SHOWN);
  const shown = text.includes('<img') ? [] : ['it is not shown'];
  return [...(await page.evaluate<string[]>(ESCAPED)), ...shown, ...(await faultsOf(page))];
}

test('names and replies that want to be markup are shown as text on every page that shows them', {
  timeout: 150_000,
}, async () => {
  const { page, console: site } = await hostileConsole();
  const dialogs: string[] = [];
  page.on('dialog', async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  const complaints = complaintsOf(page);
  const found: Record<string, string[]> = {};
  const typed = encodeURIComponent(HOSTILE);
  for (const path of [
    ...['/', '/votes', '/votes/1', '/players/Steve', '/grants', '/grants/1', '/figures', '/rewards', '/keys'],
    ...[`/votes?player=${typed}&site=${typed}`, `/players?name=${typed}`, `/players/${typed}`],
    ...[`/grants?player=${typed}`, `/grants/change?action=redirect&player=${typed}&grant=1.1`],
  ]) {
    await page.goto(site.url + path);
    if (path === '/') await page.getByText('refused').first().waitFor();
    const faults = await look(page);
    if (faults.length > 0) found[path] = faults;
  }
  await page.goto(`${site.url}/test`);
  await page.getByLabel('Player', { exact: true }).fill(MARKUP);
  await page.getByLabel('Service name').fill(`${MARKUP}${'W'.repeat(90)}`);
  await page.getByRole('button', { name: 'Send vote' }).click();
  await page.getByRole('heading', { name: 'Test vote' }).waitFor();
  found.vote = await look(page);
  expect(found).toEqual({ vote: [] });
  expect([dialogs, complaints]).toEqual([[], []]);
});
