import { isoTime } from '../../core/instant.ts';
import { badge, empty, type Html, instant, type Tone, table, tag } from '../../web/kit.ts';
import type { LoggedSend } from '../listener-sends/send-store.ts';

const OUTCOMES: Readonly<Record<LoggedSend['outcome'], readonly [string, Tone]>> = {
  accepted: ['Accepted', 'good'],
  sent: ['Sent, unconfirmed', 'warn'],
  failed: ['Failed', 'bad'],
  sending: ['Sending', 'busy'],
};

/** The votes that were sent to the listener, each with its outcome (LG-03, VT-11). */
export const sendsTable = (rows: readonly LoggedSend[]): Html =>
  table<LoggedSend>({
    caption: 'Votes sent to the listener, newest first',
    columns: [
      { label: 'Player', cell: ({ player }) => player, onPhone: 'title' },
      {
        label: 'Outcome',
        kind: 'brief',
        onPhone: 'corner',
        cell: ({ outcome }) => badge(...OUTCOMES[outcome]),
      },
      { label: 'Sent', kind: 'brief', cell: ({ startedAt }) => instant(startedAt) },
      { label: 'Kind', kind: 'brief', cell: ({ voteId }) => tag(voteId === null ? 'Test vote' : 'Vote') },
    ],
    rows,
    // An accepted vote needs no explanation.
    detail: ({ outcome, sentence }) => outcome !== 'accepted' && sentence,
    empty: empty({
      title: 'Nothing sent yet',
      advice: 'Votes that name a player are sent as soon as they are cast.',
    }),
  });

export const sendJson = ({ startedAt, ...send }: LoggedSend) => ({ ...send, startedAt: isoTime(startedAt) });
