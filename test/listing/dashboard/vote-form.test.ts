import { describe, expect, test } from 'vitest';
import { naming } from '../../support/naming.ts';
import { sink } from '../../support/sink.ts';
import { type WholeSite, wholeSite } from '../../support/whole-site.ts';
import { KINDS, type Kind, type Listed } from './browser.ts';

const HOUR_MS = 3_600_000;

async function listedSite(kind: Kind = 'minecraft') {
  const site = await wholeSite();
  const owner = await site.person();
  return { site, owner, listing: await owner.list(kind) };
}

/** The number of votes on the public page. */
const total = async (site: WholeSite, { page }: Listed): Promise<string> =>
  (await site.visitor().open(page)).figures[0]!;

describe('the voting window', () => {
  test.each([
    ['bot', 12],
    ['minecraft', 24],
    ['fivem', 24],
  ] as const)('on a %s listing lasts exactly %d hours, to the millisecond', async (kind, hours) => {
    const { site, owner, listing } = await listedSite(kind);
    const vote = () => owner.post(`${listing.page}/vote`);
    await owner.open(listing.page);
    expect((await vote()).tone).toBe('good');
    site.clock.jump(hours * HOUR_MS - 1);
    expect((await owner.open(listing.page)).form(`${listing.page}/vote`)).toBeNull();
    expect((await vote()).tone).toBe('warn');
    expect(await total(site, listing)).toBe('1');
    site.clock.jump(1);
    expect((await owner.voteOn(listing)).tone).toBe('good');
    expect(await total(site, listing)).toBe('2');
  });

  test('is shown right after a vote, with a single message that the vote counts', async () => {
    const { owner, listing } = await listedSite();
    const shown = await owner.voteOn(listing, 'Steve');
    expect(shown.alerts).toMatchObject([{ tone: 'good', title: naming('Steve') }]);
    expect(shown.text).toMatch(/\b24 hours\b.*\b2 Jun 12:00 UTC/);
  });

  test('is shown to a person who has already voted, even if they submit an old page', async () => {
    const { owner, listing } = await listedSite();
    await owner.voteOn(listing);
    const shown = await owner.open(listing.page);
    expect([shown.tone, shown.form(`${listing.page}/vote`)]).toEqual(['good', null]);
    expect(shown.text).toContain('2 Jun 12:00 UTC');
    const { status, text } = await owner.visitor.post(
      `${listing.page}/vote`,
      {},
      { accept: 'application/json' },
    );
    expect([status, JSON.parse(text)]).toMatchObject([
      409,
      { code: 'too-early', nextVoteAt: '2026-06-02T12:00:00.000Z' },
    ]);
  });

  test('counts one vote if the same form is sent ten times at once', async () => {
    const { site, owner, listing } = await listedSite();
    const receiver = await sink();
    await owner.saveWebhook(listing, receiver.url);
    await owner.open(listing.page);
    const headers = { accept: 'application/json' };
    const votes = Array.from({ length: 10 }, () => owner.visitor.post(`${listing.page}/vote`, {}, headers));
    const statuses = (await Promise.all(votes)).map(({ status }) => status);
    await site.quiet();
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)]);
    expect([await total(site, listing), receiver.requests.length]).toEqual(['1', 1]);
  });

  test('is separate for each listing', async () => {
    const { site, owner, listing } = await listedSite();
    const other = await owner.list();
    for (const { page } of [listing, other]) await owner.voteOn({ page });
    expect([await total(site, listing), await total(site, other)]).toEqual(['1', '1']);
  });
});

describe('the voter', () => {
  test('is asked to sign in, and returns to the listing to vote (NS-45)', async () => {
    const { site, owner, listing } = await listedSite();
    const visitor = site.visitor();
    const shown = await visitor.open(listing.page);
    expect(shown.form(`${listing.page}/vote`)).toBeNull();
    const signIn = `/sign-in?next=${encodeURIComponent(listing.page)}`;
    expect(shown.html).toContain(`href="${signIn}"`);
    const fields = { name: owner.name, password: 'a long enough sentence' };
    const back = await visitor.press(signIn, '/sign-in', fields);
    expect(back.path).toBe(listing.page);
    expect(back.form(`${listing.page}/vote`)).not.toBeNull();
  });

  test('is redirected to sign in by a signed-out POST, which counts no vote', async () => {
    const { site, listing } = await listedSite();
    const visitor = site.visitor();
    await visitor.open('/sign-in');
    expect((await visitor.post(`${listing.page}/vote`, { player: 'Steve' })).path).toBe('/sign-in');
    expect(await total(site, listing)).toBe('0');
  });

  test('gets 404 for a listing that does not exist', async () => {
    const { owner } = await listedSite();
    await owner.open('/');
    expect((await owner.post('/listings/nothing/vote')).status).toBe(404);
    expect((await owner.open('/listings/nothing')).status).toBe(404);
  });
});

describe('the player', () => {
  test.each([
    ...['Steve', '_x_', 'A', 'Sixteen_letters_'],
    ...['.Steve_1', '*Steve', '+bedrock', '~~~Steve', 'é1Steve'],
  ])('%j is reported as entered, to the webhook and in the API (NS-11)', async (player) => {
    const { site, owner, listing } = await listedSite();
    const receiver = await sink();
    await owner.saveWebhook(listing, receiver.url);
    const token = await owner.token(listing, 'votes:read');
    expect((await site.vote(listing, player)).said).toContain(player);
    expect((await receiver.request(1)).json.data.playerName).toBe(player);
    const [vote] = (await site.api.get('/webhooks/votes', { token })).body;
    expect(vote.metadata).toEqual({ playerName: player });
  });

  test('cannot have an invalid name: the vote is refused with the reason and not counted (NS-11)', async () => {
    const { site, owner, listing } = await listedSite();
    const vote = (player: string) => owner.post(`${listing.page}/vote`, { player });
    await owner.open(listing.page);
    for (const player of [
      ...['seventeen_letters', 'two words', '....Steve', '.', 'Stevé', 'Steve!', 'Steve-1'],
      ...['@Steve', '"Steve', "'Steve", '\\Steve', '/Steve', '#Steve', ';Steve', 'a\tb', '\u202eSteve'],
    ]) {
      const shown = await vote(player);
      expect([player, shown.status, Object.keys(shown.faults)]).toEqual([player, 422, ['player']]);
      // It can be corrected and sent again.
      expect(shown.form(`${listing.page}/vote`)!.fields.player).toEqual([player]);
    }
    expect(await total(site, listing)).toBe('0');
    expect((await vote('Steve')).tone).toBe('good');
  });

  test('can be left blank only after a confirmation, because no one would get the reward', async () => {
    const { site, owner, listing } = await listedSite();
    const vote = `${listing.page}/vote`;
    const asked = await owner.press(listing.page, vote);
    expect([asked.status, asked.tone]).toEqual([422, 'warn']);
    expect(asked.html).toContain('tabindex="-1" autofocus');
    expect(await total(site, listing)).toBe('0');
    expect((await owner.post(vote, { player: ' ' })).html).toContain('name="withoutPlayer"');
    const answer = asked.html.match(/name="withoutPlayer" value="(\w+)"/)![1]!;
    expect((await owner.post(vote, { withoutPlayer: answer })).tone).toBe('good');
    expect(await total(site, listing)).toBe('1');
    // After a vote, a blank name from an old page gets the time of the next vote, not the question.
    expect(await owner.answer(vote, { player: '' })).toMatchObject({ code: 'too-early' });
  });

  test('is required from a script, which otherwise gets the code player-missing', async () => {
    const { owner, listing } = await listedSite();
    await owner.open(listing.page);
    const json = { accept: 'application/json' };
    const { status, text } = await owner.visitor.post(`${listing.page}/vote`, { player: '' }, json);
    expect([status, JSON.parse(text)]).toMatchObject([422, { code: 'player-missing' }]);
  });

  test('is asked for only on Minecraft listings', async () => {
    const { owner } = await listedSite();
    const asks: string[] = [];
    for (const kind of KINDS) {
      const { page } = await owner.list(kind);
      if ('player' in (await owner.open(page)).form(`${page}/vote`)!.fields) asks.push(kind);
    }
    expect(asks).toEqual(['minecraft']);
  });
});

describe('bot statistics', () => {
  test('are shown on the public page and in the dashboard (ST-09)', async () => {
    const { site, owner, listing } = await listedSite('bot');
    const token = await owner.token(listing, 'stats:write');
    const report = (body: object) => site.api.post(`/bots/${listing.id}/stats`, { token, body });
    const shown = async () => [
      (await site.visitor().open(listing.page)).text,
      (await owner.open(listing.dashboard)).text,
    ];
    for (const text of await shown()) expect(text).not.toContain('Servers');
    await report({ serverCount: 12_345, shardCount: 8 });
    for (const text of await shown()) expect(text).toMatch(/ 12,345 .* 8\b/);
    await site.pass(60_000);
    await report({ serverCount: 20_000 });
    for (const text of await shown()) {
      expect(text).toMatch(/ 20,000 /);
      expect(text).not.toMatch(/12,345|Shards \d/);
    }
  });
});
