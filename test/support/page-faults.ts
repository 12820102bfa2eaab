import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { complaintsOf } from './browser.ts';

const PHONE = 390;
const WIDTHS = [1280, PHONE];
const SCHEMES = ['light', 'dark'] as const;
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

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The violations that axe-core finds, each with its element. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`;

/** Returns everything that is wrong with the open page. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const faults = await namelessControls(page);
  if ((await page.title()).trim() === '') faults.push('no title');
  for (const id of await page.evaluate<string[]>(REPEATED_IDS)) faults.push(`id ${id} twice`);
  const headings = await page.getByRole('heading', { level: 1 }).count();
  if (headings !== 1) faults.push(`${headings} h1`);
  for (const colorScheme of SCHEMES)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      faults.push(...(await layoutFaults(page, width, colorScheme)));
    }
  return faults;
}

/** axe examines each width and each scheme once, because it takes longer than all other checks together. */
async function layoutFaults(page: Page, width: number, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const isPhone = width === PHONE;
  const isExamined = isPhone === (colorScheme === 'dark');
  const overflow = await page.evaluate<string>(OVERFLOW);
  return [
    ...(isExamined ? await page.evaluate<string[]>(VIOLATIONS) : []),
    ...(overflow.startsWith('0px') ? [] : [`${overflow}, ${colorScheme}`]),
    ...(isPhone && colorScheme === 'light' ? await page.evaluate<string[]>(SMALL_TARGETS) : []),
  ];
}

/** Opens these pages one after another, and returns what is wrong, by page. */
export async function sweep(
  page: Page,
  url: string,
  paths: readonly string[],
): Promise<Record<string, string[]>> {
  const complaints = complaintsOf(page);
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(url + path, { waitUntil: 'load' });
    const faults = [...(await faultsOf(page)), ...complaints.splice(0)];
    if (faults.length > 0) found[path] = faults;
  }
  return found;
}
