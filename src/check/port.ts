import { createServer } from 'node:net';
import { Problem } from '../core/problem.ts';
import { listen } from '../runtime/listen.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** A port that votes come in by. */
interface Door {
  readonly host: string;
  readonly port: number;
  /** Its key in the config. */
  readonly key: 'listener' | 'webhook';
}

/** Whether votes can come in: each port is free, or the Teller of this ledger has it. */
export async function checkPorts(subject: Subject): Promise<readonly Finding[]> {
  const { listener, webhook, sites } = subject.config;
  if (subject.isOffline) return [];
  const hasWebhook = [...sites.values()].some((site) => site.webhook !== null);
  const doors: Door[] = [
    { ...listener, key: 'listener' },
    ...(hasWebhook ? [{ ...webhook, key: 'webhook' } as const] : []),
  ];
  return Promise.all(doors.map((door) => checkDoor(door, subject)));
}

async function checkDoor({ host, port, key }: Door, { isRunning }: Subject): Promise<Finding> {
  if (port === 0) {
    return warning('port', `the ${key} takes any free port, a new one at each start`, `set ${key}.port`);
  }
  const where = `${host}:${port} (${key})`;
  const taken = await whyTaken(host, port, key);
  if (taken === null && isRunning) {
    const sentence = `a Teller runs, but ${where} is free: it was started with another port`;
    return warning('port-not-held', sentence, 'restart it');
  }
  if (taken === null) return ok('port', `${where} is free`);
  if (taken.code === 'port-in-use' && isRunning) return ok('port', `${where} is held, and Teller is running`);
  return problem(taken.code, taken.message);
}

async function whyTaken(host: string, port: number, key: Door['key']): Promise<Problem | null> {
  const server = createServer();
  try {
    const likelyHolder = 'another Votifier plugin, or a Teller with another ledger';
    await listen(server, { host, port, key: `${key}.port in the config`, likelyHolder });
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  } finally {
    server.close();
  }
}
