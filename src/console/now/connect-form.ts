import type { Config } from '../../config/config.ts';
import { type GameServerAddition, planGameServer } from '../../operator/game-servers/add.ts';
import type { EntryFault, EntryField } from '../../operator/game-servers/fields.ts';
import type { Entered } from '../../web/fields.ts';
import type { FormState, Refused } from '../../web/kit.ts';

export interface EnteredForm {
  readonly state: FormState;
  /** The game server whose place in the config it takes; null: none. */
  readonly replaces: string | null;
}

export interface FaultyForm {
  readonly kind: 'faults';
  readonly form: EnteredForm;
  readonly refused: Refused;
}

export type ReadEntered = { readonly kind: 'planned'; readonly plan: GameServerAddition } | FaultyForm;

const LABELS: Readonly<Record<EntryField, string>> = {
  name: 'Name',
  host: 'Address',
  port: 'Port',
  password: 'Password:',
  replaces: 'The game server to replace:',
};

/** Plans what was entered, or says what is wrong with it. Rejects with a Problem if the config cannot be read. */
export async function readEntered(entered: Entered, config: Config): Promise<ReadEntered> {
  const plan = await planGameServer(config, fieldsOf(entered));
  if (plan.kind === 'planned') return { kind: 'planned', plan };
  if (plan.kind === 'refused') return faulty(plan.faults, entered);
  const advice = plan.faults.map(({ path, sentence }) => `${path}: ${sentence}`).join('; ');
  const title = 'The config would have errors with this game server';
  return {
    kind: 'faults',
    form: formOf(entered, {}),
    refused: { title, advice, faults: {} },
  };
}

const one = (entered: Entered, name: string): string => entered[name]?.[0] ?? '';

function fieldsOf(entered: Entered) {
  return {
    name: one(entered, 'name').trim(),
    host: one(entered, 'host').trim(),
    port: numberIn(one(entered, 'port')),
    password: one(entered, 'password'),
    replaces: one(entered, 'replaces') || null,
  };
}

/** What is no number is refused with the other faults. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN);

function faulty(found: readonly EntryFault[], entered: Entered): FaultyForm {
  const faults = Object.fromEntries(
    found.map(({ field, sentence }) => [field, `${LABELS[field]} ${sentence}.`]),
  );
  return { kind: 'faults', form: formOf(entered, faults), refused: { faults } };
}

/** What a page may have: not the password. */
const KEPT = ['name', 'host', 'port'];

/** The same as hidden fields, so that nothing has to be typed again whatever becomes of the change. */
export const hiddenIn = (entered: Entered): Readonly<Record<string, string>> =>
  Object.fromEntries([...KEPT, 'replaces'].map((name) => [name, one(entered, name)]));

/** The form with what was entered before. */
export function formOf(entered: Entered, faults: FormState['faults']): EnteredForm {
  const kept = Object.fromEntries(KEPT.map((name) => [name, entered[name] ?? []]));
  return { state: { entered: kept, faults }, replaces: one(entered, 'replaces') || null };
}
