import type { Log } from '../../../src/core/log.ts';
import { TOKEN } from '../../support/config-folder.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { silentLog } from '../../support/log.ts';
import { runningConsole } from '../../support/running-console.ts';
import { voteTo } from '../../support/votes-to.ts';

const SITES = {
  default: { token: TOKEN },
  'My-List.com': { url: 'https://my-list.example/vote', label: 'My List' },
  'Twelve.example': { url: 'https://twelve.example/vote', cooldown: '12h' },
  'No-Link.example': {},
};

/** 14:00 in Berlin. */
const NOON = '2026-06-01T12:00:00Z';

export interface Told {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A whole Teller with a public page, where it is 14:00 on 1 June 2026 in Berlin. */
export async function openPage(overrides: object = {}, page: object = {}, log: Log = silentLog) {
  const clock = new FakeClock(NOON);
  const running = await runningConsole(
    clock,
    {
      console: { port: 0, public: { port: 0, ...page } },
      sites: SITES,
      timeZone: 'Europe/Berlin',
      // Nothing is paid, so nothing waits for a clock that stands still.
      rewards: [],
      ...overrides,
    },
    log,
  );
  const get = async (path = '/', headers: Record<string, string> = {}): Promise<Told> => {
    const answer = await fetch(`${running.console.publicPage?.url}${path}`, { headers });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const json = async (path = '/') => JSON.parse((await get(path, { accept: 'application/json' })).text);
  const vote = (player: string, service = 'My-List.com') =>
    voteTo(running.app.listener.port, player, service, TOKEN, clock);
  return { ...running, clock, get, json, vote };
}
