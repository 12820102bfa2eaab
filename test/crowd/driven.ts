import { setTimeout as sleep } from 'node:timers/promises';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { looking } from '../kit/ledger-file.ts';
import type { Ran } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Driven, entriesOf, seenIn, wordsOf } from './compared.ts';
import type { CrowdHistory } from './oracle/written.ts';

/** Steps of monotonic time in which Teller does what there is to do: 4 minutes in all, and no less than 2 real seconds. */
const STEPS = [
  ...Array.from({ length: 3 }, () => ({ ms: 0, realMs: 1 })),
  ...Array.from({ length: 40 }, () => ({ ms: 1_000, realMs: 1 })),
  ...Array.from({ length: 200 }, () => ({ ms: 1_000, realMs: 10 })),
];

/** Longer than Teller waits between two looks at the time. */
const NOTICED_WITHIN = 90_000;

/**
 * A whole Teller whose machine sleeps from one event to the next, with votes that arrive at its listener, a game server over RCON, and
 * commands as they are typed. Monotonic time passes only in small steps, so that what Teller does comes at its time.
 */
export async function drivenTeller({ startedAt, config: first }: CrowdHistory): Promise<Driven> {
  const clock = new FakeClock(startedAt);
  const game = await rconGame();
  let config = first;
  const written = () => ({ ...entriesOf(config), gameServers: { main: game.entry } });
  const teller = await here(written(), clock);
  const look = looking(teller);

  const step = async ({ ms, realMs }: (typeof STEPS)[number]): Promise<void> => {
    clock.advance(ms);
    await sleep(realMs);
  };
  const until = async (isReached: () => boolean, what: string): Promise<void> => {
    for (const each of STEPS) {
      if (isReached()) return;
      await step(each);
    }
    throw new Error(`Teller never ${what}`);
  };
  /** Lets the machine sleep, and then the last seconds pass, so that Teller notices what is due. */
  const passTo: Driven['passTo'] = async (at) => {
    clock.sleep(Math.max(0, at - NOTICED_WITHIN - clock.now()));
    while (clock.now() < at) await step({ ms: Math.min(10_000, at - clock.now()), realMs: 1 });
  };

  const apply: Driven['apply'] = async (event) => {
    switch (event.kind) {
      case 'vote':
        return teller.vote({ player: event.player, site: event.service, at: event.at });
      case 'shown': {
        game.show(...event.players.map(({ name, uuid }) => `${name} (${uuid})`));
        const before = game.asked.length;
        const readings = () => game.asked.slice(before).filter((question) => question.endsWith(' uuids'));
        // The second reading begins after everything that the first one has brought about is stored.
        return until(() => readings().length >= 2, 'reads who is online');
      }
      case 'listed':
        config = { ...config, sites: { ...config.sites, [event.service]: {} } };
        return ended(await teller.reload(written()));
      case 'void':
      case 'merged':
        return ended(await teller.run(...(await wordsOf(event, look))));
      case 'down':
        return teller.restart(() => passTo(event.until));
    }
  };

  const settle: Driven['settle'] = async (isReached) => {
    for (const each of STEPS) {
      if (await isReached()) return;
      await step(each);
    }
  };
  return { passTo, apply, settle, seen: () => seenIn(look, game.ran), stop: teller.stop };
}

/** Two names that are one player already stay so. */
function ended({ exit, err }: Ran): void {
  if (exit !== 0 && !err.includes('[players-same]')) throw new Error(err);
}
