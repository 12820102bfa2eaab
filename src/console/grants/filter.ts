import { type Config, namedRewards } from '../../config/config.ts';
import type { GrantCode } from '../../core/grant-reason.ts';
import { parseDay } from '../../core/period.ts';
import type { StuckFilter, StuckGroup, StuckState } from '../../ledger/ledger.ts';
import { receivedOn } from '../../operator/vote-list.ts';
import { dateFilter, filters, type Html, html, selectFilter, textFilter } from '../../web/kit.ts';
import { paths } from '../paths.ts';

const NAMES = ['state', 'server', 'reward', 'player', 'since', 'place', 'reason'] as const;
type Name = (typeof NAMES)[number];

/** The filter in the URL, as it was typed. */
export type AskedFilter = Readonly<Record<Name, string>>;

/** In the URL: of grants without a reason. */
const NO_REASON = 'none';

const STATES: readonly (readonly [StuckState, string])[] = [
  ['held', 'Held'],
  ['refused', 'Refused'],
];

export const askedFilter = (query: (name: string) => string | undefined): AskedFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query(name)?.trim() ?? ''])) as AskedFilter;

export const isFiltered = (asked: AskedFilter): boolean => NAMES.some((name) => asked[name] !== '');

/** Whether only grants of one group can match. */
export const isOneGroup = ({ state, place, reason }: AskedFilter): boolean =>
  state !== '' && place !== '' && reason !== '';

/** What is not understood does not filter: the form shows that it is not set. */
export function filterOf(asked: AskedFilter, zone: string): StuckFilter {
  const { server, place, reward, player, reason } = asked;
  const state = STATES.find(([each]) => each === asked.state)?.[0];
  const day = parseDay(asked.since);
  return {
    ...(state === undefined ? {} : { state }),
    ...(server === '' ? {} : { server }),
    ...(place === '' ? {} : { place }),
    ...(reward === '' ? {} : { reward }),
    ...(player === '' ? {} : { recipient: player }),
    ...(reason === '' ? {} : { reason: reason === NO_REASON ? null : (reason as GrantCode) }),
    ...(day === null ? {} : { since: receivedOn(day, zone).since }),
  };
}

/** The filter that chooses a group, besides what was asked for. */
export const ofGroup = (asked: AskedFilter, { server, state, reason }: StuckGroup): AskedFilter => ({
  ...asked,
  place: server,
  state,
  reason: reason ?? NO_REASON,
});

/** The query of a URL with this filter, such as `?state=held`; empty if nothing is filtered. */
export function filterQuery(asked: AskedFilter, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...asked, ...more });
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export const filterForm = (
  asked: AskedFilter,
  config: Pick<Config, 'gameServers' | 'rewards' | 'party' | 'tops'>,
): Html =>
  filters({
    action: paths.grants,
    label: 'Filter grants',
    submit: 'Filter',
    clear: isFiltered(asked) ? paths.grants : null,
    compact: true,
    fields: [
      selectFilter({
        name: 'state',
        label: 'State',
        value: asked.state,
        choices: [['', 'Held or refused'], ...STATES],
      }),
      selectFilter({
        ...{ name: 'server', label: 'Game server', value: asked.server },
        choices: [['', 'All'], ...withAsked(asked.server, [...config.gameServers.keys()])],
      }),
      selectFilter({
        ...{ name: 'reward', label: 'Reward', value: asked.reward },
        choices: [
          ['', 'All'],
          ...withAsked(
            asked.reward,
            namedRewards(config).map(({ name }) => name),
          ),
        ],
      }),
      textFilter({ name: 'player', label: 'Player', value: asked.player }),
      dateFilter({ name: 'since', label: 'Earned since', value: asked.since }),
      hidden('place', asked),
      hidden('reason', asked),
    ],
  });

/** Of a group, and so without a field of its own. */
const hidden = (name: 'place' | 'reason', asked: AskedFilter): Html | false =>
  asked[name] !== '' && html`<input type="hidden" name="${name}" value="${asked[name]}">`;

/** What the config no longer has can be in the URL: grants of it may still be held. */
function withAsked(asked: string, names: readonly string[]): readonly (readonly [string, string])[] {
  const all = asked === '' || names.includes(asked) ? names : [asked, ...names];
  return [...new Set(all)].map((name) => [name, name]);
}
