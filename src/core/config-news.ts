/** How the config file differs from what runs. */
export type ConfigNews =
  /** `keys`: what differs; `toDo`: how it is applied. */
  | { readonly kind: 'newer'; readonly file: string; readonly keys: readonly string[]; readonly toDo: string }
  /** A reload would be refused. `faults`: how many the file has; 0: something else is in the way. */
  | { readonly kind: 'refused'; readonly file: string; readonly code: string; readonly faults: number };
