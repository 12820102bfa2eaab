import { expect, test } from 'vitest';
import { drawn } from '../kit/judged.ts';
import { type LedgerOfTest, ledgers, RIGHT } from '../kit/ledgers.ts';
import { randomHistory } from './oracle/histories.ts';
import { literalCases } from './oracle/literal.ts';
import {
  type History,
  type OracleConfig,
  type Granted as PaidOccasion,
  type RawReward,
  recompute,
  type VoteEvent,
  type VoteResult,
} from './oracle/oracle.ts';

/** So many take about 15 seconds. */
const HISTORIES_BY_DEFAULT = 25;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);

/** What a vote was granted: the reward, the occasion or '', and which of the reward's commands or ''. */
type Granted = readonly [reward: string, occasion: string, choice: string];

interface Judged {
  readonly decision: string;
  readonly granted: readonly Granted[];
}

/** Of a vote, by its number in the order of arrival. */
const seedOf = (seed: number, vote: number): number => seed * 1_000 + vote;

/** What the recomputation grants each vote of a history. */
function recomputed(history: History, seed: number): readonly Judged[] {
  const { results } = recompute(history, (vote, reward, occasion, purpose) =>
    drawn(seedOf(seed, vote), purpose, reward, occasion),
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
async function recorded({ config, startedAt, events }: History, seed: number): Promise<readonly Judged[]> {
  const ledger = await ledgers({ ...entriesOf(config), rewards: [] });
  await ledger.use(entriesOf(config), startedAt);
  const judged: Judged[] = [];
  for (const event of events) {
    // The IDs of votes are their numbers in the order of arrival, from 1.
    if (event.kind === 'void') expect(await ledger.void(event.vote + 1)).toEqual({ kind: 'voided' });
    if (event.kind === 'config') await ledger.use(entriesOf(event.config), event.at);
    if (event.kind === 'vote') judged.push(await vote(ledger, event, seedOf(seed, judged.length)));
  }
  expect(await ledger.wrong()).toEqual(RIGHT);
  // At once, because thousands of histories are compared in one test.
  await ledger.close();
  return judged;
}

/** In the recomputation, an entry that leaves out `counts` does not inherit it. */
const entriesOf = ({ timeZone, sites, rewards }: OracleConfig) => ({
  timeZone,
  sites: Object.fromEntries(
    Object.entries({ default: { cooldown: '24h' }, ...sites }).map(
      ([name, site]) => [name, { counts: 'rewarded', ...site }] as const,
    ),
  ),
  rewards: rewards.map((entry) =>
    'firstOf' in entry ? { firstOf: entry.firstOf.map(paidAtOnce) } : paidAtOnce(entry),
  ),
});

const paidAtOnce = (reward: RawReward) => ({ when: 'always', ...reward });

async function vote(ledger: LedgerOfTest, event: VoteEvent, seed: number): Promise<Judged> {
  const { player, service: on, castAt: at, receivedAt: received } = event;
  const unrewarded = event.beforeStart ? 'before-start' : event.tooOld ? 'too-old' : undefined;
  await ledger.vote({ player, on, at, received, seed, unrewarded });
  const [row] = await ledger.votes({ limit: 1 });
  if (row === undefined) return { decision: 'none', granted: [] };
  const grants = await ledger.grants({ voteId: row.id });
  const granted = grants.map((one): Granted => [one.reward, one.occasion, nameOf(one.choice)]);
  return { decision: row.decision, granted };
}

const nameOf = (choice: { readonly from: string; readonly name?: string } | null): string =>
  choice === null ? '' : (choice.name ?? choice.from);

test(
  'in random histories the ledger grants exactly what a recomputation grants (rule 14)',
  async () => {
    for (let seed = 0; seed < HISTORIES; seed++) {
      const history = randomHistory(seed);
      expect(await recorded(history, seed), `seed ${seed}`).toEqual(recomputed(history, seed));
    }
  },
  2_000 * HISTORIES,
);

test.each(literalCases)('the ledger grants the same where $name', async ({ history, steps }) => {
  const whole = { ...history, events: steps.map(({ event }) => event) };
  expect(await recorded(whole, 7)).toEqual(recomputed(whole, 7));
});
