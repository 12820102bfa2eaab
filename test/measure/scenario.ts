import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished, ownFolder, type Ran, started } from './programs.ts';
import { pagesFrom } from './visited-pages.ts';

/** What was seen, by a name for where. */
export type Seen = ReadonlyMap<string, unknown>;

/** The ready line, with what the scenario needs of it. */
interface Ready {
  readonly listener?: { readonly port: number };
  readonly listing?: { readonly url: string };
  readonly sink?: { readonly url: string };
}

const TOKEN = 'a-token-that-nobody-else-has';
const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
  {
    name: 'daily',
    when: 'online',
    commands: ['give {player} diamond 1'],
    limit: { per: 'player', count: 5, within: 'day' },
  },
];

const ON = ['vote.rewarded', 'vote.refused'];
const PLUGIN = { name: 'plugin', on: ON, secret: 'the-secret-of-the-plugin' };

const configOf = (sink: number, more: object = {}) => ({
  listener: { host: '127.0.0.1', port: 0 },
  sites: { default: { token: TOKEN }, 'My-List.com': {}, 'Other.example': { cooldown: '12h' } },
  gameServers: { main: { kind: 'practice' }, lobby: { kind: 'practice' } },
  rewards: REWARDS.map((reward) => ({ ...reward, servers: ['main'] })),
  party: [{ name: 'cake', every: 3, for: 'voters', servers: ['main'], commands: ['give {player} cake 1'] }],
  tops: [{ name: 'best', period: 'month', servers: ['main'], prizes: { '1': ['give {player} beacon 1'] } }],
  events: [{ ...PLUGIN, url: `http://127.0.0.1:${sink}/events` }],
  alarms: { url: `http://127.0.0.1:${sink}/alarms` },
  console: { port: 0, public: { port: 0 }, metrics: 'open' },
  ...more,
});

/** Every command with --help; then a Teller with votes, failures and a reload, with every command that shows something, and every page. */
export async function scenario(cli: string, tell: (step: string) => void): Promise<Seen> {
  const folder = ownFolder();
  const seen = new Map<string, unknown>();
  const stops: (() => Promise<void>)[] = [];
  const options = { cwd: folder, env: { ...process.env, TZ: 'UTC', NO_COLOR: '1' } };
  const run = (...words: readonly string[]): Promise<Ran> => finished([cli, ...words], options);
  const start = async (name: string, ...words: readonly string[]): Promise<Ready> => {
    const { stop, ready } = started<Ready>([cli, ...words], options);
    stops.push(stop);
    seen.set(`ready/${name}`, await ready);
    return ready;
  };
  const keep = async (name: string, ...words: readonly string[]): Promise<void> => {
    const { exit, out, err } = await run(...words);
    const code = /\[([a-z0-9-]+)\]\s*$/.exec(err)?.[1] ?? null;
    seen.set(`commands/${name}`, { words, exit, code, out: jsonOf(out) });
  };
  try {
    tell('help');
    await helpOf(run, [], seen);
    await keep('config schema', 'config', 'schema');
    await keep('config explain --json', 'config', 'explain', '--json');
    tell('votes');
    const sink = await start('sink', 'webhook', 'sink');
    const sinkPort = Number(new URL(sink.sink?.url ?? '').port);
    const write = (more: object = {}) =>
      writeFileSync(join(folder, 'config.json'), JSON.stringify(configOf(sinkPort, more)));
    write();
    const ready = await start('run', 'run', '--json');
    const port = String(ready.listener?.port);
    await votes(keep, port, folder);
    tell('commands');
    await each(keep, READING, 'before');
    await each(keep, CHANGING, 'changes');
    const more = { name: 'more', when: 'always', servers: ['lobby'], commands: ['say more'] };
    write({ rewards: [...configOf(0).rewards, more] });
    await keep('reload', 'reload', '--json');
    const robin = ['--player', 'Robin', '--service', 'Other.example', '--port', port, '--json'];
    await keep('vote after the reload', 'send', ...robin);
    await settled();
    await each(keep, READING, 'after');
    tell('pages');
    const { out } = await run('console', 'open', '--print');
    await pagesFrom(out.trim().split('\n').at(-1) ?? '', 'console', seen);
    tell('listing');
    await listingOf(start, keep, seen);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
  return seen;
}

type Keep = (name: string, ...words: readonly string[]) => Promise<void>;

async function votes(keep: Keep, port: string, folder: string): Promise<void> {
  const send = async (name: string, ...more: readonly string[]): Promise<void> => {
    await keep(name, 'send', '--port', port, '--json', ...more);
    // A vote of version 1 is not answered, and rewards are paid after the answer.
    await settled();
  };
  await send('votes and failures', '--player', 'Steve', '--service', 'My-List.com');
  await send('a vote again', '--player', 'Steve', '--service', 'My-List.com');
  await send('unlisted', '--player', 'Alex', '--service', 'Unlisted.example');
  await send('not let in', '--player', 'Alex', '--service', 'My-List.com', '--token', 'another-token');
  await send('not a name', '--player', 'a b;c', '--service', 'My-List.com');
  const key = join(folder, 'data/keys/public.key');
  await send('version 1', '--player', 'Alex', '--service', 'Other.example', '--public-key', key);
  await keep('fault', 'practice', 'fault', 'run-and-close', '--for', '1', '--server', 'main', '--json');
  await send('unknown outcome', '--player', 'Kim', '--service', 'My-List.com');
  await keep('join', 'practice', 'join', 'Steve', '--server', 'main', '--json');
  await settled();
}

/** Long enough for Teller to look at its queues and at who is online. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3_000));

/** Commands that show something, and some that fail. */
const READING = `votes, grants, sites, tops, party, events, alarms, clock, check, rewards list, keys
  explain Steve, explain Kim, explain Nobody, preview Steve, players show Steve, players show Nobody, shadow report
  practice players --server main, practice inventory Steve --server main, practice faults --server main
  practice clock --server main, grants --state held, votes --player Steve, config check
  reward nothing --player Steve, grants pay 999 --yes`;
/** Commands that change something, in this order. */
const CHANGING = `pause, resume, votes add --player Noor --site My-List.com, votes void 1 --reason test --yes
  reward daily --player Alex, players merge Kim --into Alex --yes, players split Kim --yes
  sites add Unlisted.example --yes, grants cancel 6 --yes, players forget Noor --yes
  backup backup-1, events test, alarms test`;

async function each(keep: Keep, lines: string, when: string): Promise<void> {
  for (const line of lines.split(/,\s*|\n\s*/)) await keep(`${when}/${line}`, ...line.split(' '), '--json');
}

async function listingOf(
  start: (name: string, ...words: readonly string[]) => Promise<Ready>,
  keep: Keep,
  seen: Map<string, unknown>,
): Promise<void> {
  const free = ['--port', '0', '--listener-port', '0', '--console-port', '0'];
  const { listing } = await start('loop', 'loop', ...free, '--json');
  const url = listing?.url ?? '';
  seen.set('listing/openapi', await (await fetch(`${url}/api/v1/openapi.json`)).json());
  await pagesFrom(`${url}/`, 'listing', seen);
  const as = ['--as', 'olga-owner', '--listing', 'Sample Craft', '--url', url, '--json'];
  await keep('dashboard/deliveries', 'dashboard', 'deliveries', ...as);
}

/** The help of a command and of all below it. */
async function helpOf(
  run: (...words: readonly string[]) => Promise<Ran>,
  words: readonly string[],
  seen: Map<string, unknown>,
): Promise<void> {
  const { out } = await run(...words, '--help');
  seen.set(`help/${words.join(' ') || 'teller'}`, out.split('\n'));
  const commands = out.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
  for (const [, name = ''] of commands.matchAll(/^ {2}([a-z][\w-]*)/gm))
    if (name !== 'help') await helpOf(run, [...words, name], seen);
}

function jsonOf(out: string): unknown {
  try {
    return JSON.parse(out);
  } catch {
    return out.split('\n');
  }
}
