import type { FaultName } from './faults.ts';
import { MAX_PLAYERS } from './world.ts';

/** The forms in which servers say who is online (WIRE-FACTS §2), by the fault that switches to them. */
const forms = {
  'two-line-list': (names) => `There are ${names.length}/${MAX_PLAYERS} players online:\n${names.join(', ')}`,
  'players-list': (names) => `Players (${names.length}): ${names.join(', ')}`,
  'translated-list': (names) =>
    `Es sind ${names.length} von maximal ${MAX_PLAYERS} Spielern online: ${names.join(', ')}`,
  'miscounted-list': (names) => vanillaList(names, names.length + 1),
  'reshaped-list': (names) =>
    `There are ${names.length} out of maximum ${MAX_PLAYERS} players online.\ndefault: ${names.join(', ')}`,
} as const satisfies Partial<Record<FaultName, (names: readonly string[]) => string>>;

export type ListForm = keyof typeof forms;

export const listForms = Object.keys(forms) as ListForm[];

export const writeList = (names: readonly string[], form: ListForm | null): string =>
  form === null ? vanillaList(names, names.length) : forms[form](names);

const vanillaList = (names: readonly string[], announced: number): string =>
  `There are ${announced} of a max of ${MAX_PLAYERS} players online: ${names.join(', ')}`;
