/** When votes of some services were received, a part of the votes at a time, so that a call takes some milliseconds. */
export interface ReceiptsPage {
  readonly services: readonly string[];
  /** The last vote of the page before; null for the first page. */
  readonly after: number | null;
  /** The first page begins with the first vote of this hour. Milliseconds since the Unix epoch. */
  readonly since: number;
}

export interface PageOfReceipts {
  /** In the order in which the votes were recorded; services without a vote are left out. */
  readonly byService: Readonly<Record<string, readonly number[]>>;
  /** The last vote that was looked at. */
  readonly upTo: number;
  readonly isLast: boolean;
}
