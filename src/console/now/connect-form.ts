import type { Config } from '../../config/config.ts';
import { type GameServerAddition, planGameServer } from '../../operator/game-servers/add.ts';
import type { EntryFault } from '../../operator/game-servers/fields.ts';
import type { Entered } from '../../web/fields.ts';
import type { FormState, Refused } from '../../web/kit.ts';

export interface EnteredForm {
  readonly state: FormState;
  /** The game server whose place in the config it takes; null: none. */
  readonly replaces: string | null;
}

export type ReadEntered =
  | { readonly kind: 'planned'; readonly plan: GameServerAddition }
  | {
      readonly kind: 'faults';
      readonly form: EnteredForm;
      readonly refused: Refused & { readonly code: string };
    };

const LABELS: Readonly<Record<EntryFault['field'], string>> = {
  name: 'Name',
  host: 'Address',
  port: 'Port',
  password: 'Password:',
  replaces: 'The game server to replace:',
};

/** Plans what was entered, or says what is wrong with it. Rejects with a Problem if the config cannot be read. */
export async function readEntered(entered: Entered, config: Config): Promise<ReadEntered> {
  const one = (name: string): string => entered[name]?.[0] ?? '';
  const replaces = one('replaces') || null;
  const port = one('port').trim();
  const plan = await planGameServer(config, {
    ...{ name: one('name').trim(), host: one('host').trim(), password: one('password'), replaces },
    port: /^\d{1,9}$/.test(port) ? Number(port) : Number.NaN,
  });
  if (plan.kind === 'planned') return { kind: 'planned', plan };
  const kept = { name: entered.name ?? [], host: entered.host ?? [], port: entered.port ?? [] };
  if (plan.kind === 'refused') return faulty(plan.faults, kept, replaces);
  const advice = plan.faults.map(({ path, sentence }) => `${path}: ${sentence}`).join('; ');
  const title = 'The config would have errors with this game server';
  return {
    kind: 'faults',
    form: { state: { entered: kept, faults: {} }, replaces },
    refused: { code: 'config-invalid', title, advice, faults: {} },
  };
}

function faulty(found: readonly EntryFault[], entered: Entered, replaces: string | null): ReadEntered {
  const faults = Object.fromEntries(
    found.map(({ field, sentence }) => [field, `${LABELS[field]} ${sentence}.`]),
  );
  return {
    kind: 'faults',
    form: { state: { entered, faults }, replaces },
    refused: { faults, code: found[0]?.code ?? 'form-invalid' },
  };
}
