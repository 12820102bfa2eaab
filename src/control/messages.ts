import type { Change } from '../config/changes.ts';

/** All that can be asked. A request has no path and no content: a process reloads the file that it was started with. */
export const RELOAD = 'reload\n';

/** No request is longer; what is longer is none. */
export const REQUEST_BYTES_MAX = 16;

/** What a process answers, as one line of JSON. */
export type Reply =
  | {
      readonly kind: 'reloaded';
      readonly applied: readonly ReportedChange[];
      readonly needRestart: readonly ReportedChange[];
    }
  /** The config before stays in force. */
  | { readonly kind: 'refused'; readonly code: string; readonly exit: 1 | 2; readonly sentence: string };

export type ReportedChange = Pick<Change, 'key' | 'kind'>;
