import { PASSWORD_LEAST, PASSWORD_MOST } from '../../../web/auth/passwords.ts';
import { exactText, line } from '../../../web/fields.ts';
import { type FormState, type Html, inputField } from '../../../web/kit.ts';

export const NAME_MOST = 40;

const accountName = line({ label: 'Name', least: 2, most: NAME_MOST });

const newPassword = exactText({ label: 'Password', least: PASSWORD_LEAST, most: PASSWORD_MOST });

/** The fields of a new account. */
export const newAccountFields = { name: accountName, password: newPassword } as const;

export const passwordFields = {
  current: exactText({ label: 'Current password', most: PASSWORD_MOST }),
  password: newPassword,
} as const;

export const newPasswordInput = (state: FormState, label: string): Html =>
  inputField(state, {
    name: 'password',
    label,
    kind: 'password',
    autocomplete: 'new-password',
    hint: `At least ${PASSWORD_LEAST} characters. A passphrase works well.`,
  });
