import { type Finding, ok, problem } from '../../../core/finding.ts';
import type { Presence } from '../../game-server.ts';
import type { CheckParts } from '../../game-server-kind.ts';
import { presenceFinding } from '../../presence-finding.ts';
import { httpGameServer } from './game-server.ts';
import { reach } from './reach.ts';
import type { HttpConfig } from './schema.ts';

/** Asks who is online, if it can tell. Otherwise it only connects: a posted command would pay a player. */
export async function checkHttp(config: HttpConfig, parts: CheckParts): Promise<Finding> {
  const { url, commandTimeoutMs, answers } = config;
  const { name, clock, sentenceOf } = parts;
  const target = { url: new URL(url), commandTimeoutMs, clock };
  const where = `${name} (${target.url.host})`;
  if (answers) return presenceFinding({ ...parts, where }, await presenceOf(config, parts));
  const reached = await reach(target, new AbortController().signal);
  if (reached.kind === 'failed') return problem(reached.reason, `${where}: ${sentenceOf(reached.reason)}`);
  reached.socket.destroy();
  return ok(
    'game-server',
    `${where} accepts connections; only the first command will show whether it accepts commands`,
  );
}

async function presenceOf(config: HttpConfig, { name, clock, random }: CheckParts): Promise<Presence> {
  const server = httpGameServer({ ...config, name, clock, random });
  try {
    return await server.presence([]);
  } finally {
    await server.close();
  }
}
