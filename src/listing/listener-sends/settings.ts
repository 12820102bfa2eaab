import { readPublicKey } from '../../../protocol/votifier/v1.ts';
import type { Targets } from '../targets/target-rule.ts';
import type { ListenerMethod, ListenerSettings } from './send-store.ts';

export const DEFAULT_LISTENER_PORT = 8192;

/** The form as entered. */
export interface EnteredSettings {
  readonly host: string;
  /** Blank for the default. */
  readonly port: string;
  readonly method: string;
  /** Blank keeps the stored token or key if the method is the same. */
  readonly credential: string;
}

export type SettingsField = keyof EnteredSettings;

export interface SettingsFault {
  readonly field: SettingsField;
  /** A sentence for the owner. */
  readonly sentence: string;
  /** Of a mistake that is recognised. */
  readonly code?: keyof typeof mixedUp;
}

/** A token where a public key belongs, and the reverse. */
const mixedUp = {
  'credential-is-public-key':
    'This is a public key, not a token. Choose “Public key” above and paste it again, or paste the token.',
  'credential-is-token':
    'This looks like a token, not a public key. Choose “Token” above and paste it again, or paste the public key.',
} as const;

export type ReadSettings =
  | { readonly kind: 'settings'; readonly settings: Omit<ListenerSettings, 'updatedAt'> }
  /** All faults of the form. */
  | { readonly kind: 'refused'; readonly faults: readonly SettingsFault[] };

type Value<Type> = { readonly value: Type } | Omit<SettingsFault, 'field'>;

/** Checks the form; the host by the public-address rule (NS-43). */
export async function readSettings(
  entered: EnteredSettings,
  stored: ListenerSettings | null,
  targets: Targets,
): Promise<ReadSettings> {
  const host = await readHost(entered.host.trim(), targets);
  const port = readPort(entered.port.trim());
  const method = readMethod(entered.method);
  const credential =
    'value' in method ? readCredential(entered.credential.trim(), method.value, stored) : method;
  if ('value' in host && 'value' in port && 'value' in method && 'value' in credential) {
    const settings = {
      host: host.value,
      port: port.value,
      method: method.value,
      credential: credential.value,
    };
    return { kind: 'settings', settings };
  }
  const fields = { host, port, method, credential: 'value' in method ? credential : { value: '' } };
  return { kind: 'refused', faults: faultsIn(fields) };
}

const faultsIn = (fields: Readonly<Record<SettingsField, Value<unknown>>>): SettingsFault[] =>
  (Object.keys(fields) as SettingsField[]).flatMap((field) => {
    const read = fields[field];
    return 'sentence' in read ? [{ field, ...read }] : [];
  });

async function readHost(text: string, targets: Targets): Promise<Value<string>> {
  if (text === '') return { sentence: 'Enter the host name or IP address of the listener.' };
  const verdict = await targets.judgeHost(text);
  return verdict.kind === 'allowed' ? { value: verdict.host } : { sentence: `${text} ${verdict.why}.` };
}

function readPort(text: string): Value<number> {
  if (text === '') return { value: DEFAULT_LISTENER_PORT };
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? { value: port } : { sentence: 'A port is a number from 1 to 65535.' };
}

const readMethod = (text: string): Value<ListenerMethod> =>
  text === 'token' || text === 'public-key'
    ? { value: text }
    : { sentence: 'Choose a token (protocol version 2) or a public key (version 1).' };

const TOKEN = /^[\x21-\x7e]{1,255}$/;
/** PEM, or the base64 of at least 512 bits; also of a key that is cut off or of another length. */
const KEY = /-BEGIN |^MI[A-Za-z0-9+/=\s]{90,}$/;

function readCredential(
  text: string,
  method: ListenerMethod,
  stored: ListenerSettings | null,
): Value<string> {
  if (text === '' && stored?.method === method) return { value: stored.credential };
  if (method === 'token') {
    if (KEY.test(text)) return mistaken('credential-is-public-key');
    return TOKEN.test(text)
      ? { value: text }
      : { sentence: 'A token is 1 to 255 characters without white space.' };
  }
  const reading = readPublicKey(text);
  if (reading.kind === 'key') return { value: text };
  if (TOKEN.test(text) && !KEY.test(text)) return mistaken('credential-is-token');
  return { sentence: `The field ${reading.reason}.` };
}

const mistaken = (code: keyof typeof mixedUp) => ({ code, sentence: mixedUp[code] });
