import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { temporaryFolder } from '../support/folder.ts';
import { signedIn } from '../support/loop.ts';
import {
  CLI,
  compiled,
  type Running,
  startScript,
  startTeller,
  type TellerReady,
} from '../support/processes.ts';

/** One numbered step of the page about the loop. */
interface Step {
  readonly text: string;
  /** The lines of its code blocks. */
  readonly commands: readonly string[];
}

const PAGE = join(import.meta.dirname, '../../docs/testers/the-loop.md');
const section = readFileSync(PAGE, 'utf8').split('## Ten steps')[1]?.split('\n## ')[0] ?? '';

const steps: readonly Step[] = section.split(/^(?=\d+\. )/m).flatMap((text) => {
  if (!/^\d+\. /.test(text)) return [];
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return [{ text, commands: blocks.flatMap((block) => block.trim().split(/\n\s*/)) }];
});

const step = (number: number): Step => steps[number - 1] ?? { text: '', commands: [] };

/** The texts of the site that a step quotes. */
const quotes = (number: number): readonly string[] =>
  [...step(number).text.matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote);

/** The names of buttons and sections in a step, which are in italics. */
const labels = (number: number): readonly string[] =>
  [...step(number).text.matchAll(/(?<!\*)\*([^*\n]+)\*/g)].map(([, label = '']) => label);

const ADDRESS = 'http://127.0.0.1:8190';

interface LoopReady extends TellerReady {
  readonly listing: { readonly url: string };
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

/** Runs a line of the page in the folder, with the compiled program and the ports of this loop. */
function shell(folder: string, { ready }: Running<LoopReady>) {
  const teller = `"${process.execPath}" "${compiled(CLI)}"`;
  return async (line: string): Promise<Ran> => {
    const url = line.includes('cli.js dashboard') ? ` --url ${ready.listing.url}` : '';
    const here = line.replace('node dist/cli.js', teller).replace(ADDRESS, ready.listing.url) + url;
    const child = spawn(here, { cwd: folder, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await once(child, 'close');
    return { code: child.exitCode, out };
  };
}

const passwordOf = (folder: string, name: string): string =>
  readFileSync(join(folder, 'data/loop/passwords', name), 'utf8').trim();

// biome-ignore lint/suspicious/noExplicitAny: pages have values of every shape
const values = async (visitor: FakeBrowser, path: string): Promise<any> =>
  JSON.parse((await visitor.get(path, { accept: 'application/json' })).text);

/** The text of a page, without tags. */
const shown = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');

async function expectTexts(visitor: FakeBrowser, path: string, texts: readonly string[]): Promise<void> {
  const text = shown((await visitor.get(path)).text);
  expect(
    texts.filter((each) => !text.includes(each)),
    `missing on ${path}`,
  ).toEqual([]);
}

const startLoop = async (folder: string): Promise<Running<LoopReady>> =>
  (await startTeller(
    ['loop', '--port', '0', '--listener-port', '0', '--console-port', '0'],
    folder,
  )) as Running<LoopReady>;

/** The commands of a section. */
const commandsUnder = (heading: string): readonly string[] => {
  const text = readFileSync(PAGE, 'utf8').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
};

test('players with an account come, are renamed, and lose their old names as the page says', async () => {
  const folder = temporaryFolder();
  const loop = await startLoop(folder);
  const run = shell(folder, loop);
  const said: string[] = [];
  for (const line of commandsUnder('Players with an account')) said.push((await run(line)).out);
  expect(said.slice(0, 3)).toEqual([
    'Alex joined the game\n',
    'Toni joined the game\n',
    'Alex joined the game\n',
  ]);
  expect(said[3]).toMatch(
    /^player +uuid\nToni +11111111-1111-4111-8111-111111111111\nAlex +22222222-2222-4222-8222-222222222222\n$/,
  );
});

test('a renamed player keeps their votes and a stranger on the old name begins at 1, as the page says', async () => {
  const folder = temporaryFolder();
  const loop = await startLoop(folder);
  const run = shell(folder, loop);
  const lines = commandsUnder('Try a rename');
  const [joins, vote, inventory, renamed, taken, nextDay, secondVote, toni, dayAfter, thirdVote, alex] =
    lines;
  const all = async (...some: readonly (string | undefined)[]): Promise<void> => {
    for (const line of some) expect(await run(line ?? ''), line).toMatchObject({ code: 0 });
  };
  const shows = async (line: string | undefined, text: RegExp): Promise<void> =>
    expect.poll(async () => (await run(line ?? '')).out).toMatch(text);
  await all(joins, vote);
  await shows(inventory, /diamond +1/);
  await all(renamed, taken, nextDay, secondVote);
  await shows(toni, /^Toni: 2 votes in totals\n +name: alex, UUID 1{8}-[^\n]*another player’s since/);
  await all(dayAfter, thirdVote);
  await shows(alex, /^Alex: 1 votes? in totals\n +name: alex, UUID 2{8}-/i);
});

test('the ten steps of the page do what they say', { timeout: 180_000 }, async () => {
  // A command that is added to the page is added here.
  expect(steps.map(({ commands }) => commands.length)).toEqual([0, 0, 2, 0, 1, 0, 1, 0, 2, 2]);
  const folder = temporaryFolder();
  const loop = await startLoop(folder);
  const run = shell(folder, loop);
  const signIn = (name: string) => signedIn(loop.ready.listing.url, name, passwordOf(folder, name));
  const [, voteUrl = ''] = /vote +(\S+)/.exec(loop.log()) ?? [];
  const votePage = new URL(voteUrl).pathname;
  const [, dashboardUrl = ''] = /dashboard +(\S+)/.exec(loop.log()) ?? [];
  const dashboard = new URL(dashboardUrl).pathname;
  const inventory = async () => (await run(step(3).commands[0] as string)).out;

  // 1
  const vera = await signIn('vera');
  await expectTexts(vera, votePage, [...quotes(1), 'Player name']);
  // 2
  const { to } = await vera.post(`${votePage}/vote`, { player: 'Steve' });
  await expectTexts(vera, to ?? '', quotes(2));
  await expect.poll(loop.log).toMatch(/^.*\bSteve\b.*\brewarded\b.*\b3\b.*$/m);
  // 3
  await expect.poll(inventory).toMatch(/diamond +1/);
  const explained = await run(step(3).commands[1] as string);
  expect([explained.code, explained.out]).toEqual([
    0,
    expect.stringMatching(/rewarded[\s\S]*give Steve diamond/),
  ]);
  // 4
  const olga = await signIn('olga-owner');
  const delivered = async () => (await values(olga, `${dashboard}/deliveries`)).deliveries ?? [];
  await expect.poll(delivered).toMatchObject([{ kind: 'vote', status: 'delivered', httpStatus: 200 }]);
  const [{ deliveryId, eventId }] = await delivered();
  const { delivery } = await values(olga, `${dashboard}/deliveries/${deliveryId}`);
  expect(delivery.response).toMatch(/^verified\b.*\bSteve\b/);
  await expectTexts(olga, `${dashboard}/deliveries/${deliveryId}`, labels(4));
  await olga.post(`${dashboard}/deliveries/redeliver`, { event: eventId });
  await expect.poll(delivered).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
  // 5
  await expectTexts(olga, `${dashboard}/listener`, labels(5));
  await olga.post(`${dashboard}/listener/test`, { player: 'Steve' });
  const sends = async () => (await values(olga, `${dashboard}/listener`)).sends;
  await expect.poll(sends).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
  const keys = await run(step(5).commands[0] as string);
  expect([keys.code, keys.out]).toEqual([0, expect.stringContaining('public key')]);
  // 6
  await expectTexts(olga, `${dashboard}/webhook`, labels(6));
  await olga.post(`${dashboard}/webhook/test`, {});
  await expect.poll(delivered).toMatchObject([{ kind: 'test', httpStatus: 200 }, {}, {}]);
  // 7
  await expectTexts(olga, `${dashboard}/tokens`, labels(7));
  const { text } = await olga.post(`${dashboard}/tokens`, { name: 'practice', scopes: ['votes:read'] });
  const [, token = ''] = /<code id="token">([^<]+)</.exec(text) ?? [];
  const read = await run((step(7).commands[0] as string).replace('vl_…', token));
  expect(JSON.parse(read.out)).toMatchObject([{ metadata: { playerName: 'Steve' } }]);
  // 8
  await expectTexts(vera, '/practice/clock', labels(8).slice(1));
  await vera.post('/practice/clock', { advance: '24h' });
  await vera.post(`${votePage}/vote`, { player: 'Steve' });
  await expect.poll(inventory).toMatch(/diamond +2/);
  // 9
  const voted = await run(step(9).commands[0] as string);
  expect([voted.code, JSON.parse(voted.out)]).toMatchObject([0, [{ vote: { player: 'Alex' } }]]);
  const listed = await run(step(9).commands[1] as string);
  expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/vote +delivered +200/)]);
  // 10
  const [sink = '', send = ''] = step(10).commands;
  const args = sink.replace('node dist/cli.js ', '').replace('8195', '0').split(' ');
  const receiver = await startScript<{ sink: { url: string } }>(CLI, args, folder);
  const sendLine = send.replace('http://127.0.0.1:8195/', receiver.ready.sink.url);
  const codes = [await run(sendLine), await run(sendLine), await run(sendLine)].map(({ code }) => code);
  expect(codes).toEqual([1, 1, 0]);
});
