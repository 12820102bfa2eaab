import { expect, test } from 'vitest';
import { type WholeSite, wholeSite } from '../../support/whole-site.ts';
import type { Listed, Person } from './browser.ts';

interface Refusing {
  readonly at: (listing: Listed) => string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** In the order in which the summary names them. */
  readonly faulty: readonly string[];
}

const FORMS: Readonly<Record<string, Refusing>> = {
  webhook: {
    at: ({ dashboard }) => `${dashboard}/webhook`,
    ...{ fields: { url: 'nowhere', secret: 'own', ownSecret: '' }, faulty: ['url', 'ownSecret'] },
  },
  listener: {
    at: ({ dashboard }) => `${dashboard}/listener`,
    ...{ fields: { host: '', method: 'token', credential: '' }, faulty: ['host', 'credential'] },
  },
  tokens: {
    at: ({ dashboard }) => `${dashboard}/tokens`,
    ...{ fields: { name: '', scopes: [] }, faulty: ['name', 'scopes'] },
  },
  'new listing': {
    at: () => '/new-listing',
    ...{ fields: { name: '', kind: 'none' }, faulty: ['name', 'kind'] },
  },
};

async function listed(): Promise<{ site: WholeSite; owner: Person; listing: Listed }> {
  const site = await wholeSite();
  const owner = await site.person();
  return { site, owner, listing: await owner.list() };
}

test.each(Object.entries(FORMS))(
  'a refused %s form starts with an error summary that has the focus and links to each field',
  async (_name, { at, fields, faulty }) => {
    const { owner, listing } = await listed();
    await owner.open(at(listing));
    const shown = await owner.post(at(listing), fields);
    expect(shown.status).toBe(422);
    expect(shown.tab).toMatch(/^Error: /);
    expect(shown.alerts[0]).toMatchObject({ tone: 'bad', role: 'alert' });
    const [summary, ...others] = [
      ...shown.html.matchAll(/tabindex="-1" autofocus>([\s\S]*?)<\/ul>/g),
    ] as const;
    expect(others).toEqual([]);
    const links = [...summary![1]!.matchAll(/href="#(\w+)"/g)].map(([, name]) => name);
    expect(links).toEqual(faulty);
    expect(Object.keys(shown.faults).sort()).toEqual([...faulty].sort());
    for (const name of faulty) {
      expect(shown.html).toMatch(new RegExp(`<(input|textarea)[^>]* id="${name}"`));
      expect(shown.html).toMatch(new RegExp(`aria-describedby="[^"]*\\b${name}-fault\\b`));
    }
  },
);

test('a form that is shown for the first time has no error summary, and no “Error” in its title', async () => {
  const { owner, listing } = await listed();
  for (const path of [`${listing.dashboard}/webhook`, '/new-listing', '/sign-in']) {
    const shown = await owner.open(path);
    expect([shown.tab.startsWith('Error'), shown.html.includes('autofocus')]).toEqual([false, false]);
  }
});

test('a wrong password and a failed action also get the focus and an “Error” title', async () => {
  const { site, owner, listing } = await listed();
  const fields = { name: 'nobody', password: 'nothing' };
  const wrong = await site.visitor().press('/sign-in', '/sign-in', fields);
  expect([wrong.tab, wrong.tone]).toEqual([expect.stringMatching(/^Error: /), 'bad']);
  expect(wrong.html).toContain('tabindex="-1" autofocus');

  await owner.saveListener(listing, { port: '1' });
  const at = `${listing.dashboard}/listener`;
  const failed = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expect([failed.tab, failed.alerts[0]!.tone]).toEqual([expect.stringMatching(/^Error: /), 'bad']);
  expect(failed.html).toContain('tabindex="-1" autofocus');
});
