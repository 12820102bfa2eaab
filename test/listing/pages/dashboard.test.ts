/** A listing's dashboard: its overview, the frame of every page, and what the owner, managers and others may do there. */
import { expect, test } from 'vitest';
import { fakeListener } from '../../kit/listener.ts';
import { DAY, listing } from '../../kit/listing.ts';
import { hooked } from '../../kit/listing-webhook.ts';

const SECTIONS = ['', '/webhook', '/deliveries', '/deliveries/undelivered'];
const ALL_SECTIONS = [...SECTIONS, '/listener', '/tokens', '/people'];

/** The paths of all forms of a listing's dashboard. */
const POSTS = [
  ...['/webhook', '/webhook/test', '/deliveries/redeliver'],
  ...['/listener', '/listener/test', '/listener/remove', '/tokens', '/tokens/rotate', '/tokens/revoke'],
  ...['/people/invite', '/people/remove', '/remove'],
];

async function managed() {
  const scene = await hooked();
  const manager = await scene.site.person();
  await scene.owner.invite(scene.listed, manager);
  return { ...scene, manager };
}

test('a manager sees every page of the listing, sets up its webhook and its vote listener, redelivers events, and creates, rotates and revokes tokens', async () => {
  const listener = await fakeListener();
  const { site, manager, listed, receiver, webhook, votes, deliveries } = await managed();
  for (const section of ALL_SECTIONS)
    expect([section, (await manager.open(listed.dashboard + section)).status]).toEqual([section, 200]);

  const fields = { secret: 'own', ownSecret: 'shared' };
  expect((await manager.saveWebhook(listed, `${receiver.url}/managed`, fields)).tone).toBe('good');
  await manager.press(webhook, `${webhook}/test`);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook/managed']);
  await votes(1, 404, 204);
  expect((await manager.press(deliveries, `${deliveries}/redeliver`)).tone).toBe('good');
  expect(receiver.requests).toHaveLength(3);

  const tokens = `${listed.dashboard}/tokens`;
  const token = await manager.token(listed, 'votes:read');
  const rotated = (await manager.press(tokens, `${tokens}/rotate`)).code('token')!;
  const status = async (of: string) => (await site.api.get('/webhooks/stats', { token: of })).status;
  expect([await status(token), await status(rotated)]).toEqual([401, 200]);
  await manager.press(tokens, `${tokens}/revoke`);
  expect(await status(rotated)).toBe(401);

  const settings = `${listed.dashboard}/listener`;
  await manager.saveListener(listed, { port: String(listener.port) });
  expect((await manager.press(settings, `${settings}/test`, { player: 'Steve' })).tone).toBe('good');
  await manager.press(settings, `${settings}/remove`);
  await site.cast(listed, 'Steve');
  await site.quiet();
  expect(listener.connections).toBe(1);
});

test('a manager cannot invite or remove people or remove the listing, by button or forged POST, and loses access to every page as soon as they are removed', async () => {
  const { site, owner, manager, listed } = await managed();
  const other = await site.person();
  await owner.invite(listed, other);
  const people = `${listed.dashboard}/people`;
  const members = async (): Promise<readonly { account: { id: string; name: string } }[]> =>
    (await owner.values(people)).members;
  const accounts = new Map((await members()).map(({ account: { id, name } }) => [name, id]));
  expect(accounts.size).toBe(3);
  const shown = [await manager.open(people), await manager.open(listed.dashboard)];
  for (const forbidden of [`${people}/invite`, `${people}/remove`, `${listed.dashboard}/remove`]) {
    expect(shown.map((page) => page.form(forbidden))).toEqual([null, null]);
    const answer = await manager.post(forbidden, { account: accounts.get(other.name)! });
    expect([forbidden, answer.status, answer.code('invitation')]).toEqual([forbidden, 403, null]);
  }
  expect(await members()).toHaveLength(3);
  expect((await owner.open(listed.dashboard)).status).toBe(200);
  await owner.post(`${people}/remove`, { account: accounts.get(manager.name)! });
  for (const section of ALL_SECTIONS)
    expect([section, (await manager.open(listed.dashboard + section)).status]).toEqual([section, 403]);
  const token = { name: 'a', scopes: 'votes:read' };
  expect((await manager.post(`${listed.dashboard}/tokens`, token)).status).toBe(403);
});

test('the owner cannot be removed as a manager, not even by a forged POST; they can remove the listing: its pages are gone, nothing is sent, and its token gets NOT_FOUND', async () => {
  const { site, owner, listed, receiver } = await managed();
  const people = `${listed.dashboard}/people`;
  const [first] = (await owner.values(people)).members;
  expect(first.role).toBe('owner');
  await owner.open(people);
  const refused = await owner.answer(`${people}/remove`, { account: first.account.id });
  expect(refused.code).toBe('no-manager');
  expect((await owner.open(listed.dashboard)).status).toBe(200);

  const token = await owner.token(listed, 'votes:read');
  const voter = await site.person();
  await voter.open(listed.page);
  expect((await owner.press(listed.dashboard, `${listed.dashboard}/remove`)).path).toBe('/dashboard');
  expect((await voter.post(`${listed.page}/vote`)).status).toBe(404);
  await site.quiet();
  expect(receiver.requests).toHaveLength(0);
  expect((await owner.open(listed.dashboard)).status).toBe(404);
  expect((await site.visitor().open(listed.page)).status).toBe(404);
  expect((await site.visitor().values('/')).listings).toEqual([]);
  expect((await site.api.get('/webhooks/stats', { token })).code).toBe('NOT_FOUND');
});

test('AU-14, RD-08, SV-09: every page and form of a listing refuses a stranger with 403, and leads a visitor to sign in; a bearer token opens no page', async () => {
  const { site, owner, listed, webhook, receiver } = await managed();
  const [stranger, visitor] = [await site.person(), site.visitor()];
  const headers = { authorization: `Bearer ${await site.token(listed)}`, accept: 'application/json' };
  for (const section of ALL_SECTIONS) {
    const at = listed.dashboard + section;
    expect([section, (await stranger.open(at)).status]).toEqual([section, 403]);
    expect((await visitor.open(at)).path).toMatch(/^\/sign-in\?next=/);
    const { status, text } = await site.visitor().visitor.get(at, headers);
    expect([section, status, JSON.parse(text).code]).toEqual([section, 403, 'signed-out']);
  }
  await visitor.open('/sign-in');
  for (const path of POSTS) {
    expect([path, (await stranger.post(listed.dashboard + path)).status]).toEqual([path, 403]);
    expect([path, (await visitor.post(listed.dashboard + path)).path]).toEqual([path, '/sign-in']);
  }
  expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
  expect(receiver.requests).toHaveLength(0);
});

async function overview() {
  const site = await listing();
  const { listed, owner } = await site.owned();
  return { site, owner, listed, open: () => owner.open(listed.dashboard) };
}

test('the overview lists voters by user ID, with the player they last voted for, and has a sentence instead of an empty chart', async () => {
  const { site, listed, open } = await overview();
  const chart = /role="radiogroup"/;
  expect((await open()).html).not.toMatch(chart);
  const [vera, viktor] = [await site.person('vera'), await site.person('viktor')];
  await site.cast(listed, 'Steve', vera);
  const { text, html } = await open();
  expect(html).toMatch(chart);
  expect(text).toMatch(/\b1 vote\b.*\b1 Jun\b.*\b1\b/);
  expect(text).not.toContain('at most');
  site.clock.jump(DAY);
  await site.cast(listed, 'Alex', vera);
  await site.cast(listed, null, viktor);
  expect((await open()).rows).toEqual([
    { Voter: vera.userId, 'Last player': 'Alex', Votes: '2' },
    { Voter: viktor.userId, 'Last player': 'none', Votes: '1' },
  ]);
});

test('a refused request, as for a listing that does not exist, still shows the navigation and who is signed in', async () => {
  const { site, owner, listed } = await overview();
  const stranger = await site.person('stranger');
  for (const [person, path, status] of [
    [owner, '/nowhere', 404],
    [owner, '/dashboard/nothing', 404],
    [owner, `${listed.dashboard}/deliveries/none`, 404],
    [stranger, listed.dashboard, 403],
  ] as const) {
    const shown = await person.open(path);
    expect(shown.status).toBe(status);
    expect(shown.html).toMatch(/<nav[\s\S]*href="\/dashboard">/);
    expect(shown.html).toContain(`>${person.name}</a>`);
  }
  expect((await site.visitor().open('/nowhere')).html).toContain('href="/sign-in">');
  expect((await site.visitor().open('/dashboard/nothing')).path).toMatch(/^\/sign-in/);
});
