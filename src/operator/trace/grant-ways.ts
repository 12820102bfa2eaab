import { shellWord } from '../../core/printable.ts';

/** How an operator changes a grant where a sentence about it is read. `id`: of the grant, or what stands for it. */
export interface Ways {
  readonly pay: (id: number | string) => string;
  /** With the commands that the reward has in the config now. */
  readonly payAnew: (id: number | string) => string;
  readonly payAnother: (id: number | string, player: string) => string;
  readonly ran: (id: number | string) => string;
  readonly markPaid: (id: number | string) => string;
  readonly cancel: (id: number | string) => string;
}

/** In a terminal. */
export const commandWays: Ways = {
  pay: (id) => `\`teller grants pay ${id}\``,
  payAnew: (id) => `\`teller grants pay ${id} --rerender\``,
  payAnother: (id, player) => `\`teller grants pay ${id} --player ${shellWord(player)}\``,
  ran: (id) => `\`teller grants ran ${id}\``,
  markPaid: (id) => `\`teller grants mark-paid ${id}\``,
  cancel: (id) => `\`teller grants cancel ${id}\``,
};

/** What the buttons of pages say. */
export const grantButtons = {
  pay: 'Pay',
  anew: 'Pay with the new commands',
  redirect: 'Pay another player',
  ran: 'It ran',
  'mark-paid': 'Mark as paid',
  cancel: 'Cancel',
} as const;

/** On a page that has these buttons. */
export const buttonWays: Ways = {
  pay: () => quotedLabel('pay'),
  payAnew: () => quotedLabel('anew'),
  payAnother: () => quotedLabel('redirect'),
  ran: () => quotedLabel('ran'),
  markPaid: () => quotedLabel('mark-paid'),
  cancel: () => quotedLabel('cancel'),
};

const quotedLabel = (name: keyof typeof grantButtons): string => `“${grantButtons[name]}”`;
