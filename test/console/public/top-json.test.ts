import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forgetPlayer, readPlayer } from '../../../src/operator/change-player.ts';
import { openPage } from './open-page.ts';

const PARTY = [{ name: 'everyone', every: 50, commands: ['give {player} cake 1'] }];
const TOP = { name: 'best', period: 'month', prizes: { 1: ['give {player} cake 1'] }, exclude: ['Owner'] };

test('/top.json has tops, parties and sites, and pages of other web sites may read it', async () => {
  const { get, vote } = await openPage({ party: PARTY, tops: [TOP] });
  await vote('Alex');
  await vote('Alex', 'Twelve.example');
  await vote('Steve');
  await vote('Owner');
  const { status, text, headers } = await get('/top.json');
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBeNull();
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('cache-control')).toBe('public, max-age=5');
  const places = [
    { place: 1, player: 'Alex', votes: 2 },
    { place: 2, player: 'Steve', votes: 1 },
  ];
  expect(JSON.parse(text)).toEqual({
    tops: [
      { top: null, per: 'day', period: '2026-06-01', places },
      { top: null, per: 'week', period: '2026-W23', places },
      { top: 'best', per: 'month', period: '2026-06', places },
    ],
    parties: [{ party: 'everyone', votes: 4, every: 50, left: 46 }],
    sites: [
      { site: 'My List', url: 'https://my-list.example/vote' },
      { site: 'Twelve.example', url: 'https://twelve.example/vote' },
      { site: 'No-Link.example', url: null },
    ],
  });
});

test('the page as JSON is the same, with an answer', async () => {
  const { json, vote } = await openPage({ party: PARTY });
  await vote('Alex');
  const top = await json('/top.json');
  expect(await json('/')).toEqual({ ...top, answer: null });
  expect(await json('/?name=Alex')).toEqual({ ...top, answer: expect.objectContaining({ name: 'Alex' }) });
});

test('a vote is shown within 5 seconds, and many visitors meanwhile see what was read before', async () => {
  const { clock, json, vote } = await openPage({ party: PARTY });
  const votes = async () => (await json('/top.json')).parties[0].votes;
  expect(await votes()).toBe(0);
  await vote('Alex');
  clock.advance(4_999);
  expect(await votes()).toBe(0);
  clock.advance(1);
  expect(await votes()).toBe(1);
});

test('a reload that excludes a player from a top takes them from every list at once', async () => {
  const { config, json, reload, vote } = await openPage();
  await vote('Owner');
  const named = async () => (await json('/top.json')).tops.map((top: { places: [] }) => top.places.length);
  expect(await named()).toEqual([1, 1, 1]);
  const written = JSON.parse(readFileSync(config, 'utf8'));
  writeFileSync(config, JSON.stringify({ ...written, tops: [TOP] }));
  await reload();
  expect(await named()).toEqual([0, 0, 0]);
});

test('a player who was forgotten has no place, and the next one moves up', async () => {
  const { app, clock, json, vote } = await openPage();
  await vote('Alex');
  await vote('Alex', 'Twelve.example');
  await vote('Steve');
  await json('/top.json');
  await forgetPlayer(app.ledger, readPlayer('Alex', app.config), { by: 'ann', now: clock.now() });
  clock.advance(5_000);
  expect((await json('/top.json')).tops[0].places).toEqual([{ place: 1, player: 'Steve', votes: 1 }]);
  expect((await json('/?name=Alex')).answer.sites[0].from).toBeNull();
});

test('a top has at most 10 places, and players with as many votes share one if it says so', async () => {
  const { json, vote } = await openPage({ tops: [{ ...TOP, period: 'day', ties: 'share' }] });
  for (let at = 0; at < 12; at += 1) await vote(`Player${at}`);
  const { tops } = await json('/top.json');
  expect(tops[0].places.map(({ place }: { place: number }) => place)).toEqual(Array(10).fill(1));
  expect(tops[1].places.map(({ place }: { place: number }) => place)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ]);
});

test('two tops of one period are told apart by their names', async () => {
  const { get } = await openPage({ tops: [TOP, { ...TOP, name: 'second', exclude: [] }] });
  const { text } = await get();
  expect(text).toContain('Most votes this month: best');
  expect(text).toContain('Most votes this month: second');
});
