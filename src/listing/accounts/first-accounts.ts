import type { Random } from '../../core/random.ts';
import { newPassword } from '../../web/auth/secrets.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Accounts } from './accounts.ts';

/** An account with its password, which is printed now and not stored. */
export interface PrintedAccount {
  readonly account: Account;
  readonly password: string;
}

interface Parts {
  readonly accounts: Accounts;
  readonly store: AccountStore;
  readonly random: Random;
}

/** Creates an owner at the first start; null if accounts already exist. */
export async function firstOwner(parts: Parts): Promise<PrintedAccount | null> {
  return parts.store.hasAny() ? null : printedAccount(parts, 'owner');
}

/** The sample accounts of practice: one owner, one manager, and voters. */
export const SAMPLE_NAMES = {
  owner: 'olga-owner',
  manager: 'milo-manager',
  voters: ['vera', 'viktor', 'vanja'],
} as const;

export interface SampleAccounts {
  readonly owner: PrintedAccount;
  readonly manager: PrintedAccount;
  readonly voters: readonly PrintedAccount[];
}

/** A sample account's password from an earlier start; null if none was kept. */
export type KeptPassword = (name: string) => string | null;

/**
 * The sample accounts of practice. Their passwords are random, because well-known ones would open the pages to
 * everyone who reaches them. A password that was kept from an earlier start is reused if it is still right.
 */
export async function sampleAccounts(parts: Parts, kept: KeptPassword): Promise<SampleAccounts> {
  const [owner, manager, ...voters] = await Promise.all(
    [SAMPLE_NAMES.owner, SAMPLE_NAMES.manager, ...SAMPLE_NAMES.voters].map((name) =>
      printedAccount(parts, name, kept(name)),
    ),
  );
  if (owner === undefined || manager === undefined)
    throw new Error('the list above must begin with the owner and the manager');
  return { owner, manager, voters };
}

async function printedAccount(
  { accounts, store, random }: Parts,
  name: string,
  kept: string | null = null,
): Promise<PrintedAccount> {
  const known = store.named(name)?.person ?? null;
  if (known !== null && kept !== null && (await accounts.isPassword(name, kept))) {
    return { account: known, password: kept };
  }
  const password = newPassword(random);
  if (known !== null) {
    await accounts.setPassword(known, password);
    return { account: known, password };
  }
  const account = await accounts.add(name, password);
  if (account === null)
    throw new Error(`another process created the account ${name} at the same time; start again`);
  return { account, password };
}
