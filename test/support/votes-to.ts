import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from './config-folder.ts';

/** Sends a v2 vote that is cast now, by this clock, to a listener of this machine, over a socket. */
export const voteTo = (
  port: number,
  player = 'Steve',
  serviceName = 'List',
  token = TOKEN,
  clock: Pick<Clock, 'now'> = systemClock,
) =>
  sendVote(
    {
      ...{ serviceName, username: player, address: '192.0.2.1' },
      timestamp: String(clock.now()),
    },
    { host: '127.0.0.1', port, auth: { version: 'v2', token } },
    { clock: systemClock },
  );
