import { exactText, line, oneOf, readFields, ticked, type Values } from '../../web/fields.ts';
import {
  type Choice,
  card,
  checkField,
  type FormState,
  form,
  type Html,
  inputField,
  radioField,
  submitButton,
} from '../../web/kit.ts';
import type { StoredWebhook } from '../store/webhooks.ts';
import type { Targets } from '../targets/target-rule.ts';

const URL_MOST = 2048;
const SECRET_CHOICES = ['keep', 'generate', 'own', 'none'] as const;

const FIELDS = {
  url: line({ label: 'URL', most: URL_MOST }),
  secret: oneOf('Signing secret', SECRET_CHOICES),
  ownSecret: exactText({ label: 'Your own secret', most: 256, least: 0 }),
  active: ticked,
};

export type EnteredWebhook = Values<typeof FIELDS>;

export type ReadWebhook =
  | { readonly kind: 'values'; readonly values: EnteredWebhook }
  /** Includes the API’s error code if the URL is at fault (WF-04), or the code of a mistake that is recognised. */
  | { readonly kind: 'faults'; readonly faults: Readonly<Record<string, string>>; readonly code?: string };

const OWN_SECRET = /^[\x20-\x7e]{1,256}$/;

/** Reads the form. The URL is checked by the same rule as in the API (WF-04). */
export async function readWebhook(entered: FormState['entered'], targets: Targets): Promise<ReadWebhook> {
  const read = readFields(entered, FIELDS);
  if (read.kind === 'faults') return read;
  const { url, secret, ownSecret } = read.values;
  const verdict = await targets.judge(url);
  const faults = {
    ...(verdict.kind === 'allowed' ? {} : { url: `The URL ${verdict.why}.` }),
    ...(secret !== 'own' || OWN_SECRET.test(ownSecret) ? {} : { ownSecret: OWN_SECRET_FAULT }),
    ...(secret !== 'own' && ownSecret !== '' ? { ownSecret: UNUSED_SECRET_FAULT } : {}),
  };
  if (verdict.kind !== 'allowed') return { kind: 'faults', faults, code: verdict.kind };
  if (faults.ownSecret === UNUSED_SECRET_FAULT) return { kind: 'faults', faults, code: 'secret-not-chosen' };
  return Object.keys(faults).length > 0 ? { kind: 'faults', faults } : read;
}

const UNUSED_SECRET_FAULT =
  'You entered a secret, but did not choose to use it. Choose “Use my own” and enter it again, or leave the field empty.';

const OWN_SECRET_FAULT = 'Your own secret needs 1 to 256 printable ASCII characters.';

interface WebhookForm {
  readonly action: string;
  readonly csrf: string;
  readonly state: FormState;
  readonly webhook: StoredWebhook | null;
}

export const webhookForm = ({ action, csrf, state, webhook }: WebhookForm): Html =>
  card({
    title: webhook === null ? 'Set up webhook' : 'Settings',
    note: 'Each vote is posted to this URL as JSON as soon as it is cast. A chat channel’s webhook gets a chat message instead.',
    body: form({
      action,
      csrf,
      state,
      fields: [
        inputField(state, {
          name: 'url',
          label: 'URL',
          kind: 'url',
          value: webhook?.url ?? '',
          hint: 'A public http or https URL.',
        }),
        radioField(state, {
          name: 'secret',
          label: 'Signing secret',
          hint: 'With a secret, every delivery is signed, so the receiver can detect forged ones.',
          choices: secretChoices(webhook),
          chosen: [presentChoice(webhook)],
        }),
        inputField(state, {
          name: 'ownSecret',
          label: 'Your own secret',
          kind: 'password',
          optional: true,
          hint: 'Only if you chose “Use my own”.',
        }),
        checkField(state, {
          name: 'active',
          label: 'Deliveries',
          hint: 'While they are off, votes still count, but get no event and are never sent. Events that wait for a retry end undelivered.',
          choices: [{ value: 'on', label: 'Send votes to this webhook' }],
          chosen: webhook === null || webhook.isActive ? ['on'] : [],
        }),
      ],
      submit: submitButton(webhook === null ? 'Set up webhook' : 'Save'),
    }),
  });

const hasSecret = (webhook: StoredWebhook | null): boolean => webhook !== null && webhook.secret !== null;

/** The choice that changes nothing when the form is saved untouched. */
function presentChoice(webhook: StoredWebhook | null): (typeof SECRET_CHOICES)[number] {
  if (webhook === null) return 'generate';
  return webhook.secret === null ? 'none' : 'keep';
}

const secretChoices = (webhook: StoredWebhook | null): Choice[] => [
  ...(hasSecret(webhook) ? [{ value: 'keep', label: 'Keep the current secret' }] : []),
  { value: 'generate', label: 'Create new', hint: 'Shown once, after you save.' },
  { value: 'own', label: 'Use my own' },
  { value: 'none', label: 'None: deliveries are not signed' },
];
