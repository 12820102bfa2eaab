import { createServer } from 'node:net';
import { Problem } from '../core/problem.ts';
import { listen } from '../runtime/listen.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Whether votes can come in: the port is free, or the Teller of this ledger has it. */
export async function checkPort({ config, isRunning, isOffline }: Subject): Promise<readonly Finding[]> {
  const { host, port } = config.listener;
  if (isOffline) return [];
  if (port === 0) {
    return [
      warning('port', 'the listener takes any free port, a new one at each start', 'set listener.port'),
    ];
  }
  const where = `${host}:${port}`;
  const taken = await whyTaken(host, port);
  if (taken === null) {
    return isRunning
      ? [
          warning(
            'port-not-held',
            `a Teller runs, but ${where} is free: it was started with another port`,
            'restart it',
          ),
        ]
      : [ok('port', `${where} is free`)];
  }
  if (taken.code === 'port-in-use' && isRunning)
    return [ok('port', `${where} is held, and Teller is running`)];
  return [problem(taken.code, taken.message)];
}

async function whyTaken(host: string, port: number): Promise<Problem | null> {
  const server = createServer();
  try {
    const likelyHolder = 'another Votifier plugin, or a Teller with another ledger';
    await listen(server, { host, port, key: 'listener.port in the config', likelyHolder });
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  } finally {
    server.close();
  }
}
