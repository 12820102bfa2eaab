import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile, complaintsOf, signIn } from '../support/browser.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { BUTTONS, FIELDS } from '../support/labels.ts';
import { OWNER, type RunningLoop, runningLoop } from '../support/loop.ts';
import { sink } from '../support/sink.ts';

const newPage = browserOfFile();

const PHONE = 390;
const WIDTHS = [1280, PHONE];
const SCHEMES = ['light', 'dark'] as const;
/** The longest possible names, without a place to break the line. */
const LONG = { listing: 'W'.repeat(80), token: 'M'.repeat(64), player: 'W'.repeat(16) };

/** The accessibility roles of controls. */
const CONTROLS = new Set(
  'button checkbox combobox DisclosureTriangle link listbox radio searchbox spinbutton switch textbox'.split(
    ' ',
  ),
);

/** Finds controls without an accessible name. */
async function namelessControls(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ ignored, role, name }) => !ignored && CONTROLS.has(role?.value) && !name?.value?.trim())
    .map(({ role }) => `a ${role?.value} without a name`);
}

const REPEATED_IDS =
  '[...document.querySelectorAll("[id]")].map(({ id }) => id).filter((id, at, all) => all.indexOf(id) < at)';

const OVERFLOW =
  'document.documentElement.scrollWidth - document.documentElement.clientWidth + "px too wide of " + innerWidth';

/** Finds targets that are too small for a finger: WCAG 2.5.5 for controls, 2.5.8 for links in a line of text. */
const SMALL_TARGETS = `(() => {
  const isInline = (link) => link.matches('a') && getComputedStyle(link).display === 'inline';
  const target = (control) =>
    control.matches('[type=radio], [type=checkbox]') ? control.labels[0] : control;
  return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')]
    .filter((control) => control.checkVisibility() && !control.matches('.skip'))
    .map((control) => [control, target(control).getBoundingClientRect().height])
    .filter(([control, height]) => Math.ceil(height) < (isInline(control) ? 24 : 44))
    .map(([control, height]) => Math.round(height) + 'px high: ' + control.outerHTML.slice(0, 60));
})()`;

/** Returns everything that is wrong with the open page. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults = await namelessControls(page);
  if ((await page.title()).trim() === '') faults.push('no title');
  for (const id of await page.evaluate<string[]>(REPEATED_IDS)) faults.push(`id ${id} twice`);
  const headings = await page.getByRole('heading', { level: 1 }).count();
  if (headings !== 1) faults.push(`${headings} h1`);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate<string>(OVERFLOW);
      if (!overflow.startsWith('0px')) faults.push(`${overflow}, ${colorScheme}`);
      if (width === PHONE && colorScheme === 'light')
        faults.push(...(await page.evaluate<string[]>(SMALL_TARGETS)));
    }
  }
  return faults;
}

/** Opens these pages one after another, and returns what is wrong, by page. */
async function sweep(page: Page, url: string, paths: readonly string[]): Promise<Record<string, string[]>> {
  const complaints = complaintsOf(page);
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(url + path, { waitUntil: 'load' });
    const faults = [...(await faultsOf(page)), ...complaints.splice(0)];
    if (faults.length > 0) found[path] = faults;
  }
  return found;
}

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

const TABS = [
  ...['', '/webhook', '/webhook/verify', '/deliveries', '/deliveries?state=undelivered'],
  ...['/deliveries/redeliver-all', '/listener', '/details'],
];

async function pagesOfListing(owner: FakeBrowser, at: string): Promise<string[]> {
  const ended = async () => (await values(owner, `${at}/deliveries`)).deliveries[0]?.httpStatus;
  await expect.poll(ended).toEqual(expect.any(Number));
  const { deliveryId } = (await values(owner, `${at}/deliveries`)).deliveries[0];
  return [...TABS, '/tokens', '/people', `/deliveries/${deliveryId}`].map((tab) => `${at}${tab}`);
}

test('every page fits the screen, has named controls, and causes no browser errors', {
  timeout: 90_000,
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
    enter: [[FIELDS.tokenName, LONG.token]],
    press: BUTTONS.createToken,
    until: '.secret #token',
  },
  {
    what: 'a refused form',
    tab: '/tokens',
    enter: [[FIELDS.tokenName, '']],
    press: BUTTONS.createToken,
    until: '.focused [role=alert]',
  },
  { what: 'a question', tab: '', press: BUTTONS.removeListing, until: '.confirm-body' },
  { what: 'an invitation', tab: '/people', press: BUTTONS.invite, until: '.secret #invitation' },
  {
    ...{ what: 'a secret', tab: '/webhook', choose: FIELDS.newSecret },
    ...{ press: BUTTONS.save, until: '.secret #made-secret' },
  },
  {
    ...{ what: 'an outcome', tab: '/webhook' },
    ...{ press: BUTTONS.sendTestEvent, until: '.alert-title:text-matches("[0-9] ms")' },
  },
  {
    what: 'a verdict',
    tab: '/webhook/verify',
    enter: [
      [FIELDS.verifiedBody, 'x'.repeat(500)],
      [FIELDS.verifiedSignature, 'x'.repeat(200)],
      [FIELDS.verifiedSecret, 'x'],
    ],
    press: BUTTONS.verify,
    until: '.alert',
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

test('the checks above find the faults of a faulty page', async () => {
  const loop = await runningLoop();
  const page = await newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${loop.url}/sign-in`);
  expect(await faultsOf(page)).toEqual([]);
  await page.evaluate(`
    const faulty = '<h1>x</h1><input><p id="name" style="color: red">x</p><div id="wide">x</div>';
    document.querySelector('main').insertAdjacentHTML('beforeend', faulty);
    document.querySelector('#wide').style.cssText = 'position: absolute; left: 0; width: 800px';
    document.title = '';
  `);
  expect(await faultsOf(page)).toEqual([
    ...['a textbox without a name', 'no title', 'id name twice', '2 h1'],
    ...['410px too wide of 390, light', '21px high: <input>', '410px too wide of 390, dark'],
  ]);
  expect(complaints).toEqual([expect.stringContaining("directive 'style-src 'self''")]);
});
