import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PrintedAccount } from '../listing/accounts/first-accounts.ts';
import { ensureSamples, type Samples } from '../listing/samples.ts';
import type { ListingService, ListingSurroundings } from '../listing/service.ts';
import { OWNER_ONLY, writeWhole } from '../platform/write-file.ts';

/** The file with the password of a sample account, where `teller dashboard --as NAME` looks for it. */
export const passwordFile = (folder: string, name: string): string =>
  join(folder, 'passwords', encodeURIComponent(name));

/** Sample people and listings, whose passwords stay the same across restarts. */
export async function keptSamples(
  { store, accounts }: ListingService,
  folder: string,
  environment: Pick<ListingSurroundings, 'clock' | 'random'>,
): Promise<Samples> {
  const samples = await ensureSamples({ store, accounts, ...environment }, (name) =>
    readKept(passwordFile(folder, name)),
  );
  for (const { account, password } of allOf(samples)) {
    await writeWhole(passwordFile(folder, account.name), `${password}\n`, OWNER_ONLY);
  }
  return samples;
}

const allOf = ({ owner, manager, voters }: Samples): readonly PrintedAccount[] => [owner, manager, ...voters];

function readKept(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The name and password of each sample account. */
export function signInLines(samples: Samples): string[] {
  const width = Math.max(...allOf(samples).map(({ account }) => account.name.length));
  const line = (role: string, { account, password }: PrintedAccount): string =>
    `  ${role.padEnd(7)}  ${account.name.padEnd(width)}  ${password}`;
  return [
    line('owner', samples.owner),
    line('manager', samples.manager),
    ...samples.voters.map((voter) => line('voter', voter)),
  ];
}

export async function sampleSignIns(
  service: ListingService,
  folder: string,
  environment: Pick<ListingSurroundings, 'clock' | 'random'>,
): Promise<string[]> {
  const samples = await keptSamples(service, folder, environment);
  const kept = relative(process.cwd(), join(folder, 'passwords'));
  return [`Sample accounts: role, name, password (also in ${kept}):`, ...signInLines(samples)];
}
