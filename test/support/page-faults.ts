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

/** What a reader can see and use: headings, tables, where forms and links lead, and the names of controls. */
const OUTLINE = `(() => {
  const words = (text) => (text ?? '').trim().replaceAll(/\\s+/g, ' ');
  const named = (part) => words(part.getAttribute('aria-label') ?? part.labels?.[0]?.textContent ?? part.textContent);
  const described = {
    H1: named, H2: named, H3: named, TABLE: named, SUMMARY: named, BUTTON: named,
    FORM: (form) => form.method + ' ' + form.action,
    A: (link) => link.href,
    INPUT: (input) => input.type === 'hidden' ? null : input.name + ' ' + named(input),
    SELECT: (select) => select.name + ' ' + named(select),
    TEXTAREA: (area) => area.name + ' ' + named(area),
  };
  return [...document.querySelectorAll(Object.keys(described).join(','))]
    .filter((part) => part.checkVisibility() && !part.matches('[data-copy]'))
    .map((part) => [part.tagName.toLowerCase(), described[part.tagName](part)].join(': '));
})()`;

/** The parts of the open page, in order, without the buttons that copy, which need a script. */
export const outlineOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(OUTLINE);

/** Collects what gets the focus, and what does not show that it has it. */
const WATCH_FOCUS = `
  const isMarked = (part) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  };
  window.described = (control) => control.outerHTML.slice(0, 100);
  window.focusWalk = { reached: [], unmarked: [] };
  document.addEventListener('focusin', ({ target }) => {
    focusWalk.reached.push(described(target));
    const places = [target, target.labels?.[0], target.closest('.column-body')];
    if (!places.some((part) => part && isMarked(part)))
      focusWalk.unmarked.push('focus not visible: ' + described(target));
  });`;

/** A group of radio buttons is one stop, and its arrow keys lead to the others. */
const FOCUSABLE = `[...document.querySelectorAll(
  'a[href], button, input:not([type=hidden], [type=radio]), select, textarea, summary, [tabindex="0"]')]
  .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.disabled)`;

/** A field for a day has four: day, month, year and calendar. */
const STOPS = `${FOCUSABLE}.length + 3 * document.querySelectorAll('[type=date]').length +
  new Set([...document.querySelectorAll('[type=radio]')].map(({ name }) => name)).size`;

const FAULTS = `[...${FOCUSABLE}.map(described).filter((control) => !focusWalk.reached.includes(control))
  .map((control) => 'not reached: ' + control), ...focusWalk.unmarked]`;

/**
 * Walks through the open page with the Tab key alone, and returns the controls that it does not reach, and those that do
 * not show that they have the focus.
 */
export async function keyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate(WATCH_FOCUS);
  const stops = await page.evaluate<number>(STOPS);
  for (let step = 0; step < stops; step += 1) await page.keyboard.press('Tab');
  return page.evaluate<string[]>(FAULTS);
}
