import type { PracticePlayer, PracticeWorld } from '../../operator/trial/practice-worlds.ts';
import {
  count,
  empty,
  type FormState,
  form,
  type Html,
  html,
  inputField,
  postButton,
  quoted,
  selectField,
  submitButton,
  table,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';

interface Here extends PracticePlayer {
  readonly server: string;
}

/** Who is on the practice servers, and what they have. */
export const worldsView = (worlds: readonly PracticeWorld[], csrf: string): Html =>
  table({
    caption: 'Players on practice servers',
    rows: worlds.flatMap(({ server, players }): Here[] => players.map((player) => ({ ...player, server }))),
    key: ({ server, name }) => `${server}/${name}`,
    empty: empty({ title: 'Nobody is online', advice: 'Let a player join.' }),
    columns: [
      { label: 'Player', onPhone: 'title', cell: ({ name }) => quoted(name) },
      { label: 'On', kind: 'brief', cell: ({ server }) => quoted(server) },
      { label: 'Has', cell: inventory },
      {
        label: 'Action',
        kind: 'end',
        onPhone: 'corner',
        cell: ({ server, name }) =>
          postButton({
            ...{ action: paths.practice, csrf, label: 'Leave', small: true },
            with: { world: server, joining: name, move: 'leave' },
          }),
      },
    ],
  });

function inventory({ items }: Here): Html {
  const entries = Object.entries(items);
  return entries.length === 0
    ? html`<span class="soft">nothing</span>`
    : html`<span>${entries.map(([item, number], at) => [at > 0 && ', ', count(number), ' ', quoted(item)])}</span>`;
}

export const joinForm = (worlds: readonly PracticeWorld[], csrf: string, state: FormState): Html =>
  form({
    action: paths.practice,
    csrf,
    with: { move: 'join' },
    state,
    fields: [
      inputField(state, { name: 'joining', label: 'Name of the player who joins' }),
      selectField(state, {
        name: 'world',
        label: 'Practice server',
        choices: worlds.map(({ server }) => [server, server]),
      }),
    ],
    submit: submitButton('Join', 'quiet'),
  });
