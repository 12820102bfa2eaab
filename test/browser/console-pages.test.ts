import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile } from '../support/browser.ts';
import { operatorsPage } from '../support/console-page.ts';
import type { ConsoleState } from '../support/console-states/state.ts';
import { consoleStates } from '../support/console-states/states.ts';
import { sweep } from '../support/page-faults.ts';
import { keyboardFaults, outlineOf } from '../support/page-outline.ts';

const newPage = browserOfFile();

type StateName = keyof typeof consoleStates;

const ALWAYS = [
  ...[
    '/',
    '/now/game-server',
    '/votes',
    '/votes?player=nobody&day=2026-06-01',
    '/players',
    '/players?name=a',
  ],
  ...['/players?name=Nobody_Ever', '/players/Nobody_Ever', '/players/@a', '/grants', '/grants?player=Nobody'],
  ...['/figures', '/rewards', '/test', '/keys', '/nowhere'],
];

/** The pages about one thing, of the first vote, player and grant that the lists show. */
async function pagesOf({ browser, look }: ConsoleState): Promise<readonly string[]> {
  const [vote] = await look.votes({ limit: 1 });
  const [grant] = await look.grants({ limit: 1 });
  const [held] = await look.grants({ limit: 1, state: 'held' });
  const [, mark] = /name="grant" value="([^"]*)"/.exec((await browser.get('/grants')).text) ?? [];
  return [
    ...ALWAYS,
    ...(vote === undefined
      ? []
      : [`/votes/${vote.id}`, `/votes?before=${vote.id}`, `/players/${vote.player}`]),
    ...[grant, held].flatMap((each) => (each === undefined ? [] : [`/grants/${each.id}`])),
    ...(mark === undefined
      ? []
      : [`/grants/change?grant=${mark}`, `/grants/change?action=cancel&grant=${mark}`]),
  ];
}

/** The parts that a reader has only with script, or only without, by page. */
async function differences(state: ConsoleState, paths: readonly string[]): Promise<Record<string, unknown>> {
  const scripted = await operatorsPage(newPage, state);
  const plain = await operatorsPage(newPage, state, { javaScriptEnabled: false });
  const outlines = async (path: string): Promise<string[][]> => {
    await Promise.all([scripted, plain].map((page) => page.goto(state.console.url + path)));
    return [await outlineOf(scripted), await outlineOf(plain)];
  };
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    let [withScript = [], without = []] = await outlines(path);
    // Checks of the running Teller can end between the two requests.
    if (`${withScript}` !== `${without}`) [withScript = [], without = []] = await outlines(path);
    expect(without.length).toBeGreaterThan(5);
    if (`${withScript}` !== `${without}`) found[path] = { withScript, without };
  }
  return found;
}

/** What the keyboard does not reach, and what does not show that it has the focus, by page. */
async function walked(page: Page, url: string, paths: readonly string[]): Promise<Record<string, string[]>> {
  await page.setViewportSize({ width: 1280, height: 800 });
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(url + path);
    const faults = await keyboardFaults(page);
    if (faults.length > 0) found[path] = faults;
  }
  return found;
}

test.each<StateName>(['empty', 'busy', 'trouble'])(
  'every page of a console that is %s is right at both widths, in both schemes, without script and by keyboard',
  { timeout: 240_000 },
  async (name) => {
    const state = await consoleStates[name]();
    const paths = await pagesOf(state);
    const page = await operatorsPage(newPage, state);
    expect(await sweep(page, state.console.url, paths)).toEqual({});
    expect(await differences(state, paths)).toEqual({});
    expect(await walked(page, state.console.url, paths)).toEqual({});
  },
);

test('the walk with the keyboard finds a control that it cannot reach, and one that hides its focus', async () => {
  const state = await consoleStates.empty();
  const page = await operatorsPage(newPage, state);
  await page.goto(`${state.console.url}/test`);
  await page.evaluate(`
    const faulty = '<button id="skipped" tabindex="-1">x</button><button id="hidden">x</button>';
    document.querySelector('main').insertAdjacentHTML('beforeend', faulty);
    document.querySelector('#hidden').style.outline = 'none';
  `);
  expect(await keyboardFaults(page)).toEqual([
    'not reached: <button id="skipped" tabindex="-1">x</button>',
    'focus not visible: <button id="hidden" style="outline: none;">x</button>',
  ]);
});
