import type { DeepPart, Ledger, RecountOrder } from './ledger.ts';

/**
 * Reads the whole ledger with its indexes, and returns what is damaged. It takes seconds for each million votes.
 *
 * @param onPart called before each part is read.
 */
export async function damagesOf(
  ledger: Pick<Ledger, 'deepParts' | 'damagesIn'>,
  onPart: (part: DeepPart) => Promise<void> | void = () => {},
): Promise<readonly string[]> {
  // The same damage may show in several parts.
  const found = new Set<string>();
  for (const part of await ledger.deepParts()) {
    await onPart(part);
    for (const damage of await ledger.damagesIn(part)) found.add(damage);
  }
  return [...found];
}

/** Compares all counts that are kept beside the votes with the votes, and returns those that are wrong. */
export async function wrongCountsOf(
  ledger: Pick<Ledger, 'wrongCounts' | 'isNetworkCountWrong' | 'wrongParties'>,
  onPart: (part: DeepPart) => Promise<void> | void = () => {},
): Promise<RecountOrder> {
  const recipients: number[] = [];
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await ledger.wrongCounts(after);
    await onPart({ table: 'recipients, compared with their votes', share: page.share });
    recipients.push(...page.recipients);
    ({ upTo: after, isLast } = page);
  }
  const [network, parties] = [await ledger.isNetworkCountWrong(), await ledger.wrongParties()];
  return { recipients, network, parties };
}
