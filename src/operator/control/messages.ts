import type { Change } from '../../config/changes.ts';

/** It has no path and no content: a process reloads the file that it was started with. */
export const RELOAD = 'reload\n';

/** Asks for the config in effect. */
export const CONFIG = 'config\n';

/** Longer requests are refused. */
export const REQUEST_BYTES_MAX = 16;

/** The reply to `RELOAD`, as all replies one line of JSON. */
export type Reply =
  | {
      readonly kind: 'reloaded';
      readonly applied: readonly ReportedChange[];
      readonly needRestart: readonly ReportedChange[];
    }
  /** The previous config stays in effect. */
  | { readonly kind: 'refused'; readonly code: string; readonly exit: 1 | 2; readonly sentence: string };

export type ReportedChange = Pick<Change, 'key' | 'kind'>;
