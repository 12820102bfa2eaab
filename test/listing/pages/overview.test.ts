/** A listing's overview, and the frame of every page. */
import { expect, test } from 'vitest';
import { DAY, listing } from '../../kit/listing.ts';

async function overview() {
  const site = await listing();
  const { listed, owner } = await site.owned();
  return { site, owner, listed, open: () => owner.open(listed.dashboard) };
}

test('the overview lists voters by user ID, with the player they last voted for', async () => {
  const { site, listed, open } = await overview();
  const [vera, viktor] = [await site.person('vera'), await site.person('viktor')];
  await site.cast(listed, 'Steve', vera);
  site.clock.jump(DAY);
  await site.cast(listed, 'Alex', vera);
  await site.cast(listed, null, viktor);
  expect((await open()).rows).toEqual([
    { Voter: vera.userId, 'Last player': 'Alex', Votes: '2' },
    { Voter: viktor.userId, 'Last player': 'none', Votes: '1' },
  ]);
});

test('the overview has a sentence instead of an empty chart', async () => {
  const { site, listed, open } = await overview();
  const chart = /role="radiogroup"/;
  expect((await open()).html).not.toMatch(chart);
  await site.cast(listed, 'Steve');
  const { text, html } = await open();
  expect(html).toMatch(chart);
  expect(text).toMatch(/\b1 vote\b.*\b1 Jun\b.*\b1\b/);
  expect(text).not.toContain('at most');
});

test('a refused request still shows the navigation and who is signed in', async () => {
  const { site, owner, listed } = await overview();
  const stranger = await site.person('stranger');
  for (const [person, path, status] of [
    [owner, '/nowhere', 404],
    [owner, `${listed.dashboard}/deliveries/none`, 404],
    [stranger, listed.dashboard, 403],
  ] as const) {
    const shown = await person.open(path);
    expect(shown.status).toBe(status);
    expect(shown.html).toMatch(/<nav[\s\S]*href="\/dashboard">/);
    expect(shown.html).toContain(`>${person.name}</a>`);
  }
  expect((await site.visitor().open('/nowhere')).html).toContain('href="/sign-in">');
});
