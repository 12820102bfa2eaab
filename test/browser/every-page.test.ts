import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { receiver as sink } from '../kit/receiver.ts';
import { browserOfFile, complaintsOf, operatorsPage, signIn } from '../support/browser.ts';
import { type ConsoleState, consoleStates, pagesOf } from '../support/console-states.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { OWNER, type RunningLoop, runningLoop } from '../support/loop.ts';
import { faultsOf, keyboardFaults, outlineOf, sweep } from '../support/page-faults.ts';

const newPage = browserOfFile();

type StateName = keyof typeof consoleStates;

/** Pages of what was asked for, and of nothing. */
const ASKED = [
  ...[
    '/votes?player=nobody&day=2026-06-01',
    '/votes?before=2',
    '/players?name=Nobody_Ever',
    '/players/Nobody_Ever',
  ],
  ...['/players/@a', '/grants?player=Nobody'],
];

const pagesOfConsole = async (state: ConsoleState): Promise<readonly string[]> => [
  ...(await pagesOf(state)).map(([, path]) => path),
  ...ASKED,
];

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

/** What the keyboard does not reach, what does not show that it has the focus, and what should be text and is not, by page. */
async function walked(page: Page, url: string, paths: readonly string[]): Promise<Record<string, string[]>> {
  await page.setViewportSize({ width: 1280, height: 800 });
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(url + path);
    const faults = [...(await keyboardFaults(page)), ...(await page.evaluate<string[]>(ESCAPED))];
    if (faults.length > 0) found[path] = faults;
  }
  return found;
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

test.each<StateName>(['empty', 'busy', 'trouble'])(
  'every page of a console that is %s is right at both widths, in both schemes, without script and by keyboard',
  { timeout: 240_000 },
  async (name) => {
    const state = await consoleStates[name]();
    const paths = await pagesOfConsole(state);
    const page = await operatorsPage(newPage, state);
    expect(await sweep(page, state.console.url, paths)).toEqual({});
    expect(await differences(state, paths)).toEqual({});
    expect(await walked(page, state.console.url, paths)).toEqual({});
  },
);

/** The longest possible names, without a place to break the line. */
const LONG = { listing: 'W'.repeat(80), token: 'M'.repeat(64), player: 'W'.repeat(16) };

const post = async (visitor: FakeBrowser, path: string, fields: object = {}): Promise<string> => {
  await visitor.get(path.replace(/\/(vote|test|invite)$/, ''));
  return (await visitor.post(path, { ...fields })).to ?? '';
};

/** Creates a listing with long names and a receiver that refuses, and returns the path of its pages. */
async function longListing(loop: RunningLoop, owner: FakeBrowser): Promise<string> {
  const receiver = await sink(404);
  const at = await post(owner, '/new-listing', { name: LONG.listing, kind: 'minecraft' });
  const url = `${receiver.url}/${'x'.repeat(200)}`;
  await post(owner, `${at}/webhook`, { url, secret: 'none', active: 'on' });
  await post(owner, `${at}/tokens`, { name: LONG.token, scopes: ['votes:read', 'webhooks:write'] });
  const { port } = loop.app.listener;
  const listener = { host: '127.0.0.1', port: String(port), method: 'token', credential: 'wrong' };
  await post(owner, `${at}/listener`, listener);
  const voter = await loop.visitor('vera');
  for (const listing of [at.replace('/dashboard', '/listings'), `/listings/${loop.minecraft.id}`]) {
    await post(voter, `${listing}/vote`, { player: LONG.player });
  }
  await receiver.request(1);
  return at;
}

// biome-ignore lint/suspicious/noExplicitAny: pages have values of every shape
const values = async (visitor: FakeBrowser, path: string): Promise<any> =>
  JSON.parse((await visitor.get(path, { accept: 'application/json' })).text);

const TABS_OF_A_LISTING = ['', '/webhook', '/deliveries', '/deliveries?state=undelivered', '/listener'];

async function pagesOfListing(owner: FakeBrowser, at: string): Promise<string[]> {
  const ended = async () => (await values(owner, `${at}/deliveries`)).deliveries[0]?.httpStatus;
  await expect.poll(ended).toEqual(expect.any(Number));
  const { deliveryId } = (await values(owner, `${at}/deliveries`)).deliveries[0];
  return [...TABS_OF_A_LISTING, '/tokens', '/people', `/deliveries/${deliveryId}`].map(
    (tab) => `${at}${tab}`,
  );
}

test('every page fits the screen, has named controls, and causes no browser errors', {
  timeout: 150_000,
}, async () => {
  const loop = await runningLoop();
  const { url, minecraft, samples } = loop;
  const visitor = await loop.visitor(OWNER);
  const long = await longListing(loop, visitor);
  const listing = `/listings/${minecraft.id}`;

  const anybody = await newPage();
  const open = ['/', listing, '/sign-in', '/docs', '/practice/clock', '/nowhere', '/invitations/none'];
  expect(await sweep(anybody, url, open)).toEqual({});

  const voter = await newPage();
  await signIn(voter, loop, 'viktor');
  expect(await sweep(voter, url, ['/dashboard', '/account', listing, `/dashboard/${minecraft.id}`])).toEqual(
    {},
  );

  const owner = await newPage();
  await signIn(owner, loop, OWNER);
  const others = samples.listings
    .filter(({ game }) => game !== 'minecraft')
    .map(({ id }) => `/dashboard/${id}`);
  const bot = samples.listings.find(({ game }) => game === null)!.id;
  expect(
    await sweep(owner, url, [
      ...['/', '/dashboard', '/new-listing', long.replace('/dashboard', '/listings'), ...others],
      ...[`/listings/${bot}`, `/dashboard/${bot}/webhook`, `/dashboard/${bot}/tokens`],
      ...(await pagesOfListing(visitor, `/dashboard/${minecraft.id}`)),
      ...(await pagesOfListing(visitor, long)),
    ]),
  ).toEqual({});
});

interface Moment {
  readonly choose?: string;
  readonly what: string;
  readonly tab: string;
  /** Labels of fields, and what to enter there. */
  readonly enter?: readonly (readonly [label: string, text: string])[];
  readonly press: string;
  /** A selector for what appears then. */
  readonly until: string;
}

const MOMENTS: readonly Moment[] = [
  {
    what: 'a token',
    tab: '/tokens',
    enter: [['Name', LONG.token]],
    press: 'Create token',
    until: '.secret #token',
  },
  {
    what: 'a refused form',
    tab: '/tokens',
    enter: [['Name', '']],
    press: 'Create token',
    until: '.focused [role=alert]',
  },
  { what: 'a question', tab: '', press: 'Remove listing…', until: '.confirm-body' },
  { what: 'an invitation', tab: '/people', press: 'Invite manager', until: '.secret #invitation' },
  {
    ...{ what: 'a secret', tab: '/webhook', choose: 'Create new' },
    ...{ press: 'Save', until: '.secret #made-secret' },
  },
  {
    ...{ what: 'an outcome', tab: '/webhook' },
    ...{ press: 'Send test event', until: '.alert-title:text-matches("[0-9] ms")' },
  },
];

test('every result of a form also fits the screen, has named controls and causes no browser errors', {
  timeout: 60_000,
}, async () => {
  const loop = await runningLoop();
  const page = await newPage();
  const complaints = complaintsOf(page);
  await signIn(page, loop, OWNER);
  const found: Record<string, string[]> = {};
  for (const { what, tab, enter = [], choose, press, until } of MOMENTS) {
    await page.goto(loop.dashboard + tab);
    for (const [label, text] of enter) await page.getByLabel(label).fill(text);
    if (choose !== undefined) await page.getByLabel(choose).check();
    expect(await page.locator(until).first().isVisible(), what).toBe(false);
    const button = page.getByRole('button', { name: press, exact: true });
    await button.or(page.locator('summary', { hasText: press })).click();
    await page.locator(until).first().waitFor();
    const faults = [...(await faultsOf(page)), ...complaints.splice(0)];
    if (faults.length > 0) found[what] = faults;
  }
  expect(found).toEqual({});
});

/** What axe-core finds once in each scheme. */
const AXE_FAULTS = [expect.stringMatching(/^document-title: /), 'label: <input>'];

test('the checks above find the faults of a faulty page', async () => {
  const loop = await runningLoop();
  const page = await newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${loop.url}/sign-in`);
  expect(await faultsOf(page)).toEqual([]);
  await page.evaluate(`
    const faulty = '<h1>x</h1><input><p id="name" style="color: red">x</p><div id="wide">x</div>';
    const unreached = '<button class="button" tabindex="-1">x</button><button class="button" id="hidden">x</button>';
    document.querySelector('main').insertAdjacentHTML('beforeend', faulty + unreached);
    document.querySelector('#hidden').style.outline = 'none';
    document.querySelector('#wide').style.cssText = 'position: absolute; left: 0; width: 800px';
    document.title = '';
  `);
  expect(await faultsOf(page)).toEqual([
    ...['a textbox without a name', 'no title', 'id name twice', '2 h1', ...AXE_FAULTS],
    ...['410px too wide of 390, light', '21px high: <input>', ...AXE_FAULTS, '410px too wide of 390, dark'],
  ]);
  expect(await keyboardFaults(page)).toEqual([
    'not reached: <button class="button" tabindex="-1">x</button>',
    'focus not visible: <button class="button" id="hidden" style="outline: none;">x</button>',
  ]);
  expect(complaints).toEqual([expect.stringContaining("directive 'style-src 'self''")]);
});
