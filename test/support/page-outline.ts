import type { Page } from 'playwright-core';

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
const CONTROLS = `[...document.querySelectorAll(
  'a[href], button, input:not([type=hidden], [type=radio]), select, textarea, summary, [tabindex="0"]')]
  .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.disabled)`;

/** A field for a day has four: day, month, year and calendar. */
const STOPS = `${CONTROLS}.length + 3 * document.querySelectorAll('[type=date]').length +
  new Set([...document.querySelectorAll('[type=radio]')].map(({ name }) => name)).size`;

const FAULTS = `[...${CONTROLS}.map(described).filter((control) => !focusWalk.reached.includes(control))
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
