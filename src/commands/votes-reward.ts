import type { Clock } from '../core/clock.ts';
import { percent } from '../core/percent.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { shownService } from '../core/service-name.ts';
import { closeCommand } from '../core/template.ts';
import {
  planVoteReward,
  type RewardedByOperator,
  rewardVote,
  type VoteRefused,
  type VoteRewardPlan,
} from '../operator/reward-vote.ts';
import { grantJson } from '../operator/trace/rows.ts';
import type { Terminal } from '../platform/terminal.ts';
import { explainRewards, rollsIn } from '../rewards/words.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

export interface RewardTools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly ask: Ask;
}

const newCommand = () =>
  new Command('reward')
    .description(
      'reward a vote that was counted but not rewarded; possible once per vote, and takes no window',
    )
    .argument('<id>', 'the ID of the vote')
    .option('--yes', 'do not ask')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON, for scripts');

export const votesRewardCommand = (tools: RewardTools) =>
  newCommand().action(
    action(tools.terminal, (id, flags, { parent }) => {
      const config = flags.config ?? String(parent?.getOptionValue('config') ?? DEFAULT_CONFIG);
      return reward(id, { ...flags, config }, tools);
    }),
  );

async function reward(
  word: string,
  { config: file, json, yes }: FlagsOf<typeof newCommand> & { readonly config: string },
  { terminal, clock, random, ask }: RewardTools,
): Promise<ExitCode> {
  const flags = new Flags();
  const id = flags.wholeNumber('ID', word, 1, Number.MAX_SAFE_INTEGER) ?? 0;
  flags.done();
  return changeLedger(file, clock, async (ledger, config, time): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, json);
    const plan = await planVoteReward(ledger, config, id);
    if (plan.kind === 'refused') throw refused(id, plan);
    printPlan(terminal, plan);
    await agreed(terminal, ask, yes === true, `Reward vote ${id} with these?`);
    const rewarded = await rewardVote(ledger, config, plan, random, time);
    if (rewarded.kind === 'refused') throw refused(id, rewarded);
    if (json) printJson(terminal, [rewardedJson(id, rewarded)]);
    else printRewarded(terminal, id, rewarded);
    return 0;
  });
}

const why: Readonly<Record<VoteRefused['code'], (id: number) => string>> = {
  'vote-missing': (id) => `there is no vote ${id} in the ledger; \`teller votes\` lists them`,
  'vote-rewarded': (id) =>
    `vote ${id} was rewarded when it arrived, so nothing was changed; \`teller grants\` lists its grants`,
  'vote-rewarded-by-operator': (id) =>
    `vote ${id} was already rewarded by the operator, and a vote is rewarded once; nothing was changed`,
  'vote-imported': (id) =>
    `vote ${id} was imported, so the plugin that it comes from has paid it or owes it, and nothing was changed; if it did not, \`teller reward NAME --player PLAYER\` gives a reward without a vote`,
  'vote-forgotten': (id) =>
    `the player of vote ${id} was forgotten, so it cannot be rewarded; nothing was changed`,
  'vote-no-player': (id) =>
    `vote ${id} names no player, so it cannot be rewarded; ask the player to vote with their name`,
  'vote-voided': (id) => `vote ${id} is voided, so it cannot be rewarded; nothing was changed`,
  'reward-none': (id) =>
    `no reward in the config applies to vote ${id}, so nothing was changed; change the "if" of a reward or add one first`,
};

const refused = (id: number, { code }: VoteRefused): Problem => new Problem(code, why[code](id));

function printPlan(terminal: Terminal, { vote, grants, chances }: VoteRewardPlan): void {
  const who = vote.player ?? vote.recipient;
  terminal.err(
    `vote ${vote.id} by ${who} on ${shownService(vote.service, 128)} (${vote.decision}) would be rewarded with:`,
  );
  for (const { reward: name, server, practice, when, commands } of grants) {
    const chance = chances.get(name);
    const luck = chance === undefined ? '' : `, with a chance of ${percent(chance)}`;
    const on = practice ? `${server}, a practice server` : server;
    terminal.err(
      `  ${name}${luck}: on ${on}, ${when === 'always' ? 'at once' : `when ${who} is online there`}`,
    );
    for (const command of commands)
      terminal.err(`    ${closeCommand(command, { player: who, uuid: null, now: vote.castAt })}`);
  }
}

function printRewarded(terminal: Terminal, id: number, { grants, reasons }: RewardedByOperator): void {
  for (const { reward: name, sentence } of explainRewards(reasons)) terminal.out(`${name}: ${sentence}`);
  for (const grant of grants) {
    terminal.out(`grant ${grant.id}: ${grant.reward} will be paid on ${grant.server} by the running Teller`);
  }
  if (grants.length === 0) terminal.out(`vote ${id} won nothing`);
}

const rewardedJson = (id: number, { grants, reasons }: RewardedByOperator) => ({
  id,
  rolls: rollsIn(reasons),
  rewards: explainRewards(reasons),
  grants: grants.map(grantJson),
});
