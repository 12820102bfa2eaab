import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { median } from '../support/median.ts';
import { compiled, startTeller } from '../support/processes.ts';

const FLOOD_CONNECTIONS = join(import.meta.dirname, '../support/flood-connections.ts');
/** 2,000 silent connections and 500 that send junk. */
const CONNECTIONS = 2_500;
const DEADLINE_MS = 5_000;
/** The files that the flooding process needs besides its sockets. */
const SPARE_FILES = 200;

/** Every socket counts as an open file. With a lower limit, the flood is smaller. */
function openFilesAllowed(): number {
  try {
    const line = /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(line?.[1] ?? 4_096);
  } catch {
    return 4_096;
  }
}

const size = Math.min(CONNECTIONS, openFilesAllowed() - SPARE_FILES);

interface Opened {
  readonly ms: number;
  readonly ended: number;
}

interface Over {
  readonly opened: number;
  readonly longestMs: number;
}

function startFlood(port: number, from: string): { opened: Promise<Opened>; over: Promise<Over> } {
  const child = spawn(process.execPath, [compiled(FLOOD_CONNECTIONS), `${port}`, `${size}`, from], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { opened: messageOf<Opened>(child, 'opened'), over: messageOf<Over>(child, 'over') };
}

const messageOf = <Message>(child: ChildProcess, kind: string): Promise<Message> =>
  new Promise((resolve) => {
    child.on('message', (message: { kind: string }) => {
      if (message.kind === kind) resolve(message as Message);
    });
  });

interface Answer {
  readonly code: string;
  readonly ms: number;
}

/** Sends one vote from an address. Returns the result and the time it took. */
async function vote(port: number, username: string, localAddress: string): Promise<Answer> {
  const started = systemClock.monotonic();
  const { code } = await sendVote(
    { serviceName: 'List', username, address: '', timestamp: String(systemClock.now()) },
    { host: '127.0.0.1', port, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock, connect: (host, to) => connect({ host, port: to, localAddress }) },
  );
  return { code, ms: Math.round(systemClock.monotonic() - started) };
}

test.each([
  ['many addresses', 'many', '127.1.0.1'],
  ['one address', 'one', '127.9.9.9'],
])(
  '2,000 silent and 500 junk connections from %s keep no vote from being accepted, delay most by less than a second, and are gone after the deadline',
  {
    timeout: 60_000,
  },
  async (_, from, among) => {
    const { config, folder, ledger } = configFolder({ rewards: [] }); // All limits are the default ones.
    const { ready, log } = await startTeller(['run', '--config', config], folder);
    const { port } = ready.listener;

    const { opened, over } = startFlood(port, from);
    const answers: Answer[] = [];
    let isOpen = false;
    void opened.then(() => (isOpen = true));
    // Some votes while the connections are opened and some afterwards, from alternating addresses.
    while (!isOpen || answers.length % 2 === 1) {
      answers.push(
        await vote(port, `Voter${answers.length}`, answers.length % 2 === 0 ? '127.0.0.1' : among),
      );
    }
    const whileOpening = answers.length;
    for (const address of ['127.0.0.1', among, among, '127.0.0.1']) {
      answers.push(await vote(port, `Voter${answers.length}`, address));
    }
    expect(answers.filter(({ code }) => code !== 'accepted')).toEqual([]);
    expect(median(answers.map(({ ms }) => ms))).toBeLessThan(1_000);
    expect(whileOpening).toBeGreaterThan(0);

    const { opened: everOpen, longestMs } = await over;
    expect(everOpen).toBe(size);
    // Time in which Teller did not run is given back, at most once the deadline (rule 13).
    expect(longestMs).toBeLessThan(2 * DEADLINE_MS + 1_500);
    expect(await vote(port, 'After', '127.0.0.1')).toMatchObject({ code: 'accepted' });
    expect(await lookInto(ledger).votes({ limit: 99_999 })).toHaveLength(answers.length + 1);
    // The log has lines for votes and for codes, none for each connection.
    expect(
      log()
        .split('\n')
        .filter((line) => !line.includes('"vote":')).length,
    ).toBeLessThan(40);
  },
);
