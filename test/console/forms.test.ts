import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { type Form, formsOf, linksOf, operator, page } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { outsideRegions } from '../support/outside-regions.ts';

interface Refused {
  readonly page: string;
  /** Where it is sent, if not to its page. */
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What the answer has of it. */
  readonly typed: readonly string[];
  /** What else the config has. */
  readonly config?: object;
}

const SERVER = { name: 'main', host: 'typed.example', port: '99', replaces: 'main' };
const VOTES = { page: '/test', action: '/test/votes' };

/** Every form into which something can be typed, and those that write what was typed before. */
const FORMS: readonly Refused[] = [
  { page: '/now/site', fields: { service: '', url: 'no page' }, typed: ['value="no page"'] },
  {
    ...{ page: '/now/site', action: '/now/site/write' },
    ...{ fields: { service: 'Typed', url: '' }, typed: ['value="Typed"'] },
  },
  {
    ...{ page: '/now/game-server', fields: { ...SERVER, name: 'no name' } },
    typed: ['value="no name"', 'value="typed.example"', 'value="99"'],
  },
  {
    ...{ page: '/now/game-server', action: '/now/game-server/write', fields: { ...SERVER, plan: 'gone' } },
    typed: ['value="typed.example"', 'value="99"'],
  },
  {
    ...{ ...VOTES, fields: { player: 'Typed', service: '', version: 'v1' } },
    typed: ['value="Typed"', 'value="v1" checked'],
  },
  {
    ...{ ...VOTES, fields: { player: 'Typed', service: 'Bare', version: 'v2' } },
    ...{ typed: ['value="Typed"', 'value="Bare"'], config: { sites: { default: {} } } },
  },
  {
    ...{ page: '/test', action: '/test/practice', typed: ['value="no name"'] },
    fields: { world: 'main', joining: 'no name', move: 'join' },
  },
];

test.each(FORMS)(
  'a refused form of $page ($fields) is shown with what was typed, also when it is reloaded, and is refreshed',
  async ({ page: path, action = path, fields, typed, config }) => {
    const reader = await operator(await here(config));
    await reader.get(path);
    const shown = await reader.post(action, fields);
    const status = (await reader.get(shown.at)).status;
    expect([409, 422]).toContain(status);
    for (const part of typed) {
      expect(shown.html).toContain(part);
      expect((await reader.open(shown.at)).html).toContain(part);
    }
    const refreshed = await reader.get(shown.at, { 'x-refresh': '1' });
    expect([refreshed.status, refreshed.to]).toEqual([200, null]);
  },
);

/** The forms of all pages that links lead to. */
async function postedForms(teller: Here): Promise<readonly Form[]> {
  const open = ['/', '/test', '/now/site', '/now/game-server', '/grants'];
  const seen = new Set(open);
  const forms: Form[] = [];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const shown = await page(teller, path);
    forms.push(...formsOf(shown).filter(({ method }) => method === 'post'));
    for (const href of linksOf(shown).map((link) => link.replace(/[?#].*/, ''))) {
      if (!seen.has(href)) open.push(href);
      seen.add(href);
    }
  }
  return forms;
}

test('no form into which something can be typed is missing above, and the address of each form leads to a page', async () => {
  const teller = await here();
  const forms = await postedForms(teller);
  const known = FORMS.map(({ page: path, action = path }) => action);
  const typed = new Set(forms.filter(({ isTyped }) => isTyped).map(({ action }) => action));
  expect([...typed].filter((action) => !known.includes(action))).toEqual([]);
  expect(typed.size).toBe(4);
  for (const action of new Set(forms.map((form) => form.action)))
    expect((await page(teller, action)).text).not.toContain('Page not found');
});

const PATHS = ['/', '/votes', '/votes/1', '/players/Steve', '/grants', '/grants/1', '/figures', '/rewards'];

test('what an open page does not refresh stays true: a vote comes, a grant is cancelled, the config changes', async () => {
  const broken = { name: 'broken', when: 'always', commands: ['giv {player} diamond'] };
  const teller = await here({ rewards: [broken], sites: { default: { token: TOKEN } } });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  const kept = async (): Promise<Record<string, string>> => {
    const pages: Record<string, string> = {};
    for (const path of PATHS) pages[path] = outsideRegions((await page(teller, path)).html);
    return pages;
  };
  const before = await kept();
  await teller.vote({ player: 'Steve', site: 'Another-List' });
  expect(await kept()).toEqual(before);
  await teller.run('grants', 'cancel', '1', '--yes');
  expect(await kept()).toEqual(before);
  await teller.reload({ pay: { mode: 'shadow' }, sites: { default: { token: TOKEN }, 'Another-List': {} } });
  expect(await kept()).toEqual(before);
});
