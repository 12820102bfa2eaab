import type { Config } from '../../config/config.ts';
import { type GameServerAddition, planGameServer } from '../../operator/game-servers/add.ts';
import type { EntryFault, EntryField } from '../../operator/game-servers/fields.ts';
import type { EnteredManagement, JoinsRefusal } from '../../operator/game-servers/management.ts';
import type { Entered } from '../../web/fields.ts';
import type { FormState, Refused } from '../../web/kit.ts';

export interface EnteredForm {
  readonly state: FormState;
  /** The game server whose place in the config it takes; null: none. */
  readonly replaces: string | null;
  /** The address of its management protocol in the config, which stays if none is entered; null: none. */
  readonly management: string | null;
}

/** Why nothing was planned or written. */
export interface ConnectRefused extends Refused {
  readonly code: string;
  readonly advice?: string;
}

export interface FaultyForm {
  readonly kind: 'faults';
  readonly form: EnteredForm;
  readonly refused: ConnectRefused;
}

export type ReadEntered = { readonly kind: 'planned'; readonly plan: GameServerAddition } | FaultyForm;

const LABELS: Readonly<Record<EntryField, string>> = {
  name: 'Name',
  host: 'Address',
  port: 'Port',
  password: 'Password:',
  replaces: 'The game server to replace:',
  managementPort: 'Management port',
  managementSecret: 'Management secret:',
  managementCertificate: 'Certificate',
};

/** Plans what was entered, or says what is wrong with it. Rejects with a Problem if the config cannot be read. */
export async function readEntered(entered: Entered, config: Config): Promise<ReadEntered> {
  const { name, host, port, password, replaces, management } = fieldsOf(entered);
  const plan = await planGameServer(config, { name, host, port, password, replaces, management });
  if (plan.kind === 'planned') return { kind: 'planned', plan };
  if (plan.kind === 'refused') return faulty(plan.faults, entered, config);
  const advice = plan.faults.map(({ path, sentence }) => `${path}: ${sentence}`).join('; ');
  const title = 'The config would have errors with this game server';
  return {
    kind: 'faults',
    form: formOf(entered, {}, config),
    refused: { code: 'config-invalid', title, advice, faults: {} },
  };
}

/** The form of a game server that was tried and does not report joins. */
export const unreportedForm = (refusal: JoinsRefusal, entered: Entered, config: Config): FaultyForm =>
  faulty([refusal], entered, config);

const one = (entered: Entered, name: string): string => entered[name]?.[0] ?? '';

function fieldsOf(entered: Entered) {
  return {
    name: one(entered, 'name').trim(),
    host: one(entered, 'host').trim(),
    port: numberIn(one(entered, 'port')),
    password: one(entered, 'password'),
    replaces: one(entered, 'replaces') || null,
    management: managementIn(entered),
  };
}

/** null: nothing was entered in this part. */
function managementIn(entered: Entered): EnteredManagement | null {
  const [port, secret, certificate, tls] = MANAGEMENT_FIELDS.map((name) => one(entered, name).trim());
  if (`${port}${secret}${certificate}${tls}` === '') return null;
  return {
    ...{ port: numberIn(port ?? ''), secret: secret ?? '', isTls: tls !== '' },
    certificate: certificate || null,
  };
}

const MANAGEMENT_FIELDS = [
  'managementPort',
  'managementSecret',
  'managementCertificate',
  'managementTls',
] as const;

/** What is no number is refused with the other faults. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN);

function faulty(
  found: readonly (Pick<EntryFault, 'field' | 'sentence'> & { readonly code: string })[],
  entered: Entered,
  config: Config,
): FaultyForm {
  const faults = Object.fromEntries(
    found.map(({ field, sentence }) => [field, `${LABELS[field]} ${sentence}.`]),
  );
  return {
    kind: 'faults',
    form: formOf(entered, faults, config),
    refused: { faults, code: found[0]?.code ?? 'form-invalid' },
  };
}

/** What a page may have: not the password and the secret. */
const KEPT = ['name', 'host', 'port', 'managementPort', 'managementCertificate', 'managementTls'];

/** The same as hidden fields, so that nothing has to be typed again whatever becomes of the change. */
export const hiddenIn = (entered: Entered): Readonly<Record<string, string>> =>
  Object.fromEntries([...KEPT, 'replaces'].map((name) => [name, one(entered, name)]));

/** The form with what was entered before. */
export function formOf(entered: Entered, faults: FormState['faults'], config: Config): EnteredForm {
  const replaces = one(entered, 'replaces') || null;
  const kept = Object.fromEntries(KEPT.map((name) => [name, entered[name] ?? []]));
  return { state: { entered: kept, faults }, replaces, management: managementAt(replaces, config) };
}

/** The address of the management protocol of a game server in the config; null: none. */
export function managementAt(
  name: string | null,
  { gameServers }: Pick<Config, 'gameServers'>,
): string | null {
  const entry = name === null ? undefined : gameServers.get(name);
  const { management } = (entry ?? {}) as { readonly management?: unknown };
  return typeof management === 'string' ? management : null;
}
