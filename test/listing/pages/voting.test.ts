/** Voting: the voting window, the voter and the player, on the public page. */
import { expect, test } from 'vitest';
import { HOUR, listing, MINUTE, type Site } from '../../kit/listing.ts';
import { KINDS, type Kind, type Listed, PASSWORD } from '../../kit/listing-people.ts';
import { hook, hooked } from '../../kit/listing-webhook.ts';
import { naming } from '../../support/naming.ts';

async function listed(kind: Kind = 'minecraft') {
  const site = await listing();
  return { site, ...(await site.owned(kind, 'votes:read')) };
}

/** The number of votes on the public page. */
const total = async (site: Site, { page }: Listed): Promise<string> =>
  (await site.visitor().open(page)).figures[0]!;

test.each([
  ['SV-04', 'bot', 12],
  ['SV-05', 'minecraft', 24],
  ['SV-05', 'fivem', 24],
  ['SV-05', 'roblox', 24],
  ['SV-05', 'hytale', 24],
] as const)(
  '%s: the voting window on a %s listing lasts exactly %d hours, to the millisecond',
  async (_, kind, hours) => {
    const { site, owner, listed: its } = await listed(kind);
    expect((await owner.voteOn(its)).tone).toBe('good');
    site.clock.jump(hours * HOUR - 1);
    expect((await owner.open(its.page)).form(`${its.page}/vote`)).toBeNull();
    expect((await owner.post(`${its.page}/vote`)).tone).toBe('warn');
    expect(await owner.tryVote(its)).toMatchObject({
      code: 'too-early',
      nextVoteAt: new Date(Date.parse('2026-06-01T12:00:00Z') + hours * HOUR).toISOString(),
    });
    expect(await total(site, its)).toBe('1');
    site.clock.jump(1);
    expect((await owner.voteOn(its)).tone).toBe('good');
    expect(await total(site, its)).toBe('2');
  },
);

test('SV-05: the voting window is shown right after a vote, and to a person who has already voted', async () => {
  const { owner, listed: its } = await listed();
  const voted = await owner.voteOn(its, 'Steve');
  expect(voted.alerts).toMatchObject([{ tone: 'good', title: naming('Steve') }]);
  expect(voted.text).toMatch(/\b24 hours\b.*\b2 Jun 12:00 UTC/);
  const shown = await owner.open(its.page);
  expect([shown.tone, shown.form(`${its.page}/vote`)]).toEqual(['good', null]);
  expect(shown.text).toContain('2 Jun 12:00 UTC');
  const json = { accept: 'application/json' };
  const { status } = await owner.visitor.post(`${its.page}/vote`, {}, json);
  expect(status).toBe(409);
});

test('SV-04, SV-05: the voting window is separate for each user and each listing, and counts one vote, with one event, if the same form is sent twenty times at once', async () => {
  const { site, owner, listed: its } = await listed();
  const { receiver } = await hook(site, owner, its);
  const other = await owner.list();
  const votes = Array.from({ length: 20 }, () => owner.tryVote(its));
  const codes = (await Promise.all(votes)).map(({ code }) => code ?? 'counted');
  await site.quiet();
  expect(codes.toSorted()).toEqual(['counted', ...Array(19).fill('too-early')]);
  expect([await total(site, its), receiver.requests.length]).toEqual(['1', 1]);
  await owner.voteOn(other);
  await site.cast(its);
  expect([await total(site, its), await total(site, other)]).toEqual(['2', '1']);
});

test('NS-01: a vote has a UUIDv7 that contains its time, which is also its webhook’s event ID; it is stored with its totals and its event, or not at all', async () => {
  const { site, owner, listed: its } = await listed();
  const { receiver } = await hook(site, owner, its);
  const restore = site.lose('events');
  expect((await owner.visitor.post(`${its.page}/vote`, { player: 'Steve' })).status).toBe(500);
  restore();
  await site.quiet();
  expect([await total(site, its), receiver.requests]).toEqual(['0', []]);
  const { id, castAt } = await site.cast(its, null, owner);
  await site.quiet();
  expect(await total(site, its)).toBe('1');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse(castAt));
  expect(receiver.requests.map(({ json }) => json.eventId)).toEqual([id]);
});

test('NS-45: a voter has to sign in, and returns to the listing to vote; no vote counts for a listing that does not exist or was removed', async () => {
  const { site, owner, listed: its } = await listed();
  const visitor = site.visitor();
  const shown = await visitor.open(its.page);
  expect(shown.form(`${its.page}/vote`)).toBeNull();
  const signIn = `/sign-in?next=${encodeURIComponent(its.page)}`;
  expect(shown.html).toContain(`href="${signIn}"`);
  await visitor.open('/sign-in');
  expect((await visitor.post(`${its.page}/vote`, { player: 'Steve' })).path).toBe('/sign-in');
  expect(await total(site, its)).toBe('0');
  const back = await visitor.press(signIn, '/sign-in', { name: owner.name, password: PASSWORD });
  expect(back.path).toBe(its.page);
  expect(back.form(`${its.page}/vote`)).not.toBeNull();
  const voter = await site.person();
  await owner.press(its.dashboard, `${its.dashboard}/remove`);
  for (const page of ['/listings/nothing', its.page]) {
    expect((await voter.post(`${page}/vote`)).status).toBe(404);
    expect((await voter.open(page)).status).toBe(404);
  }
});

test('NS-11, VL-05: the player is reported as entered, without white space around it, to the webhook and in the API', async () => {
  const { site, owner, listed: its, token } = await listed();
  const { receiver } = await hook(site, owner, its);
  const entered = [
    ...['Steve', '_x_', 'A', 'Sixteen_letters_', 'a23456789012345x', '.Steve_1', '*Steve', '+bedrock'],
    ...['~~~Steve', '-.-Alex', 'é1Steve', ' Padded '],
  ];
  for (const player of entered) {
    expect((await site.cast(its, player)).player).toBe(player.trim());
    site.clock.advance(1);
  }
  await site.quiet();
  const expected = entered.map((player) => player.trim());
  expect(receiver.requests.map(({ json }) => json.data.playerName).toSorted()).toEqual(expected.toSorted());
  const { body } = await site.api.get('/webhooks/votes', { token });
  const listing = body.map(({ metadata }: { metadata: object }) => metadata).toReversed();
  expect(listing).toEqual(expected.map((playerName) => ({ playerName })));
});

test('NS-11: the player cannot have another name: the vote is refused at its field, not counted, and can be corrected', async () => {
  const { site, owner, listed: its } = await listed();
  const vote = (player: string) => owner.post(`${its.page}/vote`, { player });
  for (const player of [
    ...['seventeen_letters', 'two words', '....Steve', '.', 'Stevé', 'Steve!', 'Ste-ve', 'a;', 'x"'],
    ...['@Steve', '"Steve', "'Steve", '\\Steve', '/Steve', '#Steve', ';Steve', 'a\tb', 'a\nb', '\u0000a'],
    '\u202eSteve',
  ]) {
    const shown = await vote(player);
    expect([player, shown.status, Object.keys(shown.faults)]).toEqual([player, 422, ['player']]);
    if (!/[\n\0]/.test(player)) expect(shown.form(`${its.page}/vote`)!.fields.player).toEqual([player]);
  }
  expect(await total(site, its)).toBe('0');
  expect((await vote('Steve')).tone).toBe('good');
});

test('NS-11: the player can be left blank only after a confirmation, because no one would get the reward', async () => {
  const { site, owner, listed: its } = await listed();
  const vote = `${its.page}/vote`;
  const asked = await owner.press(its.page, vote);
  expect([asked.status, asked.tone]).toEqual([422, 'warn']);
  expect(asked.html).toContain('tabindex="-1" autofocus');
  expect(await owner.answer(vote, { player: '' })).toMatchObject({ code: 'player-missing' });
  expect(await total(site, its)).toBe('0');
  expect((await owner.post(vote, { player: ' ' })).html).toContain('name="withoutPlayer"');
  const answer = asked.html.match(/name="withoutPlayer" value="(\w+)"/)![1]!;
  expect((await owner.post(vote, { withoutPlayer: answer })).tone).toBe('good');
  expect(await total(site, its)).toBe('1');
  // After a vote, a blank name from an old page gets the time of the next vote, not the question.
  expect(await owner.answer(vote, { player: '' })).toMatchObject({ code: 'too-early' });
});

test('NS-11: the player is asked for only on Minecraft listings, and ignored on the others', async () => {
  const { site, owner } = await listed();
  for (const kind of KINDS) {
    const its = await owner.list(kind);
    const { fields } = (await owner.open(its.page)).form(`${its.page}/vote`)!;
    expect([kind, 'player' in fields]).toEqual([kind, kind === 'minecraft']);
    if (kind !== 'minecraft') expect((await site.cast(its, 'a;b')).player).toBeNull();
  }
});

test('ST-09: a bot’s statistics are shown on the public page and in the dashboard', async () => {
  const { site, owner, listed: its } = await listed('bot');
  const token = await owner.token(its, 'stats:write');
  const report = (body: object) => site.api.post(`/bots/${its.id}/stats`, { token, body });
  const shown = async () => [
    (await site.visitor().open(its.page)).text,
    (await owner.open(its.dashboard)).text,
  ];
  for (const text of await shown()) expect(text).not.toContain('Servers');
  await report({ serverCount: 12_345, shardCount: 8 });
  for (const text of await shown()) expect(text).toMatch(/ 12,345 .* 8\b/);
  site.clock.advance(MINUTE);
  await report({ serverCount: 20_000 });
  for (const text of await shown()) {
    expect(text).toMatch(/ 20,000 /);
    expect(text).not.toMatch(/12,345|Shards \d/);
  }
});

test('SV-02, SV-03: a new listing is a bot or one of four games', async () => {
  const site = await listing();
  const owner = await site.person();
  const form = (await owner.open('/new-listing')).form('/new-listing')!;
  expect(form.choices.kind).toEqual(['bot', 'minecraft', 'fivem', 'roblox', 'hytale']);
  for (const kind of ['rust', 'Minecraft', '', 'game', 'site']) {
    const answer = await owner.press('/new-listing', '/new-listing', { name: 'A fifth', kind });
    expect([kind, answer.status, Object.keys(answer.faults)]).toEqual([kind, 422, ['kind']]);
  }
  expect((await owner.values('/dashboard')).listings).toEqual([]);
  expect((await site.visitor().values('/')).listings).toEqual([]);
});

test('with its database on threads of its own, as in production, the service casts votes, delivers them, shows each in every answer that follows it, and keeps them across a restart; one of several simultaneous votes of a user counts', async () => {
  const scene = await hooked({ isThreaded: true, fields: { secret: 'generate' } });
  const { site, owner, listed, receiver, states } = scene;
  await scene.votes(2, 204, 404);
  expect((await states()).toSorted()).toEqual(['delivered', 'undelivered']);
  receiver.answers = [204];
  for (const { id } of await scene.events('?state=undelivered')) await scene.redeliver(id);
  expect(receiver.requests).toHaveLength(3);
  await scene.test();
  await site.restart();
  expect((await owner.values(listed.dashboard)).votes).toMatchObject({ votes: 2, voters: 2 });
  expect((await states()).toSorted()).toEqual(['delivered', 'delivered', 'delivered']);
  for (let cast = 3; cast <= 12; cast++) {
    await site.cast(listed);
    const seen = await Promise.all(Array.from({ length: 4 }, () => owner.values(listed.page)));
    expect(seen.map(({ votes, voters }) => [votes, voters])).toEqual(Array(4).fill([cast, cast]));
  }
  const votes = await Promise.all(Array.from({ length: 20 }, () => owner.tryVote(listed)));
  const codes = votes.map(({ code }) => code ?? 'counted');
  expect(codes.toSorted()).toEqual(['counted', ...Array(19).fill('too-early')]);
});
