import type { Dice } from '../../core/dice.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Accounts } from './accounts.ts';
import { newPassword } from './secrets.ts';

/** An account whose password is known this once, to be printed and forgotten. */
export interface PrintedAccount {
  readonly account: Account;
  readonly password: string;
}

interface Parts {
  readonly accounts: Accounts;
  readonly store: AccountStore;
  readonly dice: Dice;
}

/** The first start makes an owner; null where there are accounts already. */
export async function firstOwner(parts: Parts): Promise<PrintedAccount | null> {
  return parts.store.hasAny() ? null : printedAccount(parts, 'owner');
}

/** Who practice is played with: one owner, one manager, and voters. */
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

/**
 * The sample accounts of `loop`. Each start gives them new passwords and prints those: only hashes are kept, and a
 * password that everybody knows would open the pages to everybody who reaches them.
 */
export async function sampleAccounts(parts: Parts): Promise<SampleAccounts> {
  const [owner, manager, ...voters] = await Promise.all(
    [SAMPLE_NAMES.owner, SAMPLE_NAMES.manager, ...SAMPLE_NAMES.voters].map((name) =>
      printedAccount(parts, name),
    ),
  );
  if (owner === undefined || manager === undefined) throw new Error('the list above begins with both');
  return { owner, manager, voters };
}

async function printedAccount({ accounts, store, dice }: Parts, name: string): Promise<PrintedAccount> {
  const password = newPassword(dice);
  const known = store.named(name);
  if (known !== null) {
    await accounts.setPassword(known.account, password);
    return { account: known.account, password };
  }
  const account = await accounts.add(name, password);
  if (account === null) throw new Error(`${name} was added by somebody else at the same time`);
  return { account, password };
}
