import * as z from 'zod';
import { errorSentence, replyPattern, section } from '../core/config-values.ts';
import { DIMENSION, GAME_WORD, isRange, type PlayerCondition } from '../core/player-condition.ts';
import { command, commands } from './schema-commands.ts';

const gameWord = (what: string, title: string) => {
  const error = errorSentence(`must be the name of ${what}: 1 to 64 characters out of A-Z a-z 0-9 _ . + -`);
  return z.string(error).regex(GAME_WORD, error).meta({ title, example: 'vip' });
};

const noDimension = errorSentence('must be a dimension such as "minecraft:the_nether", in lower case');

const dimension = z.string(noDimension).regex(DIMENSION, noDimension).meta({ title: 'dimension' });

const noRange = errorSentence(
  'must be whole numbers as the game writes them: "5..", "..10", "3" or "1..5", the smaller one first',
);

const range = z.string(noRange).refine(isRange, noRange).meta({ title: 'range', example: '5..' });

const KINDS = ['tag', 'team', 'score', 'dimension'] as const;
const names = KINDS.map((kind) => `\`${kind}\``).join(', ');

/** What the player must be or have on the game server before the first command. */
export const payIf = section({
  tag: gameWord('a tag', 'tag').optional().describe('Pays players with this tag.'),
  team: gameWord('a team', 'team').optional().describe('Pays players in this team.'),
  score: section({
    objective: gameWord('an objective', 'objective').describe('The objective of the scoreboard.'),
    range: range.describe('The scores that are paid, such as "5..", "..10", "3" or "1..5".'),
  })
    .optional()
    .describe('Pays players with such a score.'),
  dimension: dimension.optional().describe('Pays players in this dimension.'),
  orElse: commands
    .optional()
    .describe('Commands to run if the condition is not met. Without it, the grant waits until it is.'),
}).superRefine((written, context) => {
  const found = KINDS.filter((kind) => written[kind] !== undefined);
  if (found.length === 1) return;
  context.addIssue({ code: 'custom', message: `must have exactly one of ${names}` });
});

/** The condition of a valid `payIf`. */
export function conditionOf({ tag, team, score, dimension: place }: z.output<typeof payIf>): PlayerCondition {
  if (tag !== undefined) return { kind: 'tag', tag };
  if (team !== undefined) return { kind: 'team', team };
  return score === undefined ? { kind: 'dimension', dimension: place ?? '' } : { kind: 'score', ...score };
}

/** A question whose answer proves that a command ran. */
export const verify = section({
  command: command.describe(
    'A command that changes nothing, because it may be asked more than once. It may use the placeholders of `commands`.',
  ),
  reply: replyPattern.describe('The answer that proves that the command ran; case is ignored.'),
});
