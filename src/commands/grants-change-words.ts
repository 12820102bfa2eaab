import { Problem } from '../core/problem.ts';
import type { GrantActionName } from '../operator/grants/actions.ts';
import type { GrantChangeRefusal } from '../operator/grants/change.ts';
import { refusalText } from '../operator/grants/sentences.ts';

interface ActionWords {
  readonly description: string;
  /** Followed by the number of grants. */
  readonly question: string;
}

export const words: Readonly<Record<GrantActionName, ActionWords>> = {
  pay: {
    description:
      'pay held or refused grants: resume each one at the command where it stopped (that command is run again); with an ID, --player pays another player',
    question: 'Pay',
  },
  ran: {
    description: 'confirm that the command a grant stopped at did run, and run the remaining ones',
    question: 'Count the command that stopped it as run, and pay the rest, for',
  },
  'mark-paid': {
    description: 'mark held or refused grants as paid; nothing more is run',
    question: 'Count as paid',
  },
  cancel: {
    description: 'cancel open grants; nothing more is run',
    question: 'Cancel',
  },
};

/** Why no grant was changed. */
export const refused = (refusal: GrantChangeRefusal): Problem =>
  new Problem(refusal.kind, refusalText(refusal));
