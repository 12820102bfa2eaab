import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Apart, apart, typedApart } from '../kit/apart.ts';
import { looking } from '../kit/ledger-file.ts';
import { furnish } from '../kit/place.ts';
import { RawClient } from '../kit/practice.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Driven, entriesOf, seenIn, wordsOf } from './compared.ts';
import type { CrowdHistory, Shown } from './oracle/written.ts';

const GAME_SERVERS = {
  main: {
    ...{ kind: 'practice', autoJoin: false, joinDelay: '0s' },
    ...{ commandPause: '0s', presenceInterval: '1s' },
  },
};

/** How long Teller gets to come to what is expected: longer than it ever pauses between two looks at the time. */
const PATIENCE_MS = 15_000;
/** When time is moved on by a second, so that Teller looks at what is due at once instead of when it would by itself. */
const NUDGE_AFTER_MS = 60;
const POLL_MS = 10;

/** How a tester logs in at a practice server to control it, and how it begins to refuse a request. */
const CONTROL_LOGIN_ID = 20_563;
const REFUSED = 'No: ';

/**
 * `teller run --practice-clock` as a process of its own, with a practice server. Time, players and sites change by what
 * testers have for that: `teller practice`, `teller sites add`, kill -9, and the next start.
 *
 * @param history begins in the future: see `inFuture`.
 */
export async function practicedTeller({ startedAt, config }: CrowdHistory): Promise<Driven> {
  const log = { level: 'debug', format: 'json' };
  const place = furnish(temporaryFolder(), { ...entriesOf(config), log, gameServers: GAME_SERVERS });
  let teller: Apart;
  let control: RawClient;
  let offsetMs = 0;
  let online: readonly Shown[] = [];
  /** What the practice servers of ended processes ran. */
  let earlier: readonly string[] = [];
  const listed = new Set<string>();
  const now = () => Date.now() + offsetMs;

  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await typedApart(place, words);
    if (code !== 0) throw new Error(`teller ${words.join(' ')} ended with ${code}: ${err}`);
    return out;
  };
  /** In one piece, so that the practice server changes between two questions of Teller. */
  const ask = async (...requests: readonly string[]): Promise<string[]> => {
    control.send(...requests.map((body, id) => ({ id, type: 2, body })));
    const answers: string[] = [];
    for (const request of requests) {
      const reply = await control.next();
      const answer = reply === 'closed' ? reply : reply.body;
      if (reply === 'closed' || answer.startsWith(REFUSED)) throw new Error(`${request}: ${answer}`);
      answers.push(answer);
    }
    return answers;
  };
  const move = async (byMs: number): Promise<void> => {
    const seconds = Math.floor(byMs / 1_000);
    const steps = [`${seconds}s`, `${Math.ceil(byMs - seconds * 1_000)}ms`].filter(
      (step) => !/^0/.test(step),
    );
    const answers = await ask(...steps.map((step) => `practice clock "${step}"`));
    offsetMs = JSON.parse(answers.at(-1) ?? '{}').offsetMs;
  };
  /** The commands of this process that its practice server ran. */
  const ran = (wanted: RegExp): string[] => {
    const lines = teller.log().split('\n').slice(0, -1);
    return lines.flatMap((line) => {
      if (!line.includes('"practice-command"')) return [];
      const { command } = JSON.parse(line) as { command: string };
      return wanted.test(command) ? [command] : [];
    });
  };
  const sent = () => [...earlier, ...ran(/^say /)];
  /** @returns whether it is so in time. */
  const until = async (isReached: () => Promise<boolean>): Promise<boolean> => {
    const begun = performance.now();
    for (let nudgeAt = begun + NUDGE_AFTER_MS; !(await isReached()); await sleep(POLL_MS)) {
      const time = performance.now();
      if (time - begun > PATIENCE_MS) return false;
      if (time < nudgeAt) continue;
      await move(1_000);
      // Rarer and rarer, because votes come a minute apart.
      nudgeAt = time + 2 * (time - begun);
    }
    return true;
  };

  /** Teller reads who is online twice, as it does in time: the second reading begins after the first one is stored. */
  const show = async (players: readonly Shown[]): Promise<void> => {
    const isIn = (all: readonly Shown[]) => (one: Shown) =>
      all.some(({ name, uuid }) => name === one.name && uuid === one.uuid);
    const gone = online.filter((one) => !isIn(players)(one));
    const come = players.filter((one) => !isIn(online)(one));
    online = players;
    await ask(
      ...gone.map(({ name }) => `practice leave "${name}"`),
      ...come.map(({ name, uuid }) => `practice join "${name}" "${uuid}"`),
    );
    const readings = () => ran(/^(?:minecraft:)?list uuids$/).length;
    for (let times = 0; times < 3; times++) {
      const before = readings();
      await move(1_000);
      const isRead = await until(async () => readings() > before);
      if (!isRead) throw new Error('Teller never reads who is online');
    }
  };
  /** Starts Teller when its machine shows this time. */
  const begin = async (at: number): Promise<void> => {
    const seconds = Math.max(0, Math.ceil((at - now()) / 1_000));
    if (seconds > 0) {
      const out = await run('practice', 'clock', `${seconds}s`, '--json');
      offsetMs = JSON.parse(out)[0]?.offsetMs ?? 0;
    }
    teller = await apart(place, [], ['--practice-clock']);
    const file = join(place.folder, 'data/practice-main.json');
    const address: { host: string; port: number; password: string } = JSON.parse(readFileSync(file, 'utf8'));
    control = await RawClient.open(address);
    control.send({ id: CONTROL_LOGIN_ID, type: 3, body: address.password });
    await control.next();
  };

  await begin(startedAt);
  const look = looking(place);
  const seen = () => seenIn(look, sent());
  return {
    seen,
    passTo: async (at) => {
      if (at > now()) await move(at - now());
    },
    apply: async (event) => {
      switch (event.kind) {
        case 'vote':
          return teller.vote({ player: event.player, site: event.service, at: event.at });
        case 'shown':
          return show(event.players);
        case 'listed':
          if (listed.has(event.service)) return;
          listed.add(event.service);
          return run('sites', 'add', event.service, '--yes');
        case 'void':
        case 'merged':
          return run(...(await wordsOf(event, look)));
        case 'down': {
          await teller.kill();
          earlier = sent();
          await begin(event.until);
          const players = online;
          online = [];
          // Where nothing waits, Teller does not ask who is online, and there is nobody.
          if (players.length > 0) await show(players);
        }
      }
    },
    settle: async (isReached) => void (await until(isReached)),
    stop: async () => void (await teller.kill()),
  };
}

/**
 * The same history in the first year in which it begins in the future: a real process cannot begin in the past, because the
 * practice clock only moves forward.
 */
export function inFuture(history: CrowdHistory): CrowdHistory {
  let years = 0;
  while (inLaterYear(history.startedAt, years) <= Date.now()) years++;
  const events = history.events.map((event) => ({
    ...event,
    at: inLaterYear(event.at, years),
    ...(event.kind === 'down' ? { until: inLaterYear(event.until, years) } : {}),
  }));
  return { ...history, startedAt: inLaterYear(history.startedAt, years), events };
}

function inLaterYear(at: number, years: number): number {
  const date = new Date(at);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
