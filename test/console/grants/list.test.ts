import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { writeConfig } from '../../support/config-folder.ts';
import { holdMany, stuckConsole } from '../../support/stuck-grants.ts';
import { voteTo } from '../../support/votes-to.ts';
import { rowsOf, textOf } from '../../support/page-text.ts';

/** The cards of a page, from the top: how many grants are stuck on which game servers. */
const cardsOf = (page: { readonly text: string }): readonly string[] =>
  [...textOf(page).matchAll(/(?:held|refused) (\d+ grants? on .+?), the last one/g)].map(([, card = '']) =>
    card.replaceAll(', a practice server', ''),
  );

const LATELY = 'What operators did lately';

test('without anything to decide, the page says so', async () => {
  const { browser } = await stuckConsole('hello', []);
  const page = await browser.get('/grants');
  expect(page.text).toContain('Nothing needs you.');
  expect([cardsOf(page), rowsOf(page.text, LATELY)]).toEqual([[], []]);
});

test('the menu of every page shows how many grants need the operator, once any do', async () => {
  const one = await stuckConsole('broken', []);
  const inMenu = async (path: string): Promise<string> =>
    textOf(await one.browser.get(path)).match(/Needs you ?(\d[\d,+]* grants?)?/)?.[1] ?? '';
  expect(await inMenu('/votes')).toBe('');
  await voteTo(one.app.listener.port, 'Steve');
  await expect.poll(one.states, { timeout: 15_000 }).toEqual(['refused']);
  for (const path of ['/', '/votes', '/keys']) expect(await inMenu(path)).toBe('1 grant');
  await holdMany(one, 2);
  expect(await inMenu('/votes')).toBe('3 grants');
  expect((await one.visitor().get('/sign-in')).text).not.toContain('grants');
});

test('a refused grant is shown with its command, the reply, and what to do', async () => {
  const { browser, marks } = await stuckConsole('broken', ['Steve']);
  const { text } = await browser.get('/grants');
  expect(cardsOf({ text })).toEqual(['1 grant on main']);
  expect(await marks()).toEqual({ 1: expect.stringMatching(/^1\.\d+$/) });
  for (const part of [
    '1 grant needs you.',
    'The game server refused a command',
    'Steve',
    'Unknown or incomplete',
    '“Pay with the new commands”',
  ])
    expect(textOf({ text })).toContain(part);
});

test('a grant whose reply was lost is shown with what is known: it may have run', async () => {
  const { browser } = await stuckConsole('hello', ['Steve'], { lost: 1 });
  const text = textOf(await browser.get('/grants'));
  for (const part of ['A command may have run', 'unknown, may have run', 'held 1 grant on main'])
    expect(text).toContain(part);
  expect(text).toMatch(/check on main whether/i);
});

test('what a game server and a config say is shown as text', async () => {
  const { browser } = await stuckConsole('broken', ['Steve']);
  const { text } = await browser.get('/grants');
  expect(text).toContain('giv Steve &lt;b&gt;diamond&lt;/b&gt;');
  expect(text).not.toContain('<b>diamond');
  const marked = await browser.get('/grants?player=%3Cscript%3Ealert(1)%3C/script%3E&reason=%3Cb%3E');
  expect(marked.text).not.toMatch(/<script>alert|<b>/);
});

test('groups are by game server and reason, the one that got stuck last first', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  await holdMany(one, 7);
  const page = await one.browser.get('/grants');
  expect(cardsOf(page)).toEqual(['7 grants on lobby', '1 grant on main']);
  expect(Object.keys(await one.marks())).toHaveLength(5 + 1);
  expect(page.text).toContain('Show all 7');
});

test('to decide on all of a card never reaches grants of another card with the same reason', async () => {
  const practice = { kind: 'practice' };
  const broken = { name: 'broken', when: 'always', commands: ['giv {player} diamond'], servers: 'all' };
  const one = await stuckConsole('broken', ['Steve', 'Alex'], {
    overrides: { gameServers: { main: practice, lobby: practice, gone: practice }, rewards: [broken] },
  });
  await expect.poll(one.states, { timeout: 15_000 }).toEqual(Array(6).fill('refused'));
  const links = async () =>
    [...(await one.browser.get('/grants')).text.matchAll(/href="(\/grants\/change\?[^"]*all=1[^"]*)"/g)].map(
      ([, href]) => new URL(href!.replaceAll('&amp;', '&'), 'http://teller').searchParams.get('place'),
    );
  expect(await links()).toEqual([null]);
  writeConfig(one.config, { gameServers: { main: practice, lobby: practice }, rewards: [broken] });
  await one.reload();
  expect((await links()).toSorted()).toEqual(['gone', 'lobby', 'main']);
});

test('a filter in the URL shows only what matches it, and one that is nonsense shows everything', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  await holdMany(one, 2);
  const shown = async (query: string): Promise<readonly string[]> => {
    const page = await one.browser.get(`/grants?${query}`);
    expect(rowsOf(page.text, LATELY)).toEqual([]);
    return cardsOf(page).map((card) => card.split(' ').at(-1) ?? '');
  };
  expect(await shown('state=held')).toEqual(['lobby']);
  expect(await shown('state=refused')).toEqual(['main']);
  expect(await shown('server=main')).toEqual(['main']);
  expect(await shown('reward=old')).toEqual(['lobby']);
  expect(await shown('player=steve')).toEqual(['main']);
  expect(await shown('player=Nobody')).toEqual([]);
  expect(await shown('since=2030-01-01')).toEqual([]);
  expect(await shown('reason=refused')).toEqual(['main']);
  expect(await shown('since=nonsense')).toEqual(['lobby', 'main']);
  expect(await shown('state=nonsense')).toEqual(['lobby', 'main']);
});

test('the form keeps the filter, also of what the config no longer has', async () => {
  const { browser } = await stuckConsole('hello', []);
  const { text } = await browser.get('/grants?server=gone&player=Steve&state=held');
  expect(text).toContain('<option value="gone" selected>');
  expect(text).toContain('<option value="held" selected>');
  expect(text).toContain('value="Steve"');
  expect(text).toContain('No grant matches');
});

test('one group has pages of 25', async () => {
  const one = await stuckConsole('hello', []);
  await holdMany(one, 60);
  const first = '/grants?place=lobby&state=held&reason=other-game-server';
  const seen: number[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const page = await one.browser.get(path);
    expect(cardsOf(page)).toEqual(['60 grants on lobby']);
    seen.push(
      ...Object.keys(await one.marks(path))
        .map(Number)
        .toReversed(),
    );
    path = /href="([^"]*)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => 60 - at));
});

test('one grant has a page, in any state', async () => {
  const { browser, states } = await stuckConsole('hello', ['Steve', 'Alex'], { lost: 1 });
  expect(await states()).toEqual(['held', 'delivered']);
  const held = await browser.get('/grants/1');
  for (const part of ['Grant 1', 'say Steve voted', 'Check on main whether', '“It ran”', 'Mark as paid'])
    expect(held.text).toContain(part);
  const paid = await browser.get('/grants/2');
  expect(paid.text).not.toContain('What you can do');
  expect(textOf(paid)).toContain('Grant 2delivered');
});

test.each(['/grants/3', '/grants/0', '/grants/x', '/grants/99999999999999999999'])(
  'there is no page %s',
  async (path) => {
    const { browser } = await stuckConsole('hello', []);
    expect((await browser.get(path)).status).toBe(404);
  },
);

test('who decided what, and when, is shown on the page and with the grant, also of commands', async () => {
  const { browser, app } = await stuckConsole('broken', ['Steve']);
  const desk = await openLedger(app.config.ledger, 'write', { clock: systemClock });
  const at = Date.parse('2026-06-01T12:00:00Z');
  await desk.markPaid(1, { by: 'ann' }, at);
  await desk.close();
  expect(rowsOf((await browser.get('/grants')).text, LATELY)).toMatchObject([
    { Grant: 'broken for Steve on main', Now: 'delivered' },
  ]);
  const sentence = 'ann marked it as paid at 1 Jun 2026 12:00:00 UTC';
  expect(textOf(await browser.get('/grants'))).toContain(sentence);
  expect(textOf(await browser.get('/grants/1'))).toContain(sentence);
});

test('for refused grants, what the advice says is offered first', async () => {
  const { browser } = await stuckConsole('broken', ['Steve']);
  const { text } = await browser.get('/grants');
  expect(text).toMatch(/name="action"><option value="anew">/);
});
