import { isoTime } from '../../core/instant.ts';
import {
  disclosure,
  filters,
  type Html,
  pills,
  selectFilter,
  textFilter,
  timeFilter,
} from '../../web/kit.ts';
import { type LogFilter, NO_FILTER } from '../webhooks/event-rows.ts';
import { eventStates } from '../webhooks/event-state.ts';
import { KINDS } from './delivery-words.ts';

type State = NonNullable<LogFilter['state']>;
type Kind = NonNullable<LogFilter['kind']>;

/** In the order in which the form offers them. */
const STATES = Object.entries(eventStates).map(([state, { label }]) => [state as State, label] as const);
const KIND_CHOICES: readonly (readonly [Kind, string])[] = [
  ['vote', 'Votes'],
  ['redelivery', 'Redelivered votes'],
  ['test', 'Tests'],
  ['probe', 'Probes'],
];

const NAMES = ['state', 'kind', 'player', 'since', 'until'] as const;
type Name = (typeof NAMES)[number];

/** The filter in the query string of the log, as it was typed. */
export type AskedFilter = Readonly<Record<Name, string>>;

export type FilterReading =
  | { readonly kind: 'filter'; readonly filter: LogFilter }
  | { readonly kind: 'faults'; readonly faults: Readonly<Record<string, string>> };

export const askedFilter = (query: (name: string) => string | undefined): AskedFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query(name)?.trim() ?? ''])) as AskedFilter;

export const isFiltered = (asked: AskedFilter): boolean => NAMES.some((name) => asked[name] !== '');

/** The log's address with this filter. */
export function filteredAddress(address: string, asked: Partial<AskedFilter>): string {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
  return query === '' ? address : `${address}?${query}`;
}

/** Refuses a filter that cannot be read, because ignoring it would show rows that the reader meant to leave out. */
export function readFilter(asked: AskedFilter): FilterReading {
  const state = oneOf(STATES, asked.state);
  const kind = oneOf(KIND_CHOICES, asked.kind);
  const [from, until] = [readTime(asked.since), readTime(asked.until)];
  const faults = {
    ...(state === undefined && {
      state: `State: choose one of ${STATES.map(([value]) => value).join(', ')}.`,
    }),
    ...(kind === undefined && { kind: `Kind: choose one of ${Object.keys(KINDS).join(', ')}.` }),
    ...(from === undefined && { since: `Since: ${TIME_FAULT}` }),
    ...(until === undefined && { until: `Until: ${TIME_FAULT}` }),
  };
  if (state === undefined || kind === undefined || from === undefined || until === undefined)
    return { kind: 'faults', faults };
  return {
    kind: 'filter',
    filter: { ...NO_FILTER, state, kind, player: asked.player === '' ? null : asked.player, from, until },
  };
}

export const TIME_FAULT = 'enter a UTC time, such as 2026-06-03T14:05.';

const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?Z?$/;

/** Reads a day or a time, always UTC. null if nothing is typed, undefined if it is neither. */
export function readTime(written: string): number | null | undefined {
  if (written === '') return null;
  if (!TIME.test(written)) return undefined;
  const time = Date.parse(`${written.replace(' ', 'T').replace('Z', '')}${written.length > 11 ? 'Z' : ''}`);
  return Number.isNaN(time) ? undefined : time;
}

/** The time in the format of a time field. */
export const timeField = (time: number): string => isoTime(time).slice(0, 16);

/** null for no choice, undefined for a value that is not offered. */
function oneOf<Value extends string>(
  offered: readonly (readonly [Value, string])[],
  asked: string,
): Value | null | undefined {
  return asked === '' ? null : offered.find(([value]) => value === asked)?.[0];
}

/** Links to the states that owners look for most. All other filters are in a disclosure that stays open while in use. */
const SHORTCUTS = [
  ['', 'All'],
  ['undelivered', eventStates.undelivered.label],
  ['retrying', eventStates.retrying.label],
  ['delivered', eventStates.delivered.label],
] as const;

export const logFilters = (address: string, asked: AskedFilter): Html[] => [
  pills(
    'Deliveries by state',
    SHORTCUTS.map(([state, label]) => ({
      label,
      href: filteredAddress(address, { ...asked, state }),
      current: asked.state === state,
    })),
  ),
  disclosure('Filter', filterForm(address, asked), hasOtherFilter(asked)),
];

const hasOtherFilter = ({ state, ...others }: AskedFilter): boolean =>
  Object.values(others).some((value) => value !== '') || !SHORTCUTS.some(([offered]) => offered === state);

const filterForm = (address: string, asked: AskedFilter): Html =>
  filters({
    action: address,
    label: 'Filter deliveries',
    submit: 'Filter',
    clear: isFiltered(asked) ? address : null,
    fields: [
      selectFilter({ name: 'state', label: 'State', value: asked.state, choices: [['', 'All'], ...STATES] }),
      selectFilter({
        name: 'kind',
        label: 'Kind',
        value: asked.kind,
        choices: [['', 'All'], ...KIND_CHOICES],
      }),
      textFilter({ name: 'player', label: 'Player or user ID', value: asked.player }),
      timeFilter({ name: 'since', label: 'Since (UTC)', value: asked.since.slice(0, 16) }),
      timeFilter({ name: 'until', label: 'Until (UTC)', value: asked.until.slice(0, 16) }),
    ],
  });
