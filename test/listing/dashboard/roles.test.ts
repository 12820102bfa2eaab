import { describe, expect, test } from 'vitest';
import { fakeListener } from '../../support/fake-listener.ts';
import { hookedSite } from './hooked-site.ts';

const SECTIONS = ['', '/webhook', '/deliveries', '/deliveries/undelivered'];
const ALL_SECTIONS = [...SECTIONS, '/listener', '/tokens', '/people'];

/** The paths of all forms of a listing's dashboard. */
const POSTS = [
  ...['/webhook', '/webhook/test', '/deliveries/redeliver'],
  ...['/listener', '/listener/test', '/listener/remove', '/tokens', '/tokens/rotate', '/tokens/revoke'],
  ...['/people/invite', '/people/remove', '/remove'],
];

async function managedSite() {
  const hooked = await hookedSite();
  const manager = await hooked.site.person();
  await hooked.owner.invite(hooked.listing, manager);
  return { ...hooked, manager };
}

describe('a manager', () => {
  test('sees every page of the listing, and sets up and tests its webhook', async () => {
    const { manager, listing, receiver, webhook } = await managedSite();
    for (const section of ALL_SECTIONS)
      expect([section, (await manager.open(listing.dashboard + section)).status]).toEqual([section, 200]);
    const fields = { secret: 'own', ownSecret: 'shared' };
    expect((await manager.saveWebhook(listing, `${receiver.url}/managed`, fields)).tone).toBe('good');
    await manager.press(webhook, `${webhook}/test`);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook/managed']);
  });

  test('redelivers events, and creates, rotates and revokes tokens', async () => {
    const { site, manager, listing, receiver, votes, redeliver } = await managedSite();
    await votes(1, 404, 204);
    expect((await redeliver(manager)).tone).toBe('good');
    expect(receiver.requests).toHaveLength(2);
    const token = await manager.token(listing, 'votes:read');
    const at = `${listing.dashboard}/tokens`;
    const rotated = (await manager.press(at, `${at}/rotate`)).code('token')!;
    const status = async (of: string) => (await site.api.get('/webhooks/stats', { token: of })).status;
    expect([await status(token), await status(rotated)]).toEqual([401, 200]);
    await manager.press(at, `${at}/revoke`);
    expect(await status(rotated)).toBe(401);
  });

  test('saves, tests and removes the vote listener', async () => {
    const listener = await fakeListener();
    const { site, manager, listing } = await managedSite();
    const at = `${listing.dashboard}/listener`;
    await manager.saveListener(listing, { port: String(listener.port) });
    expect((await manager.press(at, `${at}/test`, { player: 'Steve' })).tone).toBe('good');
    await manager.press(at, `${at}/remove`);
    await site.vote(listing, 'Steve');
    await site.quiet();
    expect(listener.connections).toBe(1);
  });

  test('cannot invite or remove people or remove the listing, by button or forged POST', async () => {
    const { site, owner, manager, listing } = await managedSite();
    const other = await site.person();
    await owner.invite(listing, other);
    const people = `${listing.dashboard}/people`;
    const members = async () => (await owner.values(people)).members.length;
    expect(await members()).toBe(3);
    const [{ account }] = (await owner.values(people)).members.filter(
      (member: { account: { name: string } }) => member.account.name === other.name,
    );
    const shown = [await manager.open(people), await manager.open(listing.dashboard)];
    for (const forbidden of [`${people}/invite`, `${people}/remove`, `${listing.dashboard}/remove`]) {
      expect(shown.map((page) => page.form(forbidden))).toEqual([null, null]);
      const answer = await manager.post(forbidden, { account: account.id });
      expect([forbidden, answer.status, answer.code('invitation')]).toEqual([forbidden, 403, null]);
    }
    expect(await members()).toBe(3);
    expect((await owner.open(listing.dashboard)).status).toBe(200);
  });

  test('loses access to every page as soon as they are removed', async () => {
    const { owner, manager, listing } = await managedSite();
    expect((await manager.open(listing.dashboard)).status).toBe(200);
    await owner.press(`${listing.dashboard}/people`, `${listing.dashboard}/people/remove`);
    for (const section of ALL_SECTIONS)
      expect([section, (await manager.open(listing.dashboard + section)).status]).toEqual([section, 403]);
    expect(
      (await manager.post(`${listing.dashboard}/tokens`, { name: 'a', scopes: 'votes:read' })).status,
    ).toBe(403);
  });

  test('is added by an invitation, which works once', async () => {
    const { site, owner, listing } = await managedSite();
    const [first, second] = [await site.person(), await site.person()];
    const people = `${listing.dashboard}/people`;
    const invitation = await owner.press(people, `${people}/invite`);
    const { pathname } = new URL(invitation.code('invitation')!);
    expect((await first.press(pathname)).path).toBe(listing.dashboard);
    expect((await second.post(pathname)).status).toBe(410);
    expect((await second.open(listing.dashboard)).status).toBe(403);
    expect((await owner.open(people)).html).not.toContain(pathname);
  });
});

describe('the owner', () => {
  test('can remove the listing: its pages are gone, nothing is sent, and its token gets NOT_FOUND', async () => {
    const { site, owner, listing, receiver } = await managedSite();
    const token = await owner.token(listing, 'votes:read');
    const voter = await site.person();
    await voter.open(listing.page);
    expect((await owner.press(listing.dashboard, `${listing.dashboard}/remove`)).path).toBe('/dashboard');
    expect((await voter.post(`${listing.page}/vote`)).status).toBe(404);
    await site.quiet();
    expect(receiver.requests).toHaveLength(0);
    expect((await owner.open(listing.dashboard)).status).toBe(404);
    expect((await site.visitor().open(listing.page)).status).toBe(404);
    expect((await site.visitor().values('/')).listings).toEqual([]);
    expect((await site.api.get('/webhooks/stats', { token })).code).toBe('NOT_FOUND');
  });

  test('cannot be removed as a manager, not even by a forged POST', async () => {
    const { owner, listing } = await managedSite();
    const people = `${listing.dashboard}/people`;
    const [first] = (await owner.values(people)).members;
    expect(first.role).toBe('owner');
    await owner.open(people);
    const answer = await owner.answer(`${people}/remove`, { account: first.account.id });
    expect(answer.code).toBe('no-manager');
    expect((await owner.open(listing.dashboard)).status).toBe(200);
  });
});

describe('everyone else', () => {
  test('a stranger gets 403 from every page and form of a listing', async () => {
    const { site, listing } = await managedSite();
    const stranger = await site.person();
    for (const section of ALL_SECTIONS)
      expect([section, (await stranger.open(listing.dashboard + section)).status]).toEqual([section, 403]);
    for (const path of POSTS)
      expect([path, (await stranger.post(listing.dashboard + path)).status]).toEqual([path, 403]);
  });

  test('a signed-out visitor is redirected to sign in by every page and form', async () => {
    const { site, owner, listing, webhook, receiver } = await managedSite();
    const visitor = site.visitor();
    for (const section of ALL_SECTIONS)
      expect((await visitor.open(listing.dashboard + section)).path).toMatch(/^\/sign-in\?next=/);
    await visitor.open('/sign-in');
    for (const path of POSTS)
      expect([path, (await visitor.post(listing.dashboard + path)).path]).toEqual([path, '/sign-in']);
    expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
    expect(receiver.requests).toHaveLength(0);
  });

  test('a listing that does not exist is answered 404, or with the sign-in page for signed-out visitors', async () => {
    const { site, owner } = await managedSite();
    expect((await owner.open('/dashboard/nothing')).status).toBe(404);
    expect((await site.visitor().open('/dashboard/nothing')).path).toMatch(/^\/sign-in/);
  });
});
