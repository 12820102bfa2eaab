// Conditions on votes. A voided vote has 0 in `counts_anyway`.

/** The votes that are counted in totals. */
export const COUNTED = "(counts_anyway IS 1 OR (decision = 'rewarded' AND counts_anyway IS NULL))";

/** The votes that mark their days. */
export const MARKS =
  "(decision IN ('rewarded', 'cooldown', 'unlisted', 'too-old') AND counts_anyway IS NOT 0)";
