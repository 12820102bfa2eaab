import type { PauseCode } from '../core/game-server-codes.ts';
import type { PlayerCondition } from '../core/player-condition.ts';
import { nameAsWord } from '../core/template.ts';
import type { GameServer } from './game-server.ts';
import { plain } from './reply-text.ts';

/** What a game server answered about a player. */
export type ConditionAnswer =
  | { readonly kind: 'met' }
  | { readonly kind: 'unmet' }
  /** No player of this name is there, so nothing is known about the condition. */
  | { readonly kind: 'absent' }
  /** Neither yes nor no. */
  | { readonly kind: 'unclear'; readonly question: string; readonly reply: string }
  | { readonly kind: 'unanswered'; readonly reason: PauseCode };

/** Plugins can change `execute`, but not `minecraft:execute`, which servers without plugins do not know. */
const FORMS = ['minecraft:execute', 'execute'] as const;

type Form = (typeof FORMS)[number];
type TestAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no' }
  | Extract<ConditionAnswer, { kind: 'unclear' | 'unanswered' }>;

/** Asks a game server about players with `execute if`, which changes nothing (Minecraft Java 1.13 and newer). */
export class ConditionAsker {
  private forms: readonly Form[] = FORMS;

  constructor(private readonly server: Pick<GameServer, 'ask'>) {}

  /** @param player in the spelling of the game server's list: selectors distinguish upper and lower case. */
  async ask(condition: PlayerCondition, player: string): Promise<ConditionAnswer> {
    const name = nameAsWord(player);
    if (name === null) return { kind: 'unclear', question: '', reply: player };
    const answer = await this.test(testOf(condition, player, name));
    if (answer.kind === 'yes') return { kind: 'met' };
    if (answer.kind !== 'no') return answer;
    // A player who has just left fails every test.
    const presence = await this.test(`if entity @a[name=${name}]`);
    if (presence.kind === 'yes') return { kind: 'unmet' };
    return presence.kind === 'no' ? { kind: 'absent' } : presence;
  }

  private async test(test: string): Promise<TestAnswer> {
    let last: TestAnswer = { kind: 'unclear', question: '', reply: '' };
    for (const form of this.forms) {
      const question = `${form} ${test}`;
      const answer = await this.server.ask(question);
      if (answer.kind === 'unanswered') return answer;
      const reply = plain(answer.text);
      const isYes = reply.startsWith('Test passed');
      if (isYes || reply.startsWith('Test failed')) {
        this.forms = [form, ...FORMS.filter((other) => other !== form)];
        return { kind: isYes ? 'yes' : 'no' };
      }
      last = { kind: 'unclear', question, reply };
    }
    return last;
  }
}

/** A score is asked for by name: in a selector, an objective that does not exist would be an unmet condition. */
function testOf(condition: PlayerCondition, player: string, name: string): string {
  switch (condition.kind) {
    case 'tag':
      return `if entity @a[name=${name},tag=${condition.tag}]`;
    case 'team':
      return `if entity @a[name=${name},team=${condition.team}]`;
    case 'score':
      return `if score ${player} ${condition.objective} matches ${condition.range}`;
    case 'dimension':
      // A distance selects players of the dimension in which the command runs.
      return `in ${condition.dimension} if entity @a[name=${name},distance=0..]`;
  }
}
