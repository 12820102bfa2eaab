import { statfs } from 'node:fs/promises';
import { freeMib } from '../core/disk-space.ts';

/** How much is free on the disk of a folder, in whole MiB; null if the operating system does not say it. */
export const freeSpace = (folder: string): Promise<number | null> => statfs(folder).then(freeMib, () => null);
