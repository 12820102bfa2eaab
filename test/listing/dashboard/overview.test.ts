import { describe, expect, test } from 'vitest';
import { fakeListener } from '../../support/fake-listener.ts';
import { wholeSite } from '../../support/whole-site.ts';
import type { Kind } from './browser.ts';

async function overviewOf(kind: Kind) {
  const site = await wholeSite();
  const owner = await site.person();
  const listing = await owner.list(kind);
  return { site, owner, listing, open: () => owner.open(listing.dashboard) };
}

describe('the overview', () => {
  test('lists voters by user ID, with the player they last voted for', async () => {
    const { site, listing, open } = await overviewOf('minecraft');
    const vera = await site.person('vera');
    await vera.voteOn(listing, 'Steve');
    site.clock.jump(86_400_000);
    await vera.voteOn(listing, 'Alex');
    const viktor = await site.person('viktor');
    await viktor.voteOn(listing);
    const { rows } = await open();
    expect(rows).toEqual([
      { Voter: vera.userId, 'Last player': 'Alex', Votes: '2' },
      { Voter: viktor.userId, 'Last player': 'none', Votes: '1' },
    ]);
  });

  test('shows the vote listener of a Minecraft listing first, with its address and outcomes', async () => {
    const listener = await fakeListener();
    const { site, owner, listing, open } = await overviewOf('minecraft');
    const order = async () =>
      [...(await open()).html.matchAll(/class="button[^"]*" href="[^"]*\/(listener|webhook)"/g)].map(
        ([, to]) => to,
      );
    expect(await order()).toEqual(['listener', 'webhook']);
    await owner.saveListener(listing, { port: String(listener.port) });
    await site.vote(listing, 'Steve');
    await site.quiet();
    await owner.saveListener(listing, { port: '1' });
    await site.vote(listing, 'Alex');
    await site.quiet();
    const { text, html, figures } = await open();
    expect(figures.slice(-2)).toEqual(['1', '1']);
    expect(text).toContain('127.0.0.1:1 ');
    expect(html).toMatch(/<span class="badge warn">/);
    const { listener: values } = await owner.values(listing.dashboard);
    expect(values).toMatchObject({ settings: { port: 1 }, day: { accepted: 1, sent: 0, failed: 1 } });
    site.clock.jump(86_400_000);
    expect((await open()).figures.slice(-2)).toEqual(['0', '0']);
  });

  test('has no vote listener on other listings', async () => {
    const { open, owner, listing } = await overviewOf('fivem');
    expect((await open()).html).not.toContain(`${listing.dashboard}/listener`);
    expect((await owner.values(listing.dashboard)).listener).toBeNull();
  });

  test('has a sentence instead of an empty chart', async () => {
    const { site, listing, open } = await overviewOf('minecraft');
    const chart = /role="radiogroup"/;
    expect((await open()).html).not.toMatch(chart);
    await site.vote(listing, 'Steve');
    const { text, html } = await open();
    expect(html).toMatch(chart);
    expect(text).toMatch(/\b1 vote\b.*\b1 Jun\b.*\b1\b/);
    expect(text).not.toContain('at most');
  });
});

test('a refused request still shows the navigation and who is signed in', async () => {
  const { site, owner, listing } = await overviewOf('minecraft');
  const stranger = await site.person('stranger');
  for (const [person, path, status] of [
    [owner, '/nowhere', 404],
    [owner, `${listing.dashboard}/deliveries/none`, 404],
    [stranger, listing.dashboard, 403],
  ] as const) {
    const shown = await person.open(path);
    expect(shown.status).toBe(status);
    expect(shown.html).toMatch(/<nav[\s\S]*href="\/dashboard">/);
    expect(shown.html).toContain(`>${person.name}</a>`);
  }
  expect((await site.visitor().open('/nowhere')).html).toContain('href="/sign-in">');
});
