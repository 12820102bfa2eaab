import type { DeepPart, LedgerReader } from './ledger.ts';

/**
 * Reads the whole ledger with its indexes, and returns what is damaged. It takes seconds for each million votes.
 *
 * @param onPart called before each part is read.
 */
export async function damagesOf(
  ledger: Pick<LedgerReader, 'deepParts' | 'damagesIn'>,
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
