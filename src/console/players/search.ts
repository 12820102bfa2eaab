import type { FoundPlayers } from '../../operator/player/find-players.ts';
import { card, empty, filters, type Html, html, quoted, textFilter } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

/** @param found null: nothing was asked for. */
export const searchPage = (asked: string, found: FoundPlayers | null): Omit<Page, 'json'> => ({
  title: 'Players',
  lead: 'What a player has, what they are owed, and why they got nothing.',
  body: [searchForm(asked), found !== null && results(asked, found)],
});

export const searchForm = (asked: string): Html =>
  filters({
    action: paths.players,
    label: 'Find a player',
    submit: 'Find',
    clear: asked === '' ? null : paths.players,
    fields: textFilter({ name: 'name', label: 'Name, part of a name, or UUID', value: asked }),
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
    title: similar.length > 0 ? 'Similar names' : 'Names that begin so',
    body: html`<ul class="plain-list">${names.map(
      (name) => html`<li><a href="${paths.player(name)}">${quoted(name)}</a></li>`,
    )}</ul>`,
  });
}
