import { spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { median } from '../support/median.ts';
import { compiled, startTeller } from '../support/processes.ts';
import { v1Block } from '../support/votifier-client.ts';

const SEND_JUNK = join(import.meta.dirname, '../support/send-junk.ts');
/** Set HOSTILE_CONNECTIONS for a longer run that prints figures. */
const CONNECTIONS = Number(process.env.HOSTILE_CONNECTIONS ?? 12_000);

const memoryMiB = (pid = 0): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
};

function startJunk(port: number, blockFile: string): Promise<{ ms: number }> {
  const args = [compiled(SEND_JUNK), `${port}`, `${CONNECTIONS}`, blockFile];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'message').then(([message]) => message);
}

async function vote(port: number, username: string, localAddress: string) {
  const started = systemClock.monotonic();
  const { code } = await sendVote(
    { serviceName: 'List', username, address: '', timestamp: String(systemClock.now()) },
    { host: '127.0.0.1', port, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock, connect: (host, to) => connect({ host, port: to, localAddress }) },
  );
  return { code, ms: systemClock.monotonic() - started };
}

test('thousands of junk connections per second keep no vote from being accepted, delay most by less than a second, and memory and log stay small', {
  timeout: 120_000,
}, async () => {
  const { config, folder, ledger } = configFolder({ rewards: [] }); // All limits are the default ones.
  const { ready, log, process: teller } = await startTeller(['run', '--config', config], folder);
  const { port } = ready.listener;
  const blockFile = join(folder, 'block');
  const publicKey = readFileSync(join(folder, 'data/keys/public.key'), 'utf8');
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  writeFileSync(blockFile, v1Block(`VOTE\nList\nReplayed\n192.0.2.1\n${systemClock.now()}\n`, key));
  await vote(port, 'Before', '127.0.0.1');
  const before = memoryMiB(teller.pid);

  let isOver = false;
  const junk = startJunk(port, blockFile).then((message) => {
    isOver = true;
    return message;
  });
  const answers: { code: string; ms: number }[] = [];
  let during = before;
  while (!isOver || answers.length < 20) {
    // In turn from a separate address and from an address of the junk.
    const from = answers.length % 2 === 0 ? '127.0.0.1' : '127.2.0.1';
    answers.push(await vote(port, `Voter${answers.length}`, from));
    during = Math.max(during, memoryMiB(teller.pid));
  }
  const { ms } = await junk;
  const after = memoryMiB(teller.pid);

  expect(answers.filter(({ code }) => code !== 'accepted')).toEqual([]);
  const middle = median(answers.map((answer) => answer.ms));
  expect(middle).toBeLessThan(1_000);
  expect(during - before).toBeLessThan(150);

  const look = lookInto(ledger);
  const rows = await look.votes({ limit: 99_999 });
  // The replayed block is one vote.
  expect(rows.filter(({ player }) => player === 'Replayed')).toHaveLength(1);
  expect(rows).toHaveLength(answers.length + 2);
  const named = ['http', 'proxy-header', 'ssh', 'tls', 'v1-bad-block'];
  const seen = async () => {
    const codes = (await look.refusals(0)).map(({ code }) => code);
    return [...new Set(codes)].filter((code) => named.includes(code)).sort();
  };
  await expect.poll(seen, { timeout: 15_000 }).toEqual(named);
  const lines = log()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"vote":'));
  expect(lines.length).toBeLessThan(60);
  if (process.env.HOSTILE_CONNECTIONS !== undefined) {
    const perSecond = Math.round(CONNECTIONS / (ms / 1_000));
    process.stdout.write(
      `${CONNECTIONS} junk connections, ${perSecond} a second; ${answers.length} votes, median ${Math.round(middle)} ms; memory ${Math.round(before)}, ${Math.round(during)}, ${Math.round(after)} MiB\n`,
    );
  }
});
