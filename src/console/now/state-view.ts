import { type StateNow, stateSentences } from '../../operator/now/state.ts';
import { ago, type Html, html, stateSentence, type Tone } from '../../web/kit.ts';

/** How Teller is, in one line. `tone`: that of the worst problem. */
export function stateView(state: StateNow, tone: Tone, now: number): Html {
  const { listening, modes, sites, away, needYou } = stateSentences(state);
  const { lastVoteAt } = state;
  const vote = lastVoteAt === null ? 'No vote yet.' : html`Last vote ${ago(lastVoteAt, now)}.`;
  const needed = [away, needYou].filter((each) => each !== null);
  const parts = [listening, ...modes, sites, vote, ...needed];
  return stateSentence({ tone, sentence: parts.map((part, index) => [index > 0 && ' ', part]) });
}
