import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { giveReward } from '../operator/give-reward.ts';
import { grantJson } from '../operator/trace/rows.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

const newCommand = () =>
  new Command('reward')
    .description(
      'give a reward of the config to a player without a vote, whatever its conditions and limits say',
    )
    .argument('<name>', 'the name of the reward')
    .requiredOption('--player <name>', 'the player; a Bedrock name with its prefix')
    .option('--occasion <occasion>', 'grant it for an occasion, such as "total 25", which is then spent')
    .option('--server <name>', 'only on this one of its game servers')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

export const rewardCommand = (terminal: Terminal, tools: Tools) =>
  newCommand().action(action(terminal, (name, flags) => reward(name, flags, terminal, tools)));

function reward(
  name: string,
  { config: file, json, player, occasion, server }: FlagsOf<typeof newCommand>,
  terminal: Terminal,
  { clock, random }: Tools,
): Promise<ExitCode> {
  return changeLedger(file, clock, async (ledger, config, time): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, json);
    const asked = { reward: name, player, occasion: occasion ?? null, server: server ?? null };
    const order = { ...asked, by: accountName(), now: time.now() };
    const gift = await giveReward(ledger, config, order, random);
    if (gift.kind === 'refused') throw new Problem(gift.code, gift.sentence);
    if (json) printJson(terminal, gift.grants.map(grantJson));
    else
      for (const { id, server: on, commands } of gift.grants) {
        terminal.out(`grant ${id}: ${name} will be paid to ${player} on ${on} by the running Teller`);
        for (const { command } of commands) terminal.out(`  ${command}`);
      }
    return 0;
  });
}
