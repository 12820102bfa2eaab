import { onTestFinished } from 'vitest';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import { Together } from '../../src/delivery/together/together.ts';
import type { Publish, Remind, Rules, Top } from '../../src/rewards/reward.ts';
import { quiet, ScriptedServer } from '../delivery/scripted-queue.ts';
import { FakeClock } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import { freshLedger, record } from './ledgers.ts';
import { keptLog } from './log.ts';
import { rulesWith } from './parties.ts';
import { arrival } from './votes.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

/** What players earn together, on the scripted game servers `main` and `sky`. */
export interface Start extends Partial<Rules> {
  readonly tops?: readonly Top[];
  readonly publish?: readonly Publish[];
  readonly remind?: readonly Remind[];
  /** How late the votes of a site with an API may come. */
  readonly maxAgeMs?: number;
  readonly file?: string;
  readonly now?: number;
}

export function startTogether({
  tops = [],
  publish = [],
  remind = [],
  maxAgeMs,
  file,
  now = NOON,
  ...settings
}: Start) {
  const clock = new FakeClock(now);
  const fresh = freshLedger(file);
  const { ledger } = fresh;
  const { log, codes } = keptLog();
  const servers = { main: new ScriptedServer(), sky: new ScriptedServer() };
  let rules = { ...rulesWith(), ...settings };
  /** Up to when the API of the site `List` was asked for missed votes. */
  let lookedUntil: number | null = null;
  const recovered = () => [{ site: 'List', lookedUntil }];
  const parts = { ledger, clock, random: fixedRandom(0), log, onGrants: () => {}, recovered };
  const api = maxAgeMs === undefined ? null : { maxAgeMs };
  const sites = new Map([['List', { api }]]);
  const seen = new SeenPlayers(ledger, clock, { rules, believed: new Set(Object.keys(servers)) });
  const around = {
    seen,
    bedrockPrefixes: ['.'],
    servers: new Map(Object.entries(servers)),
    tops,
    publish,
    remind,
    sites,
  };
  const begin = (): Together => {
    const begun = new Together(parts, { ...around, rules });
    begun.start();
    onTestFinished(() => begun.close());
    return begun;
  };
  let together = begin();
  /** As after a restart. */
  const again = (): void => {
    together = begin();
  };
  const pass = async (ms: number, stepMs = 1_000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await quiet(30);
    }
  };
  let votes = 0;
  /** A vote of each, on a site of its own. */
  const vote = async (...players: readonly string[]): Promise<void> => {
    for (const player of players) {
      votes += 1;
      const cast = arrival({ player, site: `List ${votes}`, claim: null, receivedAt: clock.now() });
      await record(ledger, [cast], rules);
    }
  };
  const paid = async (): Promise<readonly string[]> =>
    (await ledger.grants({ limit: 99 }))
      .map(({ player, occasion, server }) => `${player}: ${occasion} on ${server}`)
      .toReversed();
  const reload = (next: Partial<Rules>): void => {
    rules = { ...rules, ...next };
    together.apply({ ...around, rules });
  };
  return {
    ...fresh,
    clock,
    servers,
    codes,
    pass,
    vote,
    paid,
    reload,
    again,
    close: () => together.close(),
    recover: (until: number): void => {
      lookedUntil = until;
    },
  };
}
