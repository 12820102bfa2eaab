import type { Config } from '../../src/config/config.ts';
import type { Choice } from '../../src/core/choice.ts';
import { localDay } from '../../src/core/local-time.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type Draws, draw } from '../../src/rewards/draws.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { matchSite } from '../../src/votes/intake/sites.ts';
import { examined } from '../config/examined.ts';
import { freshLedger } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';
import type { Granted as PaidOccasion } from './oracle/choices.ts';
import type { History, OracleConfig, RawReward, VoteEvent } from './oracle/oracle.ts';
import { recompute, type VoteResult } from './oracle/oracle.ts';

/** What a vote was granted: the reward, the occasion or '', and which of the reward's commands or ''. */
type Granted = readonly [reward: string, occasion: string, choice: string];

export interface Judged {
  readonly decision: string;
  readonly granted: readonly Granted[];
}

/** The numbers of a vote, in the order of arrival. */
const drawsOf = (seed: number, vote: number): Draws => ({ kind: 'drawn', seed: seed * 1_000 + vote });

/** What the recomputation grants each vote of a history. */
export function recomputed(history: History, seed: number): readonly Judged[] {
  const { results } = recompute(history, (vote, reward, occasion, purpose) =>
    draw(drawsOf(seed, vote), purpose, reward, occasion),
  );
  return results.filter((result) => result !== null).map(judgedOf);
}

const judgedOf = ({ decision, rewards }: VoteResult): Judged => ({
  decision,
  granted: rewards.flatMap(({ name, granted }) =>
    granted.map((one): Granted => [name, one.occasion, choiceOf(one)]),
  ),
});

const choiceOf = ({ choice, prize, otherwise }: PaidOccasion): string =>
  otherwise ? 'otherwise' : (choice ?? prize ?? '');

/** What the ledger grants each vote of a history. */
export async function recorded(history: History, seed: number): Promise<readonly Judged[]> {
  const { ledger } = freshLedger();
  let config = await started(ledger, history.config, history.startedAt);
  const judged: Judged[] = [];
  for (const event of history.events) {
    if (event.kind === 'void') await voided(ledger, event.vote);
    if (event.kind === 'config') config = await started(ledger, event.config, event.at);
    if (event.kind === 'vote') judged.push(await vote(ledger, config, event, drawsOf(seed, judged.length)));
  }
  const wrong = await wrongCountsOf(ledger);
  if (wrong.recipients.length > 0 || wrong.network) throw new Error(`wrong counts: ${JSON.stringify(wrong)}`);
  // At once, because thousands of histories are compared in one test.
  await ledger.close();
  return judged;
}

async function started(ledger: Ledger, written: OracleConfig, at: number): Promise<Config> {
  const { config, faults } = await examined(entriesOf(written));
  if (config === null) throw new Error(JSON.stringify(faults));
  const zone = config.timeZone ?? 'UTC';
  await ledger.useConfig({ rewards: config.rewards, today: localDay(at, zone) });
  return config;
}

/** In the recomputation, an entry that leaves out `counts` does not inherit it. */
const entriesOf = ({ timeZone, sites, rewards }: OracleConfig) => ({
  timeZone,
  sites: Object.fromEntries(
    Object.entries({ default: { cooldown: '24h' }, ...sites }).map(([name, site]) => [
      name,
      { counts: 'rewarded', ...site },
    ]),
  ),
  rewards: rewards.map((entry) =>
    'firstOf' in entry ? { firstOf: entry.firstOf.map(paidAtOnce) } : paidAtOnce(entry),
  ),
});

const paidAtOnce = (reward: RawReward) => ({ when: 'always', ...reward });

async function vote(ledger: Ledger, config: Config, event: VoteEvent, draws: Draws): Promise<Judged> {
  const { service, castAt, receivedAt } = event;
  const { key, entry } = matchSite(config.sites, service);
  const one = arrival({
    service,
    site: key,
    player: event.player as PlayerName,
    castAt,
    receivedAt,
    claim: null,
  });
  const unrewarded = event.beforeStart ? 'before-start' : event.tooOld ? 'too-old' : undefined;
  const rules = rulesOf(config, config.timeZone ?? 'UTC');
  const { cooldown, countsAll } = entry;
  await ledger.record({ ...one, cooldown, countsAll, unrewarded, draws, rules }, null);
  const [row] = await ledger.votes({ limit: 1 });
  if (row === undefined) return { decision: 'none', granted: [] };
  const grants = (await ledger.grants({ voteId: row.id, limit: 1_000 })).toReversed();
  return {
    decision: row.decision,
    granted: grants.map(({ reward, occasion, choice }): Granted => [reward, occasion, storedChoice(choice)]),
  };
}

const storedChoice = (choice: Choice | null): string =>
  choice === null ? '' : 'name' in choice ? choice.name : choice.from;

/** The IDs of votes are their numbers in the order of arrival, from 1. */
async function voided(ledger: Ledger, number: number): Promise<void> {
  const answer = await ledger.voidVotes([number + 1], { by: 'ann', reason: 'forged' }, 0);
  if (answer.kind !== 'voided') throw new Error(answer.code);
}
