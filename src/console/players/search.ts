import type { FoundPlayers } from '../../operator/player/find-players.ts';
import { card, empty, filters, type Html, html, nameList, quoted, textFilter } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

export interface SearchPage {
  readonly asked: string;
  /** null: nothing was asked for. */
  readonly found: FoundPlayers | null;
  /** Who voted last, the latest first. */
  readonly latest: readonly string[];
}

export const searchPage = ({ asked, found, latest }: SearchPage): Page => ({
  title: 'Players',
  lead: 'What a player has, what they are owed, and why they got nothing.',
  body: [searchForm(asked), found === null ? latestCard(latest) : results(asked, found)],
});

/** @param label says what can be typed */
export const searchForm = (asked: string, label = 'Name, part of a name, or UUID'): Html =>
  filters({
    action: paths.players,
    compact: true,
    label: 'Find a player',
    submit: 'Find',
    clear: asked === '' ? null : paths.players,
    fields: textFilter({ name: 'name', label, value: asked }),
  });

function results(asked: string, { exact, beginning, similar }: FoundPlayers): Html {
  const names = [...exact, ...beginning, ...similar];
  if (names.length === 0) {
    return empty({
      title: 'Nobody has voted under this name',
      advice: html`<a href="${paths.player(asked)}">Why no vote by ${quoted(asked)} arrived</a>`,
    });
  }
  return card({
    title: similar.length > 0 ? 'Similar names' : 'Names that begin like this',
    body: playerList(names),
  });
}

const latestCard = (names: readonly string[]): Html =>
  names.length === 0
    ? empty({
        title: 'Nobody has voted yet',
        advice: html`The page <a href="${paths.now}">Now</a> shows how to send the first vote.`,
      })
    : card({ title: 'Who voted last', body: playerList(names) });

const playerList = (names: readonly string[]): Html =>
  nameList(names.map((name) => html`<a href="${paths.player(name)}">${quoted(name)}</a>`));
