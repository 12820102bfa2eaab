const MIB = 1024 * 1024;
/** A vote with its grants takes about 1 KiB; below this a busy day may not fit. */
export const LOW_MIB = 1024;
/** Below this the next votes may not fit. */
export const FULL_MIB = 32;

/** The free space that statfs reports, in whole MiB. */
export const freeMib = ({ bavail, bsize }: { readonly bavail: number; readonly bsize: number }): number =>
  Math.floor((bavail * bsize) / MIB);
