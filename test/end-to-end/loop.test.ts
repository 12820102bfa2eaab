/** `teller loop`, and what its page in the docs says to do with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { openLink, Reader } from '../kit/page.ts';
import { grantsIn } from '../kit/witness.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { temporaryFolder } from '../support/folder.ts';
import { OWNER, signedIn } from '../support/loop.ts';
import { naming } from '../support/naming.ts';
import { CLI, compiled, startScript } from '../support/processes.ts';

const LONG = { timeout: 180_000 };
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/testers/the-loop.md'), 'utf8');
const ADDRESS = 'http://127.0.0.1:8190';

const sectionOf = (heading: string): string => PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The lines of the code blocks in a part of the page. */
const commandsIn = (part: string): readonly string[] =>
  [...part.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split(/\n\s*/));

const steps = sectionOf('Ten steps')
  .split(/^(?=\d+\. )/m)
  .filter((text) => /^\d+\. /.test(text));

const commands = (step: number): readonly string[] => commandsIn(steps[step - 1] ?? '');

/** The texts of the site that a step quotes. */
const quotes = (step: number): readonly string[] =>
  [...(steps[step - 1] ?? '').matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote);

/** The names of buttons and sections in a step, which are in italics. */
const labels = (step: number): readonly string[] =>
  [...(steps[step - 1] ?? '').matchAll(/(?<!\*)\*([^*\n]+)\*/g)].map(([, label = '']) => label);

// biome-ignore lint/suspicious/noExplicitAny: pages have values of every shape
const values = async (visitor: FakeBrowser, path: string): Promise<any> =>
  JSON.parse((await visitor.get(path, { accept: 'application/json' })).text);

async function expectTexts(visitor: FakeBrowser, path: string, texts: readonly string[]): Promise<void> {
  const text = (await visitor.get(path)).text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  expect(
    texts.filter((each) => !text.includes(each)),
    `missing on ${path}`,
  ).toEqual([]);
}

/** The notice at the top of a page. */
function notice(text: string) {
  const [, tone, title] = /class="alert (\w+)".*?class="alert-title">([^<]*)</s.exec(text) ?? [];
  return { tone, title };
}

/** The page says that the vote counts, and for whom. */
const COUNTED = { tone: 'good', title: naming('Steve') };

interface Ready {
  readonly listing: { readonly url: string };
  readonly sink: { readonly url: string };
}

/** A loop that runs in this folder. */
async function looping(folder = temporaryFolder(), ...flags: readonly string[]) {
  const words = ['loop', '--port', '0', '--listener-port', '0', '--console-port', '0', ...flags];
  const { ready, log, stop } = await startScript<Ready>(CLI, words, folder);
  const { url } = ready.listing;
  const teller = { folder, config: join(folder, 'data/loop/config.json') };
  const [, page = ''] = /vote +\S+(\/listings\/\S+)/.exec(log()) ?? [];
  const [, dashboard = ''] = /dashboard +\S+(\/dashboard\/\S+)/.exec(log()) ?? [];
  const passwordOf = (name: string): string =>
    readFileSync(join(folder, 'data/loop/passwords', name), 'utf8').trim();
  return {
    ...{ folder, ready, log, stop, url, page, dashboard, passwordOf },
    signIn: (name: string): Promise<FakeBrowser> => signedIn(url, name, passwordOf(name)),
    /** Runs a line of the page in the folder, with the compiled program and the ports of this loop. */
    run: async (line = '') => {
      const own = line.includes('cli.js dashboard') ? ` --url ${url}` : '';
      const program = `"${process.execPath}" "${compiled(CLI)}"`;
      const here = line.replace('node dist/cli.js', program).replace(ADDRESS, url) + own;
      const child = spawn(here, { cwd: folder, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      await once(child, 'close');
      return { code: child.exitCode, out };
    },
    /** Votes for Steve with the form of the page, and returns the notice; null if there is no form. */
    vote: async (visitor: FakeBrowser) => {
      if (!(await visitor.get(page)).text.includes(`action="${page}/vote"`)) return null;
      const { to } = await visitor.post(`${page}/vote`, { player: 'Steve' });
      return notice((await visitor.get(to ?? '')).text);
    },
    /** The decisions in Teller's ledger, oldest first. */
    decisions: async (): Promise<readonly string[]> =>
      (await typedHere(teller, 'votes', '--json')).json
        .map(({ decision }: { decision: string }) => decision)
        .toReversed(),
    states: async () => (await grantsIn(teller)).map(({ state }) => state),
    diamonds: async (): Promise<unknown> =>
      (await typedHere(teller, 'practice', 'inventory', 'Steve', '--json')).json,
  };
}

const DIAMONDS = (count: number) => [{ item: 'diamond', count }];
const ALL_PAID = { timeout: 15_000 };

test(
  'the ten steps of the page do what they say; VT-12: whichever account votes, a player is paid once in 24 h',
  LONG,
  async () => {
    // A command that is added to the page is added here.
    expect(steps.map((_, at) => commands(at + 1).length)).toEqual([0, 0, 2, 0, 1, 0, 1, 0, 2, 2]);
    const { log, ready, folder, run, signIn, page, dashboard, ...loop } = await looping();
    expect(log()).toMatch(/Open in a browser:\n +console +http:\/\/127\.0\.0\.1:\d+\/open\/\S+ .+\n +vote +/);
    const inventory = async () => (await run(commands(3)[0])).out;

    // 1
    const vera = await signIn('vera');
    await expectTexts(vera, page, [...quotes(1), 'Player name']);
    // 2
    const { to } = await vera.post(`${page}/vote`, { player: 'Steve' });
    await expectTexts(vera, to ?? '', quotes(2));
    await expect.poll(log).toMatch(/^.*\bSteve\b.*\brewarded\b.*\b3\b.*$/m);
    // 3
    await expect.poll(inventory).toMatch(/diamond +1/);
    const explained = await run(commands(3)[1]);
    expect([explained.code, explained.out]).toEqual([
      0,
      expect.stringMatching(/rewarded[\s\S]*give Steve diamond/),
    ]);
    // 4
    const olga = await signIn(OWNER);
    const delivered = async () => (await values(olga, `${dashboard}/deliveries`)).deliveries ?? [];
    await expect
      .poll(delivered)
      .toMatchObject([{ kind: 'vote', status: 'delivered', httpStatus: 200, attempt: 1 }]);
    const [{ deliveryId, eventId }] = await delivered();
    const { delivery } = await values(olga, `${dashboard}/deliveries/${deliveryId}`);
    expect(delivery.response).toMatch(/^verified\b.*\bSteve\b/);
    expect(delivery.url).toBe(`${ready.sink.url}sample-receiver`);
    await expectTexts(olga, `${dashboard}/deliveries/${deliveryId}`, labels(4));
    await olga.post(`${dashboard}/deliveries/redeliver`, { event: eventId });
    await expect.poll(delivered).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
    // 5
    await expectTexts(olga, `${dashboard}/listener`, labels(5));
    await olga.post(`${dashboard}/listener/test`, { player: 'Steve' });
    const sends = async () => (await values(olga, `${dashboard}/listener`)).sends;
    await expect.poll(sends).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
    const keys = await run(commands(5)[0]);
    expect([keys.code, keys.out]).toEqual([0, expect.stringContaining('public key')]);
    // 6
    await expectTexts(olga, `${dashboard}/webhook`, labels(6));
    await olga.post(`${dashboard}/webhook/test`, {});
    await expect.poll(delivered).toMatchObject([{ kind: 'test', httpStatus: 200 }, {}, {}]);
    // 7
    await expectTexts(olga, `${dashboard}/tokens`, labels(7));
    const { text } = await olga.post(`${dashboard}/tokens`, { name: 'practice', scopes: ['votes:read'] });
    const [, token = ''] = /<code id="token">([^<]+)</.exec(text) ?? [];
    const read = await run((commands(7)[0] ?? '').replace('vl_…', token));
    expect(JSON.parse(read.out)).toMatchObject([{ id: eventId, metadata: { playerName: 'Steve' } }]);
    // VT-12
    const before = await loop.decisions();
    expect(before[0]).toBe('rewarded');
    expect(await loop.vote(await signIn('viktor'))).toEqual(COUNTED);
    await expect.poll(loop.decisions).toEqual([...before, 'cooldown']);
    expect(await values(olga, dashboard)).toMatchObject({ votes: { votes: 2, voters: 2 } });
    expect(await loop.diamonds()).toEqual(DIAMONDS(1));
    // 8
    await expectTexts(vera, '/practice/clock', labels(8).slice(1));
    await vera.post('/practice/clock', { advance: '24h' });
    await vera.post(`${page}/vote`, { player: 'Steve' });
    await expect.poll(inventory).toMatch(/diamond +2/);
    // 9
    const voted = await run(commands(9)[0]);
    expect([voted.code, JSON.parse(voted.out)]).toMatchObject([0, [{ vote: { player: 'Alex' } }]]);
    const listed = await run(commands(9)[1]);
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/vote +delivered +200/)]);
    // 10
    const [sink = '', send = ''] = commands(10);
    const args = sink.replace('node dist/cli.js ', '').replace('8195', '0').split(' ');
    const receiver = await startScript<{ sink: { url: string } }>(CLI, args, folder);
    const sendLine = send.replace('http://127.0.0.1:8195/', receiver.ready.sink.url);
    const codes = [await run(sendLine), await run(sendLine), await run(sendLine)].map(({ code }) => code);
    expect(codes).toEqual([1, 1, 0]);
  },
);

test('with --v1 the vote is shown as sent and unconfirmed, and is paid; the link to the console is printed without a terminal too', async () => {
  const { log, signIn, vote, states, diamonds, dashboard } = await looping(undefined, '--v1');
  const [, link = ''] = /console +(\S+\/open\/\S+)/.exec(log()) ?? [];
  const reader = new Reader(new URL(link).origin);
  // It is the command with the config of the loop.
  expect((await reader.open('/sign-in')).html).toContain('console open --config data/loop/config.json<');
  expect((await openLink(reader, link)).at).toBe('/');

  expect(await vote(await signIn('vera'))).toEqual(COUNTED);
  await expect.poll(states, ALL_PAID).toEqual(['delivered', 'delivered', 'delivered']);
  expect(await diamonds()).toEqual(DIAMONDS(1));
  const { sends } = await values(await signIn(OWNER), `${dashboard}/listener`);
  expect(sends).toMatchObject([{ player: 'Steve', outcome: 'sent' }]);
});

test('a restart in the same folder keeps accounts, passwords, votes and the time of the practice clock', async () => {
  const first = await looping();
  const before = first.passwordOf('vera');
  expect(await first.vote(await first.signIn('vera'))).toEqual(COUNTED);
  const moved = async (url: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"advance":"12h"}' };
    return (await fetch(`${url}/practice/clock`, init)).json();
  };
  expect(await moved(first.url)).toMatchObject({ offsetMs: 43_200_000 });
  expect(await first.stop()).toBe(0);

  const second = await looping(first.folder);
  expect(second.passwordOf('vera')).toBe(before);
  const vera = await second.signIn('vera');
  expect(await values(vera, '/practice/clock')).toMatchObject({ offsetMs: 43_200_000 });
  expect(await second.vote(vera)).toBeNull();
  expect(await values(vera, second.page)).toMatchObject({ votes: 1 });
  expect(await moved(second.url)).toMatchObject({ offsetMs: 86_400_000 });
  expect(await second.vote(vera)).toEqual(COUNTED);
});

test('players with an account come, are renamed, and lose their old names as the page says', async () => {
  const { run } = await looping();
  const said: string[] = [];
  for (const line of commandsIn(sectionOf('Players with an account'))) said.push((await run(line)).out);
  expect(said.slice(0, 3)).toEqual(['Alex', 'Toni', 'Alex'].map((name) => `${name} joined the game\n`));
  expect(said[3]).toMatch(
    /^player +uuid\nToni +11111111-1111-4111-8111-111111111111\nAlex +22222222-2222-4222-8222-222222222222\n$/,
  );
});

test('a renamed player keeps their votes and a stranger on the old name begins at 1, as the page says', async () => {
  const { run } = await looping();
  const [joins, vote, inventory, renamed, taken, nextDay, secondVote, toni, dayAfter, thirdVote, alex] =
    commandsIn(sectionOf('Try a rename'));
  const all = async (...some: readonly (string | undefined)[]): Promise<void> => {
    for (const line of some) expect(await run(line), line).toMatchObject({ code: 0 });
  };
  const shows = async (line: string | undefined, text: RegExp): Promise<void> =>
    expect.poll(async () => (await run(line)).out).toMatch(text);
  await all(joins, vote);
  await shows(inventory, /diamond +1/);
  await all(renamed, taken, nextDay, secondVote);
  await shows(toni, /^Toni: 2 votes in totals\n +name: alex, UUID 1{8}-[^\n]*another player’s since/);
  await all(dayAfter, thirdVote);
  await shows(alex, /^Alex: 1 votes? in totals\n +name: alex, UUID 2{8}-/i);
});
