import {
  areaField,
  card,
  type FormState,
  fieldsRow,
  form,
  type Html,
  html,
  inputField,
  radioField,
  submitButton,
} from '../../web/kit.ts';
import type { ShownSettings } from '../listener-sends/listener-sends.ts';
import { DEFAULT_LISTENER_PORT } from '../listener-sends/settings.ts';

interface ListenerForm {
  readonly action: string;
  readonly csrf: string;
  readonly state: FormState;
  readonly settings: ShownSettings | null;
}

export const listenerForm = ({ action, csrf, state, settings }: ListenerForm): Html =>
  card({
    title: settings === null ? 'Set up vote listener' : 'Settings',
    note: 'Each vote that names a player is sent to the listener once. If that fails, it is not sent again.',
    body: form({
      action,
      csrf,
      state,
      fields: [
        fieldsRow(
          inputField(state, {
            name: 'host',
            label: 'Host',
            value: settings?.host ?? '',
            hint: 'Host name or IP address of your server.',
          }),
          inputField(state, {
            name: 'port',
            label: 'Port',
            kind: 'number',
            brief: true,
            value: settings?.port ?? DEFAULT_LISTENER_PORT,
          }),
        ),
        radioField(state, {
          name: 'method',
          label: 'Authentication',
          choices: [
            { value: 'token', label: 'Token', hint: 'Protocol version 2. The listener confirms each vote.' },
            {
              value: 'public-key',
              label: 'Public key',
              hint: 'Protocol version 1. The listener cannot confirm votes, so they are shown as unconfirmed.',
            },
          ],
          chosen: [settings?.method ?? 'token'],
        }),
        areaField(withoutCredential(state), {
          name: 'credential',
          label: 'Token or public key',
          rows: 4,
          optional: settings !== null,
          hint: credentialHint(settings),
        }),
      ],
      submit: submitButton(settings === null ? 'Set up vote listener' : 'Save'),
    }),
  });

/** A page never contains the token or key (rule 10), so after a fault it has to be entered again. */
const withoutCredential = ({ entered, faults }: FormState): FormState => ({
  entered: { ...entered, credential: [] },
  faults,
});

const credentialHint = (settings: ShownSettings | null): string | Html =>
  settings === null
    ? html`Teller prints both with <code>teller keys</code>.`
    : `Leave empty to keep the stored ${settings.method === 'token' ? 'token' : 'key'}. It is never shown.`;
