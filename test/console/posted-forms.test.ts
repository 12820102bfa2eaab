import { expect, test } from 'vitest';
import { writeConfig } from '../support/config-folder.ts';
import { answerOf, opened, postedForms } from '../support/posted-forms.ts';
import { openConsole } from './now/open-console.ts';

interface Refused {
  readonly page: string;
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What the answer has of it. */
  readonly typed: readonly string[];
  /** What else the config has. */
  readonly config?: object;
}

const SERVER = { name: 'main', host: 'typed.example', port: '99', replaces: 'main' };

/** Every form into which something can be typed, and those that write what was typed before. */
const FORMS: readonly Refused[] = [
  { page: '/now/site', fields: { service: '', url: 'no page' }, typed: ['value="no page"'] },
  {
    ...{ page: '/now/site', action: '/now/site/write' },
    ...{ fields: { service: 'Typed', url: '' }, typed: ['value="Typed"'] },
  },
  {
    page: '/now/game-server',
    fields: { ...SERVER, name: 'no name' },
    typed: ['value="no name"', 'value="typed.example"', 'value="99"'],
  },
  {
    ...{ page: '/now/game-server', action: '/now/game-server/write' },
    ...{ fields: { ...SERVER, plan: 'gone' }, typed: ['value="typed.example"', 'value="99"'] },
  },
  {
    page: '/test',
    action: '/test/votes',
    fields: { player: 'Typed', service: '', version: 'v1' },
    typed: ['value="Typed"', 'value="v1" checked'],
  },
  {
    page: '/test',
    action: '/test/votes',
    fields: { player: 'Typed', service: 'Bare', version: 'v2' },
    typed: ['value="Typed"', 'value="Bare"'],
    config: { sites: { default: {} } },
  },
  {
    ...{ page: '/test', action: '/test/practice' },
    ...{ fields: { world: 'main', joining: 'no name', move: 'join' }, typed: ['value="no name"'] },
  },
];

test.each(FORMS)(
  'a refused form of $page ($fields) is shown with what was typed, also when it is reloaded, and is refreshed',
  async ({ typed, config, ...form }) => {
    const { browser } = await openConsole(config);
    const { shown, reloaded, refreshed } = await answerOf(browser, form);
    expect([409, 422]).toContain(shown.status);
    expect(reloaded.status).toBe(shown.status);
    for (const { text } of [shown, reloaded]) for (const part of typed) expect(text).toContain(part);
    expect([refreshed.status, refreshed.to]).toEqual([200, null]);
  },
);

test('no form into which something can be typed is missing above, and the address of each form leads to a page', async () => {
  const { browser } = await openConsole();
  const forms = await postedForms(browser, ['/', '/test', '/now/site', '/now/game-server', '/grants']);
  const typed = forms.filter(({ isTyped }) => isTyped).map(({ action }) => action);
  const known = FORMS.map(({ page, action = page }) => action);
  expect(typed.filter((action) => !known.includes(action))).toEqual([]);
  for (const { action } of forms)
    expect([action, (await opened(browser, action)).status]).toEqual([action, 200]);
});

test('a game server that is not written because the config file has other changes does not have to be entered again', async () => {
  const one = await openConsole();
  writeConfig(one.config, { rewards: [] });
  const form = { page: '/now/game-server', fields: { ...SERVER, password: 'secret of the form' } };
  const { shown } = await answerOf(one.browser, form);
  expect([shown.status, shown.text.includes('value="typed.example"')]).toEqual([409, true]);
  expect(shown.text).not.toContain('secret of the form');
});
