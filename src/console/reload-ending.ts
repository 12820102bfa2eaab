import type { Reply } from '../operator/control/messages.ts';
import type { Ending } from '../web/show.ts';

/** What a reload did, for the page that follows. */
export function reloadEnding(reply: Reply): Ending {
  if (reply.kind === 'refused') return { tone: 'bad', code: reply.code, text: reply.sentence };
  const { applied, needRestart } = reply;
  const rest =
    needRestart.length === 0 ? '' : ` Restart Teller for ${needRestart.map(({ key }) => key).join(', ')}.`;
  const what =
    applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.map(({ key }) => key).join(', ')}.`;
  return {
    tone: needRestart.length === 0 ? 'good' : 'warn',
    text: `${what}${rest}`,
  };
}
