import type { Config } from '../../config/config.ts';
import { parseDay } from '../../core/period.ts';
import type { VoteFilter } from '../../ledger/ledger.ts';
import { CHANNELS, DECISIONS, receivedOn } from '../../operator/vote-list.ts';
import { dateFilter, filters, type Html, selectFilter, textFilter } from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { channelWord, decisionWord } from './words.ts';

const NAMES = ['player', 'site', 'decision', 'channel', 'day'] as const;
type Name = (typeof NAMES)[number];

/** The filter in the URL, as it was typed. */
export type AskedFilter = Readonly<Record<Name, string>>;

const PAGE_SIZE = 50;

export const askedFilter = (query: (name: string) => string | undefined): AskedFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query(name)?.trim() ?? ''])) as AskedFilter;

export const isFiltered = (asked: AskedFilter): boolean => NAMES.some((name) => asked[name] !== '');

/** What is not understood does not filter: the form shows that it is not set. */
export function filterOf(asked: AskedFilter, before: number | null, zone: string): VoteFilter {
  const { player, site } = asked;
  const decision = DECISIONS.find((each) => each === asked.decision);
  const channel = CHANNELS.find((each) => each === asked.channel);
  const day = parseDay(asked.day);
  return {
    limit: PAGE_SIZE,
    ...(player === '' ? {} : { recipient: player }),
    ...(site === '' ? {} : { site }),
    ...(decision === undefined ? {} : { decision }),
    ...(channel === undefined ? {} : { channel }),
    ...(day === null ? {} : receivedOn(day, zone)),
    ...(before === null ? {} : { after: before }),
  };
}

/** The URL of the list with this filter. */
export function filteredPath(asked: AskedFilter, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...asked, ...more });
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  const text = query.toString();
  return text === '' ? paths.votes : `${paths.votes}?${text}`;
}

export const filterForm = (asked: AskedFilter, { sites }: Pick<Config, 'sites'>): Html =>
  filters({
    compact: true,
    action: paths.votes,
    label: 'Filter votes',
    submit: 'Filter',
    clear: isFiltered(asked) ? paths.votes : null,
    fields: [
      textFilter({ name: 'player', label: 'Player', value: asked.player }),
      selectFilter({
        name: 'site',
        label: 'Site',
        value: asked.site,
        choices: [['', 'All sites'], ...siteChoices(asked.site, sites)],
      }),
      selectFilter({
        name: 'decision',
        label: 'Decision',
        value: asked.decision,
        choices: [['', 'Any'], ...DECISIONS.map((each) => [each, decisionWord(each)] as const)],
      }),
      selectFilter({
        name: 'channel',
        label: 'Came by',
        value: asked.channel,
        choices: [['', 'Any'], ...CHANNELS.map((each) => [each, channelWord(each)] as const)],
      }),
      dateFilter({ name: 'day', label: 'Day', value: asked.day }),
    ],
  });

/** A service name without an entry can be in the URL: from a link on another page. */
function siteChoices(asked: string, sites: Config['sites']): readonly (readonly [string, string])[] {
  const names = [...sites.keys()];
  const all = asked === '' || names.includes(asked) ? names : [asked, ...names];
  return all.map((name) => [name, name === 'default' ? 'every unlisted site (default)' : name]);
}
