import { kindByServer } from '../../config/config.ts';
import { placeText } from '../../core/pool.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import { isShownFirst, type Offered, offeredFor } from '../../operator/grants/offered.ts';
import { grantButtons } from '../../operator/trace/grant-ways.ts';
import { payeeOf } from '../../operator/trace/payee.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { card, facts, type Html, html, linkButton, live, postButton, quoted } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import type { Typed } from '../told.ts';
import { grantBadge } from '../votes/words.ts';
import { changePath } from './change-path.ts';
import { becameText, commandList, otherFacts, rewardText, todoText } from './grant-view.ts';
import { markOf } from './marks.ts';

interface GrantPageParts {
  readonly csrf: string;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

/** One grant in any state: what is known, what to do, and who did what with it. */
export function grantPage(grant: GrantRow, shown: Shown, { csrf, command }: GrantPageParts): Page {
  const { id, server, pool, practice, state, voteId } = grant;
  const todo = todoText(grant, shown, command);
  const offered = offeredFor(grant, kindByServer(shown.config));
  return {
    title: `Grant ${id}`,
    trail: [{ label: 'Needs you', href: paths.grants }],
    beside: grantBadge(state),
    lead: html`${quoted(rewardText(grant))} for ${quoted(payeeOf(grant))} on ${quoted(placeText(pool ?? server, practice))}`,
    actions: [
      voteId !== null && linkButton('Go to the vote', paths.vote(voteId)),
      linkButton('Go to the player', paths.player(payeeOf(grant))),
    ],
    body: live('grant', [
      card({
        title: 'What became of it',
        note: becameText(grant, shown),
        body: [commandList(grant), factsIfAny(otherFacts(grant, shown))],
      }),
      offered.length > 0 &&
        card({
          title: 'What you can do',
          body: html`${todo !== null && html`<p><strong>What to do:</strong> ${todo}</p>`}<ul class="ways">${offered.map(
            (each) =>
              html`<li><div class="actions">${button(each, grant, csrf)}</div><p class="hint">${EFFECTS[each]}</p></li>`,
          )}</ul>`,
        }),
    ]),
  };
}

const factsIfAny = (list: Parameters<typeof facts>[0]): Html | null =>
  list.length === 0 ? null : facts(list);

/** What each button does. */
const EFFECTS: Readonly<Record<Offered, string>> = {
  pay: 'Runs every command that is not delivered yet, also one that may have run.',
  ran: 'The command that stopped it counts as run, and those after it run.',
  anew: 'Runs the commands that the reward has in the config now. You see them first.',
  redirect: 'Runs the commands for a player whom you name. You see them first.',
  'mark-paid': 'Runs nothing more: the player has got it in another way.',
  cancel: 'Runs nothing more: the player does not get it.',
};

function button(offered: Offered, grant: GrantRow, csrf: string): Html {
  const next = paths.grant(grant.id);
  const label = grantButtons[offered];
  if (isShownFirst(offered)) return linkButton(`${label}…`, changePath({ offered, marks: [grant], next }));
  return postButton({
    ...{ action: paths.grantChange, csrf, label },
    with: { action: offered, grant: markOf(grant), next },
  });
}
