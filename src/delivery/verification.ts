import type { Verification } from '../core/grant-checks.ts';
import { type Outcome, replyOf } from '../core/outcome.ts';
import { closeCommand, type Sending } from '../core/template.ts';
import type { GameServer } from './game-server.ts';
import { bare, plain } from './reply-text.ts';

/** Whether the reply to a command says nothing about it: it is empty, looks like a failure, or is missing by design. */
const saysNothing = (outcome: Outcome): boolean =>
  outcome.kind === 'delivered'
    ? plain(outcome.reply) === '' || outcome.doubt !== undefined
    : outcome.kind === 'unknown' && outcome.reason === 'no-frame';

/**
 * The outcome of a command whose reward has `verify`: if its reply says nothing, the answer to a question decides. Without
 * the answer that proves that the command ran, the outcome is unknown (rule 5).
 */
export async function verified(
  outcome: Outcome,
  verify: Verification | null,
  sending: Sending,
  server: Pick<GameServer, 'ask'>,
): Promise<Outcome> {
  if (verify === null || !saysNothing(outcome)) return outcome;
  const answered = await server.ask(closeCommand(verify.command, sending));
  const answer = answered.kind === 'reply' ? answered.text : null;
  const reply = replyOf(outcome);
  if (answer !== null && matches(answer, verify))
    return { kind: 'delivered', reply: reply ?? '', proof: answer };
  return { kind: 'unknown', reason: 'not-verified', reply, answer };
}

function matches(answer: string, { reply }: Verification): boolean {
  const pattern = new RegExp(reply, 'i');
  return [plain(answer), bare(answer)].some((text) => pattern.test(text));
}
