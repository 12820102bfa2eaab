import { describe, expect, test } from 'vitest';
import { ear } from '../../support/ear.ts';
import { wholeSite } from '../../support/whole-site.ts';
import type { Kind } from './browser.ts';

async function overviewOf(kind: Kind) {
  const site = await wholeSite();
  const owner = await site.person();
  const listing = await owner.list(kind);
  return { site, owner, listing, open: () => owner.open(listing.dashboard) };
}

describe('the overview', () => {
  test('calls voters by their names, with the player they voted for last', async () => {
    const { site, listing, open } = await overviewOf('minecraft');
    const vera = await site.person('vera');
    await vera.voteOn(listing, 'Steve');
    site.clock.jump(86_400_000);
    await vera.voteOn(listing, 'Alex');
    await (await site.person('viktor')).voteOn(listing);
    const { rows, text } = await open();
    expect(rows).toEqual([
      { Voter: 'vera', 'Last player': 'Alex', Votes: '2' },
      { Voter: 'viktor', 'Last player': 'none', Votes: '1' },
    ]);
    expect(text).not.toContain(vera.userId);
  });

  test('shows a Minecraft listing’s vote listener first: where votes go, and what became of them', async () => {
    const listener = await ear();
    const { site, owner, listing, open } = await overviewOf('minecraft');
    expect((await open()).text).toMatch(/No vote listener yet.*No webhook yet/);
    await owner.saveListener(listing, { port: String(listener.port) });
    await site.vote(listing, 'Steve');
    await site.quiet();
    await owner.saveListener(listing, { port: '1' });
    await site.vote(listing, 'Alex');
    await site.quiet();
    const { text, badges } = await open();
    expect(text).toMatch(/Vote listener.*Accepted 1 Failed 1 Address 127\.0\.0\.1:1 Authentication Token/);
    expect(badges).toContain('Some failed');
    const { listener: values } = await owner.values(listing.dashboard);
    expect(values).toMatchObject({ settings: { port: 1 }, day: { accepted: 1, sent: 0, failed: 1 } });
    site.clock.jump(86_400_000);
    expect((await open()).text).toContain('Accepted 0 Failed 0');
  });

  test('has no vote listener on other listings', async () => {
    const { open, owner, listing } = await overviewOf('fivem');
    expect((await open()).text).not.toContain('listener');
    expect((await owner.values(listing.dashboard)).listener).toBeNull();
  });

  test('says that there are no votes instead of drawing an empty chart, and gives no figure as a limit', async () => {
    const { site, listing, open } = await overviewOf('minecraft');
    expect((await open()).text).toContain('No votes in 30 days.');
    await site.vote(listing, 'Steve');
    const { text } = await open();
    expect(text).toContain('1 vote, busiest on 1 Jun with 1');
    expect(text).not.toContain('at most');
  });
});

describe('the details of a listing', () => {
  test('stand on its public page, where everyone sees where to join', async () => {
    const { site, owner, listing } = await overviewOf('minecraft');
    const at = `${listing.dashboard}/details`;
    const before = await site.visitor().open(listing.page);
    expect(before.text).not.toContain('About');
    const fields = { address: 'play.example:25566', description: 'First <b>line</b>\r\nsecond\r\n\r\nNext.' };
    expect((await owner.press(at, at, fields)).said).toMatch(/^Saved/);
    const { text, html, code } = await site.visitor().open(listing.page);
    expect(code('address')).toBe('play.example:25566');
    expect(text).toContain('First <b>line</b> second Next.');
    expect(html.match(/<p class="lines">/g)).toHaveLength(2);
    expect((await owner.open(at)).form(at)!.fields.address).toEqual(['play.example:25566']);
    expect((await owner.values(listing.page)).listing).toMatchObject({ address: 'play.example:25566' });
  });

  test('are changed by those who manage it, and by nobody else', async () => {
    const { site, listing } = await overviewOf('minecraft');
    const stranger = await site.person();
    await stranger.open('/');
    const shown = await stranger.post(`${listing.dashboard}/details`, { address: 'evil.example' });
    expect(shown.status).toBe(403);
    expect((await site.visitor().open(listing.page)).text).not.toContain('evil');
  });
});

test('a refused page keeps the navigation and who is signed in', async () => {
  const { site, owner, listing } = await overviewOf('minecraft');
  const stranger = await site.person('stranger');
  for (const [person, path, status] of [
    [owner, '/nowhere', 404],
    [owner, `${listing.dashboard}/deliveries/none`, 404],
    [stranger, listing.dashboard, 403],
  ] as const) {
    const shown = await person.open(path);
    expect(shown.status).toBe(status);
    expect(shown.html).toContain('href="/dashboard">My listings</a>');
    expect(shown.html).toContain(`>${person.name}</a>`);
  }
  expect((await site.visitor().open('/nowhere')).html).toContain('href="/sign-in">Sign in</a>');
});
